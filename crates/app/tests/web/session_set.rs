//! Emulation, scripts of the caller's, permissions, the clipboard, paper and marks.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Asked, Live, Reply, html, page, reply};
use handeye_testkit::{Sample, is_full, trials};
use serde_json::json;

/// Shows what a page can find out.
const FACTS: &str = "<title>Facts</title><meta name=viewport content=width=device-width><p id=sent></p><p id=place></p><script>
const facts = () => [innerWidth, innerHeight, devicePixelRatio, matchMedia('(pointer: coarse)').matches, navigator.language,
  new Intl.DateTimeFormat().resolvedOptions().timeZone, matchMedia('(prefers-color-scheme: dark)').matches,
  matchMedia('print').matches].join(' ');
const show = () => { document.documentElement.dataset.facts = facts(); document.documentElement.dataset.agent = navigator.userAgent };
show(); addEventListener('resize', show); setInterval(show, 50);
navigator.geolocation.getCurrentPosition(p => place.textContent = p.coords.latitude + ',' + p.coords.longitude + ',' + p.coords.accuracy, e => place.textContent = 'refused ' + e.code);
</script>";

pub(crate) fn site(path: &str) -> Answer {
    match path {
        "/" => Answer::Of(facts),
        "/secret" => Answer::Of(secret),
        "/clip" => page(
            "<title>Clip</title><input aria-label=Field><button onclick=\"navigator.clipboard.writeText('from the page')\">Copy</button>",
        ),
        _ => page("<title>Else</title><h1>Else</h1>"),
    }
}

fn facts(asked: &Asked) -> Reply {
    let sent = format!("{}|{}|{}", asked.header("x-mine"), asked.header("accept-language"), asked.header("user-agent"));
    html(&FACTS.replace("<p id=sent>", &format!("<p id=sent>{sent}")))
}

/// `ann:pä:ss`, in base64.
fn secret(asked: &Asked) -> Reply {
    match asked.header("authorization") {
        "Basic YW5uOnDDpDpzcw==" => html("<title>In</title><h1>Welcome</h1>"),
        _ => Reply {
            status: "401 Unauthorized",
            ..reply(
                "WWW-Authenticate: Basic realm=\"x\"\r\nContent-Type: text/html\r\n",
                "<title>Out</title><h1>Who are you?</h1>",
            )
        },
    }
}

