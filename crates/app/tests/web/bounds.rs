//! Where the browser may go: pages, popups and frames out of bounds aren't asked for, whoever wants them.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Asked, Live, Reply, html, page};
use handeye_testkit::{Sample, is_full, trials};
use std::sync::Mutex;

/// Hosts that were asked for `/other`.
static REACHED: Mutex<Vec<String>> = Mutex::new(Vec::new());

const START: &str = "<title>Start</title><h1>Start</h1><a id=redirect>Redirect</a> <a href='OTHER/other'>Link</a>
<a href='OTHER/other' target=_blank>Blank</a> <a href=/refresh>Refresh</a> <a href=/fine>Fine</a>
<form method=post action='OTHER/other'><button>Post</button></form>
<button onclick=\"window.open('OTHER/other')\">Popup</button> <button onclick=\"window.open(redirect.href)\">Popup redirect</button>
<button onclick=\"window.open('/fine')\">Fine popup</button> <button onclick=\"location.href = 'OTHER/other'\">Script</button>
<button onclick=\"frame('OTHER/other')\">Frame</button> <button onclick=\"frame(redirect.href)\">Frame redirect</button>
<button onclick=\"frame('/fine')\">Fine frame</button> <button onclick=\"f.contentWindow.location = 'OTHER/other'\">In frame</button>
<button onclick=\"frame('data:text/html,<p>Datum</p><script>parent.postMessage(1, \\'*\\')</script>')\">Data frame</button>
<button onclick=\"frame(blob())\">Blob frame</button> <button onclick=\"window.open(blob())\">Blob popup</button> <button onclick=\"location = blob()\">Blob</button>
<button onclick=\"const w = window.open(''); setTimeout(() => w.location = blob(), 300)\">Late blob popup</button>
<button onclick=\"frame('about:blank'); f.srcdoc = '<p>Inner</p>'\">Srcdoc</button>
<button onclick=\"fetch('http://127.0.0.1:' + location.port + '/fine').then(() => log('fetched'), () => log('failed'))\">Fetch</button>
<iframe id=f></iframe><script>
redirect.href = '/to?' + location.port;
const frame = url => { f.src = url };
const blob = () => URL.createObjectURL(new Blob(['<p>Lump</p><script>localStorage.ran = 1; parent.postMessage(2, \"*\")</' + 'script>'], { type: 'text/html' }));
if (localStorage.ran) log('ran');
addEventListener('message', e => log('message', e.data));
</script>";

fn site(path: &str) -> Answer {
    match path.split_once('?') {
        Some(("/to", port)) => Answer::Redirect(format!("http://localhost:{port}/other")),
        _ if path == "/" => page(START),
        _ if path == "/other" => Answer::Of(other),
        _ if path == "/goes" => page(
            "<title>Goes</title><h1>Goes</h1><script>setInterval(() => { location.href = 'OTHER/other' }, 5)</script>",
        ),
        _ if path == "/refresh" => {
            page("<title>Refreshing</title><h1>Soon</h1><meta http-equiv=refresh content='0;url=OTHER/other'>")
        }
        _ => page("<title>Fine</title><p>Fine inside</p><p id=ran></p><script>ran.textContent = 'Fine ran'</script>"),
    }
}

fn other(asked: &Asked) -> Reply {
    REACHED.lock().unwrap().push(asked.header("host").to_owned());
    html("<title>Other</title><p>Other inside</p>")
}

/// Opens the page at `/` under its name on the other side of the bounds, or this one.
fn open(live: &Live, bounds: &str) {
    live.ok(&format!("open {} {bounds}", live.site.at("/")));
}

fn reached(live: &Live) -> bool {
    let port = format!(":{}", live.site.port);
    REACHED.lock().unwrap().iter().any(|host| host.ends_with(&port))
}

/// Clicks what has this name; what is said then, there and in the next look.
fn click(live: &Live, name: &str) -> String {
    let found = live.json("find --css 'a, button'");
    let target = found["targets"]
        .as_array()
        .unwrap()
        .iter()
        .find(|t| t["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {found}"));
    let clicked = live.run(&format!("click {}", target["ref"]));
    format!("{}{}\n{}", clicked.out, clicked.err, live.ok("state"))
}

