//! What the browser keeps: cookies, storage, logins saved and loaded.

use handeye_testkit::live::{Answer, Asked, Live, Reply, html, page};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

fn site(path: &str) -> Answer {
    match path {
        "/" => Answer::Of(|asked| html(&format!("<title>Home</title><p id=sent>{}", asked.header("cookie")))),
        "/login" => Answer::Of(log_in),
        "/account" => Answer::Of(account),
        "/other" => page("<title>Other</title><iframe src=OTHER/inside></iframe>"),
        "/boxed" => page("<title>Boxed</title><iframe sandbox=allow-scripts src=OTHER/inside></iframe>"),
        "/inside" => page("<title>Inside</title><script>localStorage.setItem('inner', 'i')</script>"),
        _ => page("<title>Else</title>"),
    }
}

fn log_in(_: &Asked) -> Reply {
    let body = "<title>Logged in</title><script>localStorage.setItem('token', '令牌 \"1\"'); sessionStorage.setItem('tab', '1')</script>";
    let mut reply = html(body);
    reply.head.push_str("Set-Cookie: sid=s3cret; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600\r\n");
    reply
}

/// Shows who is logged in: both the cookie and the local storage are needed.
fn account(asked: &Asked) -> Reply {
    let known = asked.header("cookie").contains("sid=s3cret");
    html(&format!(
        "<title>Account</title><h1></h1><script>document.querySelector('h1').textContent = {known} && localStorage.token === '令牌 \"1\"' ? 'Welcome' : 'Who are you?'</script>"
    ))
}

#[test]
fn cookies_are_listed_set_and_cleared_and_reach_the_server() {
    let live = Live::open(site);
    assert_eq!(live.ok("cookies list"), "no cookies");
    live.says("cookies set theme dark", "set theme=\"dark\" for 127.0.0.1/, until the browser ends");
    live.ok("cookies set lasting 1 --expires 3600 --path /sub --same-site strict");
    live.ok("cookies set away x --domain .example.com --secure --http-only");
    live.ok("reload");
    assert_eq!(live.ok("get text --css '#sent'"), "theme=dark");
    let json = live.json("cookies list --domain 127.0.0.1");
    let cookies = json["cookies"].as_array().unwrap();
    let names: Vec<&str> = cookies.iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["theme", "lasting"]);
    assert_eq!(cookies[0]["expires"], -1.0);
    assert_eq!((cookies[1]["path"].as_str(), cookies[1]["sameSite"].as_str()), (Some("/sub"), Some("Strict")));
    let listed = live.ok("cookies list --domain www.example.com");
    assert_eq!(listed, "away=\"•\" for .example.com/, until the browser ends, HttpOnly, Secure");
    assert!(live.ok("cookies list --domain www.example.com --values").starts_with("away=\"x\" "));

    live.says("cookies clear theme", "removed theme=");
    live.ok("reload");
    assert_eq!(live.ok("get text --css '#sent'"), "");
    assert!(live.problem("cookies clear theme").starts_with("error[not_found]: no such cookie is set"));
    assert!(
        live.problem("cookies set a b --expires 0").contains("`0` is no time in seconds: write a number, 1 or more")
    );
    assert!(live.problem("cookies set a b --domain 'no host'").starts_with("error[bad_request]: "));
    // What the browser doesn't keep is not called set; what it keeps otherwise is told as it is.
    for (line, why) in [
        ("f g --same-site none", "SameSite=None is for cookies that are sent over HTTPS alone"),
        ("__Secure-f g", "a name that begins so is for cookies that are sent over HTTPS alone"),
        ("__Host-f g --secure --path /x", "a name that begins with __Host- is for one host and every path"),
    ] {
        let said = live.problem(&format!("cookies set {line}"));
        assert!(said.starts_with("error[bad_request]: the browser doesn't ") && said.contains(why), "{said}");
    }
    let large = live.problem(&format!("cookies set large {}", "x".repeat(4096)));
    assert!(large.starts_with("error[bad_request]: the browser doesn't "), "{large}");
    let json = live.json("cookies set long 1 --expires 99999999999");
    let days = json["cookies"][0]["expires"].as_f64().unwrap() / 86400.0;
    let today = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64() / 86400.0;
    assert!((days - today - 400.0).abs() < 1.0, "{days} {today}");
    assert_eq!(json["notices"][0]["kind"], "cut");
    for line in [
        "none 1 --secure --same-site none",
        "spaced 1 --path '/a b'",
        "host 1 --domain EXAMPLE.com",
        "soon 1 --expires 1",
    ] {
        live.says(&format!("cookies set {line}"), "set ");
    }
    let names: Vec<_> = live.ok("cookies list").lines().map(|l| l.split('=').next().unwrap().to_owned()).collect();
    assert!(["none", "spaced", "host", "long"].iter().all(|n| names.iter().any(|m| m == n)), "{names:?}");
    live.ok("cookies clear");
    live.ok("cookies set a b");
    live.ok("cookies set c d");
    assert_eq!(live.ok("cookies clear"), "removed 2 cookies");
    assert_eq!(live.ok("cookies list"), "no cookies");
    live.ok("open about:blank");
    assert!(live.problem("cookies set a b").contains("try: handeye cookies set NAME VALUE --domain HOST"));
}