#[test]
fn pages_believe_what_is_set_in_every_tab_until_it_is_reset() {
    let live = Live::open(site);
    let facts = |wanted: &str| {
        let mut seen = String::new();
        let came = home::eventually(std::time::Duration::from_secs(5), || {
            seen = live.ok("get attr --xpath /html data-facts");
            seen == wanted
        });
        assert!(came, "wanted {wanted}\n   saw {seen}");
    };
    let zone = live.ok("get attr --xpath /html data-facts").split(' ').nth(5).unwrap().to_owned();
    let plain = format!("1280 720 1 false en-US {zone} false false");
    facts(&plain);
    assert_eq!(live.ok("set show"), "everything is as it is");

    live.ok("set viewport 800x600 --scale 2 --touch");
    live.ok("set locale de-DE");
    live.ok("set timezone Asia/Tokyo");
    live.ok("set media --color-scheme dark");
    let shown = live.ok("set media print");
    assert_eq!(
        shown,
        "viewport: 800x600 at 2 device pixels, touch\nlocale: de-DE\ntimezone: Asia/Tokyo\nmedium: print\nprefers-color-scheme: dark"
    );
    let set = "800 600 2 true de-DE Asia/Tokyo true true";
    facts(set);
    live.ok("set headers 'X-Mine: 页' 'X-Other: 1'");
    live.ok("reload");
    facts(set);
    let sent = live.ok("get text --css '#sent'");
    assert!(sent.contains("|de-DE"), "{sent}");
    live.ok(&format!("tabs new {}", live.site.at("/")));
    facts(set);
    live.ok("set viewport --reset");
    facts("1280 720 1 false de-DE Asia/Tokyo true true");
    assert_eq!(
        live.ok("set reset"),
        "taken back: header: X-Mine: 页\ntaken back: header: X-Other: 1\ntaken back: locale: de-DE\ntaken back: timezone: Asia/Tokyo\ntaken back: medium: print\ntaken back: prefers-color-scheme: dark"
    );
    assert_eq!(live.ok("set reset"), "nothing was set");
    assert_eq!(live.ok("set show"), "everything is as it is");
    facts(&plain);
    live.ok("tabs switch t1");
    facts(&plain);
    live.ok("reload");
    assert!(!live.ok("get text --css '#sent'").contains("de-DE"));

    live.ok("set device iphone-15");
    live.ok("reload");
    facts(&format!("393 852 3 true en-US {zone} false false"));
    assert!(live.ok("get attr --xpath /html data-agent").contains("iPhone"));
    assert!(live.ok("get text --css '#sent'").contains("iPhone"));
    live.ok("set device --reset");
    live.ok("set user-agent 'Mine/1.0'");
    live.ok("set headers 'X-Mine: yes'");
    live.ok("reload");
    assert!(
        live.ok("get text --css '#sent'").starts_with("yes|en-US")
            && live.ok("get text --css '#sent'").ends_with("|Mine/1.0")
    );
    live.ok("set reset");

    // What isn't taken changes nothing.
    let (mut refused, mut barred) = (Sample::one_in(2), Sample::one_in(2));
    for (line, said) in [
        ("set viewport 0x600", "`0x600` is no size"),
        ("set geo 91,0", "`91,0` is no place"),
        ("set device nokia", "there is no device `nokia`"),
        ("set timezone Nowhere/Land", "the browser doesn't take it: "),
        ("set locale 'no such!'", "the browser doesn't take it: "),
        ("set headers nonsense", "`nonsense` is no header"),
    ] {
        if !refused.takes() {
            continue;
        }
        let problem = live.problem(line);
        assert!(
            problem.starts_with(&format!("error[bad_request]: {said}")) && problem.contains("try: handeye set"),
            "{line}: {problem}"
        );
        assert_eq!(live.ok("set show"), "everything is as it is", "{line}");
    }
    assert!(live.problem("set media").starts_with("error[bad_request]: "));
    for header in
        ["Host: evil", "content-length: 7", "Connection: x", "Proxy-Authorization: x", "Transfer-Encoding: chunked"]
    {
        if !barred.takes() {
            continue;
        }
        let said = live.problem(&format!("set headers '{header}'"));
        assert!(said.starts_with("error[bad_request]: the header ") && said.contains("browser's own"), "{said}");
    }
    live.ok("reload");
    // Nor in place of one that is set.
    live.ok("set timezone Asia/Tokyo");
    let problem = live.problem("set timezone Mars/X");
    assert!(problem.starts_with("error[bad_request]: the browser doesn't take it: "), "{problem}");
    assert_eq!(live.ok("set show"), "timezone: Asia/Tokyo");
    facts("1280 720 1 false en-US Asia/Tokyo false false");
    live.ok("set timezone Europe/Oslo");
    facts("1280 720 1 false en-US Europe/Oslo false false");
}

/// What a page tells of itself without asking to be shown as on a small screen.
const PLAIN: &str = "<title>Plain</title><p id=all></p><script>
const ask = query => matchMedia(query).matches;
setInterval(() => all.textContent = [navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.userAgent.includes('Mine'),
  ask('print'), ask('(prefers-color-scheme: dark)'), ask('(prefers-reduced-motion: reduce)'), innerWidth].join(' '), 50)</script>";

#[test]
fn each_thing_that_is_set_is_taken_back_by_itself() {
    let live = Live::open(|_| page(PLAIN));
    let tells = |wanted: &str, line: &str| {
        let mut seen = String::new();
        let came = home::eventually(std::time::Duration::from_secs(10), || {
            seen = live.ok("get text --css '#all'");
            seen == wanted
        });
        assert!(came, "{line}\nwanted {wanted}\n   saw {seen}");
    };
    live.ok("set timezone Europe/Oslo");
    live.ok("reload");
    tells("en-US Europe/Oslo false false false false 1280", "set timezone");
    // A page that says nothing of small screens is laid out 980 pixels wide on one.
    for (line, set, reset) in [
        ("set viewport 400x800 --mobile", "en-US Europe/Oslo false false false false 980", "viewport"),
        ("set locale nn-NO", "nn-NO Europe/Oslo false false false false 1280", "locale"),
        ("set user-agent Mine/2", "en-US Europe/Oslo true false false false 1280", "user-agent"),
        ("set media print", "en-US Europe/Oslo false true false false 1280", "media"),
        ("set media --reduced-motion reduce", "en-US Europe/Oslo false false false true 1280", "media"),
        ("set media --color-scheme dark", "en-US Europe/Oslo false false true false 1280", "media"),
    ] {
        live.ok(line);
        live.ok("reload");
        tells(set, line);
        live.ok(&format!("set {reset} --reset"));
        live.ok("reload");
        tells("en-US Europe/Oslo false false false false 1280", &format!("{line}, taken back"));
    }
    for line in ["set geo 1,2", "set headers 'X-Mine: 1'", "set offline"] {
        live.ok(line);
        assert!(live.ok("set show").lines().count() == 2, "{line}");
        live.ok(&format!("set {} --reset", line.split(' ').nth(1).unwrap()));
        assert_eq!(live.ok("set show"), "timezone: Europe/Oslo");
    }
    assert_eq!(live.ok("set timezone --reset"), "everything is as it is");
}