#[test]
fn no_way_leads_out_of_bounds_and_all_lead_about_within() {
    let live = Live::closed(site);
    open(&live, "--allow-origin http://127.0.0.1:*");
    let refusal =
        format!("http://localhost:{}/other was refused: the policy allows http://127.0.0.1:* only", live.site.port);
    for way in [
        "Redirect",
        "Link",
        "Post",
        "Script",
        "Blank",
        "Popup",
        "Popup redirect",
        "Frame",
        "Frame redirect",
        "In frame",
    ] {
        // By default one for each way of asking; the others ask the same of another place.
        if !is_full() && ["Link", "Post", "Blank", "Popup", "Frame"].contains(&way) {
            continue;
        }
        let mut said = click(&live, way);
        // The browser may tell of it after the click is over.
        let told = said.contains(&refusal)
            || home::eventually(std::time::Duration::from_secs(10), || {
                said += &live.ok("state");
                said.contains(&refusal)
            });
        assert!(told, "{way}: {said}");
        assert!(said.contains("Start"), "{way}: {said}");
        assert!(!reached(&live), "{way}: {said}");
        assert!(!said.contains("Other inside"), "{way}: {said}");
    }
    for (way, what) in [
        ("Data frame", "data:"),
        ("Blob frame", "blob:"),
        ("Blob popup", "blob:"),
        ("Late blob popup", "blob:"),
        ("Blob", "blob:"),
    ] {
        if !is_full() && ["Blob frame", "Blob popup"].contains(&way) {
            continue;
        }
        let mut said = click(&live, way);
        home::eventually(std::time::Duration::from_secs(10), || {
            said += &live.ok("state");
            said.contains(what) && said.contains("was refused")
        });
        assert!(said.contains(what) && said.contains("was refused"), "{way}: {said}");
        let seen = live.ok("state");
        assert!(!seen.contains("Datum") && !seen.contains("Lump"), "{way}: {seen}");
    }
    // No request is made for it, so nothing can be stopped but what it would have done.
    let left = home::eventually(std::time::Duration::from_secs(10), || live.ok("get url") == "about:blank");
    assert!(left, "{}", live.ok("get url"));
    live.ok(&format!("open {}", live.site.at("/")));
    assert_eq!(live.log(), "", "nothing ran in a refused document");
    for (way, inside) in [("Fine frame", "Fine inside"), ("Srcdoc", "Inner")] {
        click(&live, way);
        let seen = home::eventually(std::time::Duration::from_secs(5), || live.ok("state").contains(inside));
        assert!(seen, "{way}: {}", live.ok("state"));
    }
    let said = click(&live, "Fine popup");
    assert!(said.contains("was opened by"), "{said}");
    let tabs = live.ok("tabs list");
    let fine = tabs.lines().find(|line| line.contains("/fine")).unwrap_or_else(|| panic!("{tabs}"));
    let fine = fine.split_whitespace().find(|word| word.starts_with('t') && word.len() < 4).unwrap();
    live.ok(&format!("tabs switch {fine}"));
    assert!(live.ok("state").contains("Fine ran"), "{}", live.ok("state"));
    live.ok("tabs switch t1");
    let said = click(&live, "Refresh");
    assert!(said.contains("Soon"), "{said}");
    let told = home::eventually(std::time::Duration::from_secs(5), || live.ok("state").contains(&refusal));
    assert!(told || said.contains(&refusal), "{said}");
    live.ok("back");
    assert!(click(&live, "Fine").contains("Fine inside"));
    assert!(!reached(&live));
}

