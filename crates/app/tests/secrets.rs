//! Secrets go into fields of their origin alone, and neither texts nor pictures show them.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod home;
mod live;

use live::{Answer, Live, page};
use std::collections::HashSet;

const SECRET: &str = "hunter2 \"&<\u{9875}";
const CODE: &str = "code-4711";

fn site(path: &str) -> Answer {
    match path {
        "/foreign" => page("<title>Foreign</title><input id=f aria-label=Foreign>"),
        _ => page(
            "<title>Login</title><input id=u aria-label=User><input id=p type=password aria-label=Password>
            <p id=echo>Nothing</p><p id=plain>Plain text</p><iframe src='OTHER/foreign'></iframe><script>
            u.oninput = () => { echo.textContent = 'You wrote ' + u.value; console.log(u.value); u.setAttribute('value', u.value) };
            </script>",
        ),
    }
}

fn open() -> Live {
    let live = Live::closed(site);
    std::fs::write(live.home.work().join("code.txt"), format!("{CODE}\n")).unwrap();
    let url = live.site.at("/");
    let foreign = format!("code@http://localhost:{}=file:code.txt", live.site.port);
    let mut command = live.home.command([
        "open",
        &url,
        "--secret",
        "pw=env:MY_PW",
        "--secret",
        &foreign,
        "--secret",
        "seen=on-the-line",
    ]);
    command.env("MY_PW", SECRET);
    let opened = home::run(command).exit(0);
    assert!(opened.out.contains("secret seen was written on the command line"), "{opened:?}");
    assert!(!opened.out.contains("secret pw") && !opened.out.contains("on-the-line"), "{opened:?}");
    live
}

fn field(live: &Live, name: &str) -> u64 {
    let found = live.json(&format!("find --role textbox --name {name}"));
    found["targets"][0]["ref"].as_u64().unwrap_or_else(|| panic!("{name}: {found}"))
}

/// The colours of a picture within a box, some pixels from its edges.
fn colours(file: &std::path::Path, at: &serde_json::Value) -> HashSet<Vec<u8>> {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let side = |i: usize| at[i].as_f64().unwrap() as usize;
    let samples = info.color_type.samples();
    let mut out = HashSet::new();
    for y in side(1) + 1..side(1) + side(3) - 1 {
        for x in side(0) + 1..side(0) + side(2) - 1 {
            let start = (y * info.width as usize + x) * samples;
            out.insert(pixels[start..start + samples].to_vec());
        }
    }
    out
}

#[test]
fn a_secret_goes_into_its_origin_only_and_is_told_nowhere() {
    let live = open();
    let (user, password, foreign) = (field(&live, "User"), field(&live, "Password"), field(&live, "Foreign"));
    for (target, name, origin) in
        [(user, "code", "localhost"), (foreign, "pw", "127.0.0.1"), (foreign, "seen", "127.0.0.1")]
    {
        let said = live.problem(&format!("input {target} --secret {name}"));
        assert!(said.starts_with("error[denied]") && said.contains(origin), "{said}");
    }
    assert!(live.problem(&format!("input {user} --secret other")).contains("it has pw, code, seen"));
    assert!(live.problem(&format!("input {user} text --secret pw")).starts_with("error[bad_request]"));
    assert_eq!(live.ok(&format!("get value {user}")), "");
    let mut said = String::new();
    for line in [
        format!("input {password} --secret pw"),
        format!("input {user} --secret pw"),
        format!("input {foreign} --secret code"),
    ] {
        said += &live.ok(&line);
    }
    assert!(said.contains("••••"), "{said}");
    for line in [
        "state",
        "state --json",
        "get html",
        "get html --json",
        "get text",
        "console",
        "errors",
        "find --css input --json",
        "snapshot",
        "state --budget 300",
        "state --via ax",
    ] {
        said += &live.run(line).out;
    }
    for target in [user, password, foreign] {
        said += &live.ok(&format!("get value {target}"));
        said += &live.ok(&format!("get html {target}"));
        said += &live.ok(&format!("inspect {target} --json"));
    }
    for part in ["hunter2", "code-4711"] {
        assert!(!said.contains(part), "{part} in {said}");
    }
    // It is there all the same.
    assert!(said.contains("You wrote ••••"), "{said}");
}

#[test]
fn pictures_cover_passwords_and_secrets() {
    let live = open();
    let (user, password, foreign) = (field(&live, "User"), field(&live, "Password"), field(&live, "Foreign"));
    live.ok(&format!("input {password} other-text"));
    live.ok(&format!("input {user} --secret pw"));
    live.ok(&format!("input {foreign} --secret code"));
    for (name, more) in [("view.png", ""), ("full.png", "--full")] {
        live.ok(&format!("screenshot {name} {more}"));
        for css in ["#p", "#u", "#echo", "#f"] {
            let at = live.json(&format!("get rect --css {css}"))["value"].clone();
            let seen = colours(&live.home.work().join(name), &at);
            assert_eq!(seen.len(), 1, "{name} {css} {at}: {seen:?}");
        }
        let plain = live.json("get rect --css #plain")["value"].clone();
        assert!(colours(&live.home.work().join(name), &plain).len() > 1, "{name}");
    }
    live.ok("screenshot one.jpg --quality 50");
    assert!(std::fs::read(live.home.work().join("one.jpg")).unwrap().starts_with(&[0xff, 0xd8]));
    assert!(live.problem("pdf page.pdf").starts_with("error[denied]"));
}

#[test]
fn secrets_that_cannot_be_kept_open_nothing() {
    let live = Live::closed(site);
    for (secret, code) in [
        ("pw", "bad_request"),
        ("p w=abcdef", "bad_request"),
        ("pw=abc", "bad_request"),
        ("pw=env:NO_SUCH_VARIABLE", "bad_request"),
        ("pw=file:none.txt", "file"),
        ("pw@nowhere=abcdef", "bad_request"),
    ] {
        let said = live.problem(&format!("open {} --secret '{secret}'", live.site.at("/")));
        assert!(said.starts_with(&format!("error[{code}]")) && !said.contains("abc"), "{secret}: {said}");
    }
    assert!(live.problem("open about:blank --secret pw=abcdef").contains("needs an origin"));
}