#[test]
fn the_network_is_cut_off_and_back() {
    let live = Live::open(site);
    assert_eq!(live.ok("set offline"), "network: offline");
    assert!(live.problem("reload").contains("net::ERR_INTERNET_DISCONNECTED"));
    live.ok("set offline --reset");
    live.ok(&format!("open {}", live.site.at("/")));
}

#[test]
fn sites_know_the_place_only_when_they_may() {
    let live = Live::open(site);
    let place = |wanted: &str| {
        live.ok("reload");
        live.ok(&format!("wait --text '{wanted}' --timeout 5"));
        assert_eq!(live.ok("get text --css '#place'"), wanted);
    };
    live.ok("set geo 52.5,-13.25 --accuracy 20");
    let origin = live.site.at("");
    assert_eq!(live.ok("permissions deny geolocation"), format!("denied geolocation for {origin}"));
    place("refused 1");
    live.ok("permissions grant geolocation notifications");
    place("52.5,-13.25,20");
    live.ok("permissions deny geolocation");
    place("refused 1");
    live.ok("permissions reset geolocation");
    // Of an origin that is named, whatever page is open.
    let other = format!("http://localhost:{}", live.site.port);
    for (line, wanted) in [("grant", "52.5,-13.25,20"), ("deny", "refused 1")].into_iter().take(trials(1, 2)) {
        live.ok(&format!("open {origin}/"));
        live.ok(&format!("permissions {line} geolocation --origin {other}"));
        live.ok(&format!("open {other}/"));
        place(wanted);
    }
    live.ok(&format!("permissions reset geolocation --origin {other}"));
    assert!(live.problem("permissions grant nonsense").starts_with("error[bad_request]: `nonsense` can't be granted"));
    live.ok("open about:blank");
    assert!(live.problem("permissions grant camera").starts_with("error[bad_request]: the active page has no origin"));
    live.ok(&format!("permissions grant camera --origin {origin}"));
}

#[test]
fn a_site_that_asks_is_given_the_password_and_others_are_not() {
    let live = Live::open(site);
    let secret = live.site.at("/secret");
    let heading = |wanted: &str| {
        live.ok(&format!("open {secret}"));
        assert_eq!(live.ok("get text --css h1"), wanted);
    };
    let asked = live.problem(&format!("open {secret}"));
    assert!(asked.contains("it asks for a user and a password"), "{asked}");
    let hint = format!("try: handeye set credentials USER --password-env VARIABLE --origin {}", live.site.at(""));
    assert!(asked.contains(&hint), "{asked}");
    std::fs::write(live.home.work().join("password"), "pä:ss\n").unwrap();
    let other = format!("http://localhost:{}", live.site.port);
    live.ok(&format!("set credentials ann --password-file password --origin {other}"));
    live.problem(&format!("open {secret}"));
    let said = live.ok("set credentials ann --password-file password");
    assert_eq!(said, format!("credentials for: {}", live.site.at("")));
    heading("Welcome");
    let gone = live.ok("set credentials --reset");
    assert!(
        gone.starts_with("taken back: credentials for http://127.0.0.1:") && gone.ends_with("\n  try: handeye close"),
        "{gone}"
    );
    live.ok("set credentials ann --password-file password");
    assert_eq!(live.ok("set reset"), gone);
    if !is_full() {
        return;
    }

    // From a variable; a wrong one is given once and not again and again. The browser remembers what was right, so another.
    let live = Live::open(site);
    let run = |password: &str| {
        let mut command = live.home.command(["set", "credentials", "ann", "--password-env", "MY_PASSWORD", "--json"]);
        command.env("MY_PASSWORD", password);
        home::run(command)
    };
    let ran = run("wrong");
    assert!(ran.status == Some(0) && !ran.out.contains("wrong"), "{ran:?}");
    live.run(&format!("open {}", live.site.at("/secret")));
    assert_ne!(live.ok("get title"), "In");
    assert_eq!(run("pä:ss").status, Some(0));
    live.ok(&format!("open {}", live.site.at("/secret")));
    assert_eq!(live.ok("get text --css h1"), "Welcome");
    let lacking = live.problem("set credentials ann --password-env NO_SUCH");
    assert!(lacking.starts_with("error[bad_request]: ") && lacking.contains("NO_SUCH"), "{lacking}");
    assert!(live.problem("set credentials ann").starts_with("error[bad_request]: "));
}