#[test]
fn storage_is_read_and_written_per_origin_and_area() {
    let live = Live::open(site);
    let other = format!("http://localhost:{}", live.site.port);
    live.ok(&format!("open {}", live.site.at("/login")));
    assert_eq!(live.ok("storage list"), "token = \"令牌 \\\"1\\\"\"");
    assert_eq!(live.json("storage get token")["value"], "令牌 \"1\"");
    assert_eq!(live.ok("storage list --area session"), "tab = \"1\"");
    live.ok("storage set 'a key' 'a value'");
    live.ok("storage set tab 2 --area session");
    assert_eq!(live.json("storage list")["items"][0], json!({"name": "a key", "value": "a value"}));
    assert_eq!(live.ok("storage get tab --area session"), "2");
    live.ok("storage clear token");
    assert!(live.problem("storage get token").starts_with("error[not_found]: the storage of http://127.0.0.1"));
    assert!(live.problem("storage clear token").starts_with("error[not_found]: "));
    live.ok("storage clear");
    assert!(live.ok("storage list").ends_with(" is empty"));

    // An origin that isn't open: no tab of the session shows that it was looked at.
    live.ok(&format!("storage set k v --origin {other}"));
    assert_eq!(live.ok(&format!("storage list --origin {other}")), "k = \"v\"");
    assert_eq!(live.json("tabs list")["tabs"].as_array().unwrap().len(), 1);
    live.ok("tabs new");
    live.says("tabs switch t1", "* t1 ");
    assert!(live.ok("tabs list").contains("  t2 "), "the hidden tab took a number");
    live.ok("tabs switch t2");
    live.ok(&format!("open {other}/"));
    assert_eq!(live.ok("storage get k"), "v");
    let away = live.problem("storage list --area session --origin http://example.com");
    assert!(away.starts_with("error[not_found]: no document of http://example.com is open"), "{away}");
    live.ok("open about:blank");
    assert!(live.problem("storage list").starts_with("error[unsupported]: the active page has no origin"));
    assert!(live.problem("storage list --origin nonsense").starts_with("error[bad_request]: `nonsense` is no origin"));
    // A document inside the page is asked in its own place.
    live.ok(&format!("open {}", live.site.at("/other")));
    live.ok("wait --idle");
    assert!(live.ok(&format!("storage list --origin {other}")).contains("inner = \"i\""));
    // One that is sandboxed is of no origin, and has no storage to be asked.
    live.ok(&format!("open {}", live.site.at("/boxed")));
    live.ok("wait --idle");
    assert!(live.ok(&format!("storage list --origin {other}")).contains("k = \"v\""));
}

#[test]
fn a_saved_login_is_restored_in_another_session() {
    let live = Live::open(site);
    let account = live.site.at("/account");
    live.ok(&format!("open {account}"));
    assert_eq!(live.ok("get text --css h1"), "Who are you?");
    live.ok(&format!("open {}", live.site.at("/login")));
    live.ok(&format!("open {account}"));
    assert_eq!(live.ok("get text --css h1"), "Welcome");
    live.ok("open about:blank");
    let saved = live.ok("storage save login.json");
    assert!(saved.ends_with(&format!("1 cookie, local storage of 1 origin of {}", live.site.at(""))), "{saved}");
    let file = live.home.work().join("login.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let login: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(login["cookies"][0]["value"], "s3cret");
    assert_eq!(login["origins"][0]["localStorage"], json!([{"name": "token", "value": "令牌 \"1\""}]));

    live.ok("open about:blank --session two");
    live.says("storage load login.json --session two", "loaded ");
    live.ok(&format!("open {account} --session two"));
    assert_eq!(live.ok("get text --css h1 --session two"), "Welcome");

    // A cookie that has ended isn't counted.
    let mut old = login.clone();
    let mut ended = old["cookies"][0].clone();
    (ended["name"], ended["expires"]) = (json!("old"), json!(1.0e9));
    old["cookies"].as_array_mut().unwrap().push(ended);
    std::fs::write(live.home.work().join("old.json"), old.to_string()).unwrap();
    let loaded = live.json("storage load old.json --session two");
    assert_eq!((&loaded["cookies"], &loaded["refused"]), (&json!(1), &json!(["old of 127.0.0.1"])));

    std::fs::write(live.home.work().join("bad.json"), "[1]").unwrap();
    assert!(live.problem("storage load bad.json").starts_with("error[file]: can't load "));
    assert!(live.problem("storage load none.json").starts_with("error[file]: can't load "));
    assert!(live.problem("storage save no/such/folder.json").starts_with("error[file]: can't write "));
}

#[test]
fn a_profile_that_is_named_is_kept_and_one_that_is_not_is_gone() {
    let live = Live::closed(site);
    let greeted = |more: &str, wanted: &str| {
        live.ok(&format!("open {} {more}", live.site.at("/account")));
        assert_eq!(live.ok("get text --css h1"), wanted, "{more}");
    };
    for (more, wanted) in [("", "Who are you?"), ("--profile kept", "Welcome")] {
        live.ok(&format!("open {} {more}", live.site.at("/login")));
        greeted("", "Welcome");
        live.ok("close");
        greeted(more, wanted);
        live.ok("sessions stop default");
    }
    assert!(live.home.work().join("kept/Default").is_dir());
    live.home.assert_nothing_left();
}

#[test]
fn what_reads_is_allowed_where_what_acts_is_not() {
    let live = Live::open(site);
    let config = live.home.work().join("handeye.toml");
    std::fs::write(&config, "[policy]\ndeny = [\"acts\"]\n").unwrap();
    live.ok("cookies list");
    live.ok("storage list");
    for line in ["cookies set a b", "cookies clear", "storage set a b", "storage clear", "storage load x.json"] {
        assert!(live.problem(line).starts_with("error[denied]: the policy refuses "), "{line}");
    }
}