#[test]
fn a_command_out_of_bounds_is_denied_and_the_page_stays() {
    let live = Live::closed(site);
    let port = live.site.port;
    open(&live, "--deny-origin http://localhost:* --deny-origin file: --deny-origin data:");
    std::fs::write(live.home.work().join("local.html"), "<p>Local</p>").unwrap();
    for (command, pattern) in [
        (format!("open http://localhost:{port}/other"), "http://localhost:*"),
        (format!("open http://LOCALHOST.:{port}/other"), "http://localhost:*"),
        (format!("open {}", live.site.at(&format!("/to?{port}"))), "http://localhost:*"),
        (format!("open view-source:http://localhost:{port}/other"), "http://localhost:*"),
        (format!("tabs new http://localhost:{port}/other"), "http://localhost:*"),
        (format!("download http://localhost:{port}/other"), "http://localhost:*"),
        ("open local.html".into(), "file:"),
        ("open data:text/html,x".into(), "data:"),
    ] {
        let said = live.problem(&command);
        assert!(
            said.starts_with("error[denied]") && said.contains(&format!("the policy denies {pattern}")),
            "{command}: {said}"
        );
        assert_eq!(live.ok("get url"), live.site.at("/"), "{command}");
    }
    // The browser would follow a redirect by itself.
    let said = live.problem(&format!("download {}", live.site.at(&format!("/to?{port}"))));
    assert!(said.contains("can't be held to them"), "{said}");
    assert!(!reached(&live));
    live.ok(&format!("open {}", live.site.at("/fine")));
    live.ok("back");
    live.ok("reload");
    // They are fixed.
    let said = live.problem(&format!("open {} --allow-origin http://localhost:*", live.site.at("/")));
    assert!(said.contains("has a browser already"), "{said}");
    std::fs::write(live.home.work().join("handeye.toml"), "[policy]\ndeny_origins = []\n").unwrap();
    assert!(live.problem(&format!("open http://localhost:{port}/other")).starts_with("error[denied]"));
}

#[test]
fn a_first_open_that_was_refused_makes_way_for_the_corrected_one() {
    let live = Live::closed(site);
    let (here, profile) = (live.site.at("/fine"), live.home.work().join("kept"));
    let profile = profile.display();
    let said = live.problem(&format!("open {here} --profile {profile} --allow-origin http://other.example"));
    assert!(said.starts_with("error[denied]"), "{said}");
    // What only looks doesn't make it a page.
    live.ok("state");
    let said = live.problem(&format!("open http://127.0.0.1:1/ --profile {profile} --deny-origin {here}"));
    assert!(said.starts_with("error[bad_request]"), "{said}");
    let said = live.problem(&format!("open http://127.0.0.1:1/ --profile {profile}"));
    assert!(said.starts_with("error[unreachable]"), "{said}");
    let opened = live.ok(&format!("open {here} --profile {profile} --allow eval"));
    assert!(opened.starts_with("opened \"Fine\""), "{opened}");
    live.says("eval 6*7", "42");
    let said = live.problem(&format!("open {here} --profile {profile}"));
    assert!(said.contains("has a browser already"), "{said}");
    // One that was tried without options keeps those that it was started with.
    live.ok("sessions stop default");
    live.problem("open http://127.0.0.1:1/ --allow eval");
    live.ok(&format!("open {here}"));
    live.says("eval 6*7", "42");
}

#[test]
fn an_open_is_not_blamed_for_where_the_page_before_it_goes() {
    let live = Live::closed(site);
    open(&live, "--deny-origin http://localhost:*");
    for _ in 0..trials(2, 4) {
        for path in ["/goes", "/fine"] {
            live.ok(&format!("open {}", live.site.at(path)));
            assert_eq!(live.ok("get url"), live.site.at(path));
        }
    }
    let said = live.problem(&format!("open http://localhost:{}/other", live.site.port));
    assert!(said.starts_with("error[denied]"), "{said}");
    assert!(!reached(&live));
}