#[test]
fn scripts_run_only_where_the_session_allows_them() {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/")));
    for line in ["eval 1+1", "wait --fn 'true'"] {
        let denied = live.problem(line);
        assert!(denied.starts_with("error[denied]: ") && denied.contains("handeye open URL --allow eval"), "{denied}");
    }
    assert!(live.problem("open about:blank --allow eval").contains("has a browser already"));
    // Nor can a file do that which came with a folder.
    let file = live.home.work().join("handeye.toml");
    for text in [
        "[policy]\nallow = [\"eval\"]\n",
        "[browser]\nproxy = \"http://a:1\"\n",
        "[browser]\nignore_tls_errors = true\n",
    ] {
        std::fs::write(&file, text).unwrap();
        assert!(live.problem("eval 1+1").contains("a file in a project folder may set only"), "{text}");
    }
    std::fs::remove_file(&file).unwrap();
    live.ok("sessions stop default");
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    assert_eq!(
        live.json("eval '({ a: [1, \"页\", null], f: facts.name })'")["value"],
        json!({"a": [1, "页", null], "f": "facts"})
    );
    assert_eq!(live.ok("eval 'Promise.resolve(6).then(n => n * 7)'"), "42");
    assert_eq!(live.ok("eval undefined"), "null");
    assert_eq!(live.ok("eval 10n"), "\"10n\"");
    let mut sample = Sample::one_in(2).beginning_at(1);
    for (line, code, said) in [
        ("eval 'nothing.at.all'", "bad_request", "the expression threw ReferenceError: nothing is not defined"),
        ("eval 'Promise.reject(new Error(\"lost\"))'", "bad_request", "the expression threw Error: lost"),
        ("eval 'throw 5'", "bad_request", "the expression threw 5"),
        ("eval 'a b'", "bad_request", "the expression threw SyntaxError"),
        ("eval 'window'", "bad_request", "the value of the expression can't be written as JSON"),
        ("eval '\"x\".repeat(5000000)'", "bad_request", "the value has 5000002 bytes"),
        ("eval 'new Promise(() => {})' --timeout 0.5", "timeout", "the expression had no value within 0.5 s"),
        ("eval 'while (true);' --timeout 0.5", "timeout", "the expression had no value within 0.5 s"),
    ] {
        if !sample.takes() {
            continue;
        }
        let problem = live.problem(line);
        assert!(problem.starts_with(&format!("error[{code}]: {said}")), "{line}: {problem}");
    }
    // The page answers again after a script that would never have ended.
    assert_eq!(live.ok("eval document.title"), "\"Facts\"");
    live.ok("eval 'setTimeout(() => { window.late = { n: 1 } }, 300), 0'");
    live.says("wait --fn 'window.late.n' --timeout 5", "waited 0.");
    let never = live.problem("wait --fn 'window.none.n' --timeout 0.5");
    assert!(never.contains("didn't become true within 0.5 s; the expression threw TypeError"), "{never}");
    assert!(live.problem("wait --fn 'a b'").contains("SyntaxError"));
}

#[test]
fn the_clipboard_is_read_and_written() {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/clip")));
    assert_eq!(live.ok("clipboard set '文 text'"), "文 text");
    assert_eq!(live.ok("clipboard get"), "文 text");
    live.ok("focus --css input");
    live.ok("keys ctrl+v");
    assert_eq!(live.ok("get value --css input"), "文 text");
    live.ok("open about:blank");
    let far = live.problem("clipboard get");
    assert!(far.starts_with("error[unsupported]: the clipboard can't be reached"), "{far}");
}

#[test]
fn the_page_is_printed_and_a_target_is_marked_without_a_trace() {
    let live = Live::open(|_| {
        page(
            "<title>Paper</title><body style='margin:0;background:#fff'><button style='position:absolute;left:100px;top:100px;width:200px;height:100px;background:#fff;border:0'>Mark me</button>",
        )
    });
    live.says("pdf page.pdf --paper a5 --landscape", "saved ");
    let pdf = std::fs::read(live.home.work().join("page.pdf")).unwrap();
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 1000, "{} bytes", pdf.len());
    let text = String::from_utf8_lossy(&pdf).into_owned();
    // A5 across, in points.
    let boxed = text.split("/MediaBox [").nth(1).unwrap().split(']').next().unwrap().to_owned();
    let sides: Vec<f64> = boxed.split_whitespace().map(|n| n.parse().unwrap()).collect();
    assert!((sides[2] - 595.0).abs() < 2.0 && (sides[3] - 420.0).abs() < 2.0, "{boxed}");
    assert!(live.problem("pdf x.pdf --pages 9-12").starts_with("error[bad_request]: the browser can't print it so"));
    assert!(live.problem("pdf x.pdf --scale 9").contains("write a number from 0.1 to 2, such as 0.8"));

    let before = live.ok("get html");
    live.ok("screenshot before.png");
    let said = live.ok("highlight --name 'Mark me' --seconds 0 --to marked.png");
    assert!(said.contains("] button \"Mark me\" for 0 s; saved "), "{said}");
    live.ok("screenshot after.png");
    let read = |name: &str| std::fs::read(live.home.work().join(name)).unwrap();
    assert!(read("marked.png") != read("before.png"), "the mark isn't in the picture");
    assert!(read("after.png") == read("before.png"), "the mark is still there");
    assert_eq!(live.ok("get html"), before);
    assert!(live.problem("highlight 1 --seconds 61").contains("write a number from 0 to 60, such as 3"));
    assert!(live.problem("highlight 1 --color reddish").starts_with("error[bad_request]: "));
}

#[test]
fn several_targets_are_marked_at_once_each_in_its_colour() {
    let live = Live::open(|_| {
        page(
            "<title>Marks</title><body style='margin:0;background:#fff'><button id=a style='position:absolute;left:20px;top:20px'>A</button><button id=b style='position:absolute;left:20px;top:120px'>B</button><p style='position:absolute;left:20px;top:220px'>In <a id=c href=/x>a link</a> and <a id=d href=/y>another</a>",
        )
    });
    live.ok("screenshot before.png");
    let read = |name: &str| std::fs::read(live.home.work().join(name)).unwrap();
    let mut pictures = vec![read("before.png")];
    for (i, line) in [
        "css=#a css=#b --color red,blue",
        "css=#a css=#b --color blue,red",
        "css=#c css=#d",
        "css=#a css=#c css=#d --color '#00aa00'",
    ]
    .iter()
    .enumerate()
    {
        let said = live.json(&format!("highlight {line} --seconds 0 --to m{i}.png"));
        assert_eq!(said["targets"].as_array().unwrap().len(), line.matches("css=").count(), "{said}");
        assert!(said["notices"].is_null(), "{said}");
        let picture = read(&format!("m{i}.png"));
        assert!(!pictures.contains(&picture), "{line} draws what was drawn before");
        pictures.push(picture);
    }
    // Links within lines are drawn in one colour at once.
    let said = live.json("highlight css=#c css=#d --color red,blue --label One,Two --seconds 0");
    let kinds: Vec<&str> = said["notices"].as_array().unwrap().iter().map(|n| n["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["not_marked", "no_labels"]);
    live.ok("screenshot after.png");
    assert!(read("after.png") == read("before.png"), "marks are left");
}

#[test]
fn a_pdf_has_the_pages_and_the_background_that_are_asked_for() {
    let live = Live::open(|_| {
        page("<style>p { height: 1500px; background: linear-gradient(red, blue) }</style><p>One<p>Two<p>Three")
    });
    let printed = |more: &str| {
        live.ok(&format!("pdf page.pdf {more}"));
        let bytes = std::fs::read(live.home.work().join("page.pdf")).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (text.matches("/MediaBox").count(), text.contains("/Shading"))
    };
    let (all, shaded) = printed("");
    assert!(all > 3 && shaded, "{all} {shaded}");
    assert_eq!(printed("--no-background"), (all, false));
    assert_eq!(printed("--pages 2-3").0, 2);
    assert!(printed("--scale 0.5").0 < all);
    assert!(printed("--paper a3").0 < all);
}