#[test]
fn nothing_of_this_machine_is_asked_for_when_only_public_places_are_wanted() {
    let live = Live::closed(site);
    let port = live.site.port;
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
    let known = std::net::ToSocketAddrs::to_socket_addrs(&(name.as_str(), 0)).is_ok();
    // By default one in three of the addresses, and every other way.
    let mut addresses = Sample::one_in(3);
    let mut ways_taken = Sample::one_in(2).beginning_at(1);
    let looked_up = if known { "which NAME stands for".replace("NAME", &name) } else { "can't be looked up".into() };
    for address in [
        format!("http://localhost:{port}/other"),
        format!("http://127.0.0.1:{port}/other"),
        format!("http://2130706433:{port}/other"),
        format!("http://[::ffff:127.0.0.1]:{port}/other"),
        "http://169.254.169.254/latest/meta-data/".into(),
        "file:///etc/hostname".into(),
        // A name that only a look-up tells of.
        format!("http://{name}:{port}/other"),
    ] {
        if !addresses.takes() {
            continue;
        }
        let said = live.problem(&format!("open {address} --public-only"));
        assert!(!address.contains(&name) || said.contains(&looked_up), "{address}: {said}");
        assert!(said.starts_with("error[denied]") && said.contains("--public-only"), "{address}: {said}");
        live.ok("sessions stop default");
    }
    let ways = format!(
        "<p>Ways</p><a href=http://127.0.0.1:{port}/other>Link</a><a href=http://{name}:{port}/other>Named</a>\
         <a target=_blank href=http://localhost:{port}/other>Popup</a><form method=post action=http://[::1]:{port}/other><button>Post</button></form>\
         <button onclick=location='http://127.0.0.1:{port}/other'>Script</button>\
         <button onclick=f.src='http://{name}:{port}/other'>Frame</button><iframe id=f></iframe>"
    );
    home::run(live.home.command(["open", &format!("data:text/html,{}", ways.replace(' ', "%20")), "--public-only"]))
        .exit(0);
    for way in ["Link", "Named", "Popup", "Post", "Script", "Frame"] {
        if !ways_taken.takes() {
            continue;
        }
        let mut said = click(&live, way);
        let told = said.contains("was refused")
            || home::eventually(std::time::Duration::from_secs(10), || {
                said += &live.ok("state");
                said.contains("was refused")
            });
        assert!(told && said.contains("--public-only") && said.contains("Ways"), "{way}: {said}");
    }
    live.ok("sessions stop default");
    // A worker asks by itself, and so does one that it starts.
    let works = format!(
        "<h1>Works</h1><script>const asks = path => `fetch('http://127.0.0.1:{port}${{path}}', {{ mode: 'no-cors' }})`;
         const starts = code => `new Worker('data:text/javascript,' + ${{JSON.stringify(encodeURIComponent(code))}})`;
         eval(starts(asks('/other') + ';' + starts(asks('/nested'))))</script>"
    );
    let works: String = works.bytes().map(|b| format!("%{b:02x}")).collect();
    let works = format!("data:text/html,{works}");
    let mut said = home::run(live.home.command(["open", &works, "--public-only"])).exit(0).out;
    let told = home::eventually(std::time::Duration::from_secs(10), || {
        said += &live.ok("state");
        said.contains("/other was refused") && said.contains("/nested was refused") && said.contains("Works")
    });
    assert!(told, "{said}");
    live.ok("sessions stop default");
    let opened = live.ok("open data:text/html,<h1>Inline</h1><img/src=http://127.0.0.1:1/a.png> --public-only");
    let said = format!("{opened}\n{}", live.ok("state"));
    assert!(said.contains("Inline") && said.contains("a request to http://127.0.0.1:1/a.png was refused"), "{said}");
    assert!(!reached(&live));
}

#[test]
fn bounds_that_cannot_be_read_open_nothing() {
    let live = Live::closed(site);
    for flag in ["--allow-origin example.com", "--deny-origin https://a.example/path", "--allow-origin https://a.*.b"] {
        let said = live.problem(&format!("open {} {flag}", live.site.at("/")));
        assert!(said.starts_with("error[bad_request]") && said.contains("is no pattern of origins"), "{flag}: {said}");
    }
    std::fs::write(live.home.work().join("handeye.toml"), "[policy]\ndeny_origins = [\"example.com\"]\n").unwrap();
    let said = live.problem(&format!("open {}", live.site.at("/")));
    assert!(said.contains("`example.com` is no pattern of origins"), "{said}");
    std::fs::write(live.home.work().join("handeye.toml"), "[policy]\nallow_origins = [\"http://localhost:*\"]\n")
        .unwrap();
    let said = live.problem(&format!("open {} --allow-origin http://127.0.0.1:*", live.site.at("/")));
    assert!(said.starts_with("error[denied]"), "a flag loosens no file: {said}");
}
