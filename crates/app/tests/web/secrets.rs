//! Secrets go into fields of their origin alone, and neither texts nor pictures show them.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Live, page, reply};
use handeye_testkit::{Sample, trials};
use std::collections::HashSet;

const SECRET: &str = "hunter2 \"&<\u{9875}";
const CODE: &str = "code-4711";

/// Tells everyone what is put in.
const TALKS: &str = "<title>Talks</title><input id=u aria-label=User><input id=p type=password aria-label=Password>
<button id=go onclick='tell(u.value)'>Tell</button><p id=done>Waiting</p><script>
const tell = async text => {
  console.log(text, { inside: text }); console.warn(JSON.stringify({ text })); document.title = text;
  localStorage.setItem('kept', JSON.stringify({ text })); document.cookie = 'kept=' + encodeURIComponent(text);
  history.replaceState(null, '', '?q=' + encodeURIComponent(text) + '#' + new URLSearchParams({ text }));
  setTimeout(() => { throw new Error('broken by ' + text) });
  await fetch('/q?' + new URLSearchParams({ text }), { headers: { 'X-Text': encodeURIComponent(text) } });
  await fetch('/bad', { method: 'POST', body: JSON.stringify({ text, password: p.value }) }).then(r => r.text());
  const ascii = JSON.stringify(text).replace(/[^ -~]/g, c => '\\\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
  await fetch('/bad', { method: 'POST', body: ascii });
  done.textContent = 'All told';
};
</script>";

/// A secret in all that a page shows of itself, each in an element that is as wide as its letters, whatever the font.
const SHOWS: &str = "<title>Shows</title><style>
  body { font: 20px/40px monospace } select, input { font: inherit } .fit { display: inline-block } #over { width: 60px; white-space: nowrap }
  #before::before { content: 'hun' } #after::after { content: 'hunter22' } #attr::before { content: attr(data-x) } #upper { text-transform: uppercase }
  @counter-style told { system: cyclic; symbols: 'hunter22'; suffix: ' ' } #named { list-style-type: told } #quoted { list-style-type: 'hunter22 ' }
  ul { margin: 0 0 0 200px } .pic { width: 160px; height: 40px }
  #bg { background: url(\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text y='25'>hun<tspan>ter22</tspan></text></svg>\") }
  </style>
  <p><span class=fit id=split><b>hunt</b><i>er<!-- -->22</i></span></p><div id=lines style='width:4ch;word-break:break-all'>hunter22</div>
  <p id=over><span id=skipped>xx xx </span><span id=out>hunter22</span></p><p><input id=hint placeholder='or hunter22'></p>
  <p><select id=chosen><option>hunter22</select> <select id=grouped size=3><optgroup label='of hunter22'><option>One</select></p>
  <p><span class=fit id=spaced>hun&shy;ter <wbr>22</span> <span class=fit id=host></span> <span class=fit id=case>HunTER22</span> <span class=fit id=upper>Hunter22</span></p>
  <p><span class=fit id=before>ter22</span> <span class=fit id=after></span> <span class=fit id=attr data-x=hunter22></span></p>
  <ul><li id=quoted>One<li id=named>Two</ul>
  <p><img class=pic id=data src=\"data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSIxNjAiIGhlaWdodD0iNDAiPjx0ZXh0IHk9IjI1Ij5odW50ZXIyMjwvdGV4dD48L3N2Zz4=\">
  <svg class=pic id=svg><text y=25>hunter22</text></svg> <span class='fit pic' id=bg></span></p><p><span class=fit id=plain>Nothing of it hunter21</span></p>
  <script>host.attachShadow({ mode: 'closed' }).innerHTML = '<b>hun</b><b>ter22</b>'</script>";

pub(crate) fn site(path: &str) -> Answer {
    match path {
        "/talks" => page(TALKS),
        "/bad" => Answer::Of(|asked| reply("Content-Type: text/plain\r\n", asked.body.clone())),
        path if path.starts_with("/q?") => page("answered"),
        "/sends" => page(
            "<title>Sends</title><input id=u aria-label=User><button id=go>Go</button><button id=ask>Ask</button><p id=done>Waiting</p><script>
            go.onclick = async () => {
              const pin = Number(u.value), coded = btoa('ann:' + u.value);
              for (const body of [JSON.stringify({ pin }), coded, coded + coded, 'x'.repeat(19995) + u.value])
                await fetch('/bad', { method: 'POST', body });
              await fetch('/raw', { method: 'POST', body: new Blob([new Uint8Array([0, 255]), u.value, new Uint8Array([254])]) });
              await fetch('/q?' + new URLSearchParams({ text: u.value }), { headers: { 'X-Auth': 'Basic ' + coded } });
              done.textContent = 'All sent';
            };
            ask.onclick = () => alert('x'.repeat(194) + u.value);
            </script>",
        ),
        "/shows" => page(SHOWS),
        "/steals" => page(
            "<title>Steals</title><input id=u aria-label=User><div id=rich contenteditable aria-label=Rich role=textbox>old</div>
            <p id=stolen>Nothing</p><iframe src='OTHER/thief'></iframe>
            <script>onmessage = e => { stolen.textContent = 'Stolen: ' + e.data.length }</script>",
        ),
        "/thief" => page(
            "<script>
            let got = '';
            const take = text => { got += text; top.postMessage(got, '*') };
            const again = () => {
              document.open(); document.write('<input id=i>'); document.close();
              const i = document.getElementById('i');
              i.focus(); i.oninput = () => { take(i.value); i.value = '' };
              addEventListener('keydown', e => take(e.key), true);
              addEventListener('beforeinput', e => take(e.data || ''), true);
              setTimeout(again, 1);
            };
            again();
            </script>",
        ),
        "/raw" => Answer::Of(|asked| reply("Content-Type: application/octet-stream\r\n", asked.body.clone())),
        "/boxed" => page(
            "<title>Holder</title><iframe sandbox='allow-scripts allow-forms' src=/field?Boxed></iframe>
            <iframe sandbox='allow-scripts' srcdoc='<input aria-label=Written>'></iframe>
            <iframe sandbox='allow-scripts allow-same-origin' src=/field?Ours></iframe>
            <iframe sandbox=allow-scripts src=/inner></iframe>",
        ),
        "/inner" => page("<iframe src=/field?Deep></iframe><iframe srcdoc='<input aria-label=Deepest>'></iframe>"),
        path if path.starts_with("/field?") => page(format!("<input aria-label={}>", &path[7..])),
        "/foreign" => page("<title>Foreign</title><input id=f aria-label=Foreign>"),
        _ => page(
            "<title>Login</title><input id=u aria-label=User><input id=p type=password aria-label=Password>
            <p id=echo>Nothing</p><p id=plain>Plain text</p><iframe src='OTHER/foreign'></iframe><script>
            u.oninput = () => { echo.textContent = 'You wrote ' + u.value; console.log(u.value); u.setAttribute('value', u.value) };
            </script>",
        ),
    }
}

pub(crate) fn open() -> Live {
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

pub(crate) fn field(live: &Live, name: &str) -> u64 {
    let found = live.json(&format!("find --role textbox --name {name}"));
    found["targets"][0]["ref"].as_u64().unwrap_or_else(|| panic!("{name}: {found}"))
}

/// The colours of a picture within a box, so many pixels from its edges.
pub(crate) fn colours(file: &std::path::Path, at: &serde_json::Value, margin: usize) -> HashSet<Vec<u8>> {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let side = |i: usize| at[i].as_f64().unwrap() as usize;
    let samples = info.color_type.samples();
    let mut out = HashSet::new();
    for y in side(1) + margin..side(1) + side(3) - margin {
        for x in side(0) + margin..side(0) + side(2) - margin {
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
    // What a page makes of a secret may be cut or grouped: no receipt tells it, masked or not.
    assert!(!said.contains("wrote"), "{said}");
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
fn a_sandboxed_document_is_not_of_the_origin_of_its_address() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --secret pw=hunter22", live.site.at("/boxed")));
    let limit = std::time::Duration::from_secs(10);
    for name in ["Boxed", "Written", "Deep", "Deepest"] {
        assert!(home::eventually(limit, || live.ok("state").contains(name)), "{name}");
        let number = field(&live, name);
        let said = live.problem(&format!("input {number} --secret pw"));
        assert!(said.starts_with("error[denied]") && said.contains("it is sandboxed"), "{name}: {said}");
        assert_eq!(live.ok(&format!("get value {number}")), "", "{name}");
    }
    let ours = field(&live, "Ours");
    live.ok(&format!("input {ours} --secret pw"));
}

#[test]
fn files_numbers_and_what_is_cut_off_tell_no_secret() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --allow eval --secret pin=47114711", live.site.at("/sends")));
    live.ok(&format!("input {} --secret pin", field(&live, "User")));
    live.run("click --css #go");
    let sent = || live.ok("get text --css #done") == "All sent";
    assert!(home::eventually(std::time::Duration::from_secs(20), sent), "{}", live.ok("state"));
    let requests = live.json("network list --all");
    let mut said = requests.to_string();
    for number in requests["requests"].as_array().unwrap().iter().map(|r| r["number"].as_u64().unwrap()) {
        let shown = live.run(&format!("network show {number} --to body --values"));
        said += &format!("{}{}", shown.out, live.ok(&format!("network show {number} --values --json")));
        said += &String::from_utf8_lossy(&std::fs::read(live.home.work().join("body")).unwrap_or_default());
    }
    live.ok("network har all.har --bodies --values");
    let archive = std::fs::read_to_string(live.home.work().join("all.har")).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&archive).is_ok(), "{archive}");
    said += &archive;
    said += &live.ok("eval '({ pin: Number(u.value), text: u.value })' --json");
    said += &live.run("click --css #ask").out;
    for line in ["state", "click --css #go", "keys x", "tabs list", "dialog accept"] {
        let ran = live.run(line);
        said += &format!("{line}\n{}{}", ran.out, ran.err);
    }
    assert!(said.contains("secrets hidden") && said.contains("••••"), "{said}");
    // As it is, as it ends where a message is cut off, in base64 behind `ann:`, and between bytes that are no text.
    for part in ["47114711", "4711…", "471147", "NDcxMTQ3MT", "Q3MTE0Nz"] {
        assert!(!said.contains(part), "{part} in {said}");
    }
}

#[test]
fn no_log_archive_or_listing_tells_a_secret() {
    let live = open();
    live.ok(&format!("open {}", live.site.at("/talks")));
    let mut said = live.ok(&format!("input {} --secret pw", field(&live, "User")));
    said += &live.ok(&format!("input {} --secret pw", field(&live, "Password")));
    said += &live.run(&format!("click {}", live.number("#go"))).out;
    let told = home::eventually(std::time::Duration::from_secs(20), || {
        live.ok("get text --css #done") == "All told" && live.ok("errors --all").contains("broken by")
    });
    assert!(told, "{}", live.ok("state"));
    for line in [
        "console --all",
        "console --all --json",
        "errors --all",
        "errors --all --json",
        "network list --all",
        "network list --all --json",
        "storage list",
        "storage get kept",
        "storage list --json",
        "cookies list --values",
        "cookies list --json",
        "tabs list",
        "get title",
        "get url",
        "state --json",
        "state --all --verbose",
        "state --via ax",
        "snapshot --json",
        "find Tell --return-state=full",
        "set show",
        "sessions list --json",
    ] {
        let ran = live.run(line);
        assert_eq!(ran.status, Some(0), "{line}: {ran:?}");
        said += &format!("{line}\n{}{}", ran.out, ran.err);
    }
    for (line, what) in
        [("console --all", "messages"), ("errors --all", "messages"), ("network list --all", "requests")]
    {
        assert!(!live.json(line)[what].as_array().unwrap().is_empty(), "{line}");
        let found = live.json(&format!("{line} --filter hunte"));
        assert_eq!(found[what], serde_json::json!([]), "{line}: a part of a secret is found");
    }
    let requests = live.json("network list --all");
    let numbers: Vec<u64> =
        requests["requests"].as_array().unwrap().iter().map(|r| r["number"].as_u64().unwrap()).collect();
    assert!(numbers.len() > 3, "{requests}");
    for number in numbers {
        said += &live.ok(&format!("network show {number} --values"));
        said += &live.ok(&format!("network show {number} --values --json"));
    }
    live.ok("network har all.har --bodies --values");
    let archive = std::fs::read_to_string(live.home.work().join("all.har")).unwrap();
    assert!(archive.contains("/bad") && archive.contains("••••"), "{archive}");
    said += &archive;
    for line in ["click --role button --name None", "wait --text Nothing --timeout 0.1", "storage get none"] {
        said += &live.problem(line);
    }
    for entry in std::fs::read_dir(live.home.run_dir()).unwrap().flatten() {
        // What daemons write down beside their sockets.
        said += &std::fs::read_to_string(entry.path()).unwrap_or_default();
    }
    let at = said.find("hunter2").map(|at| said.chars().skip(said[..at].chars().count().saturating_sub(400)).take(500));
    assert!(at.is_none(), "…{}…", at.unwrap().collect::<String>());
    // Each of them said something of it.
    assert!(said.matches("••••").count() > 20, "{said}");
}

/// Whoever may ask for parts of a text finds it out, letter by letter.
#[test]
fn a_masked_text_is_not_found_by_its_parts() {
    let live = open();
    let user = field(&live, "User");
    live.ok(&format!("input {user} --secret pw"));
    live.ok("wait --text 'You wrote' --timeout 5");
    assert!(live.ok("find 'You wrote'").contains("You wrote ••••"));
    for line in [
        "find 'hunt…'",
        "find 'You wrote hunt…'",
        "find --role textbox 'hunt…'",
        "wait --text 'hunt…' --timeout 0.3",
        "wait --text 'You wrote hunt…' --timeout 0.3",
        "hover --role text --name 'You wrote hunt…'",
    ] {
        let said = live.problem(line);
        assert!(said.starts_with("error[not_found]") || said.starts_with("error[timeout]"), "{line}: {said}");
    }
    for line in [format!("click {user} --expect 'hunt…'"), "keys End --expect 'hunt…'".into()] {
        let said = live.not(&line);
        assert!(said.contains("contradicted") && !said.contains("its row says"), "{line}: {said}");
    }
    live.ok(&format!("open {}", live.site.at("/talks")));
    live.ok("network block '*text=hunt*'");
    let user = field(&live, "User");
    live.ok(&format!("input {user} --secret pw"));
    live.ok("click --css #go");
    // A request that is blocked would end it.
    live.ok("wait --text 'All told' --timeout 10");
    live.ok("wait --url '/talks?q=' --timeout 5");
    live.ok("wait --response '/q?text=' --timeout 5");
    for line in [
        "wait --url '?q=hunt' --timeout 0.3",
        "wait --url '*=hunt*' --timeout 0.3",
        "wait --response '?text=hunt' --timeout 0.3",
    ] {
        let said = live.problem(line);
        assert!(said.starts_with("error[timeout]"), "{line}: {said}");
    }
}

/// Whoever writes all of it knows it.
#[test]
fn a_request_is_blocked_by_a_whole_secret_in_its_address() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --secret pw=hunter22", live.site.at("/talks")));
    let rules = live.ok("network block '/q?text=hunter22'");
    // It comes back as it was written, then and later.
    assert!(rules.contains("hunter22") && live.ok("network rules").contains("hunter22"), "{rules}");
    live.ok(&format!("input {} --secret pw", field(&live, "User")));
    live.ok("click --css #go");
    let limit = std::time::Duration::from_secs(10);
    let list = || live.ok("network list --all --failed");
    assert!(home::eventually(limit, || list().contains("net::ERR_BLOCKED_BY_CLIENT")), "{}", live.ok("state"));
    assert!(list().contains("/q?text=••••") && !list().contains("hunter"), "{}", list());
    assert_eq!(live.ok("get text --css #done"), "Waiting");
}

/// Keys go to whatever has the focus when they come, whoever took it.
#[test]
fn a_frame_that_takes_the_focus_gets_nothing_of_a_secret() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --secret pw=hunter22", live.site.at("/steals")));
    let (user, rich) = (live.number("#u"), live.number("#rich"));
    // One into each of the two.
    for round in 0..trials(2, 6) {
        let target = if round.is_multiple_of(2) { user } else { rich };
        let line = format!("input {target} --secret pw --expect-any");
        let ran = live.run(&line);
        assert_eq!(ran.status, Some(0), "{round}: {ran:?}");
    }
    assert_eq!(live.ok("get text --css #stolen"), "Nothing");
    for target in [user, rich] {
        assert_eq!(live.ok(&format!("get value {target}")), "••••");
    }
}

/// By what is masked of a caller's own words a secret would be found out: a guess comes back as it was written, right or wrong.
#[test]
fn a_guess_is_told_nothing_whether_it_is_right_or_wrong() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --secret pw=hunter22", live.site.at("/")));
    live.ok(&format!("input {} --secret pw", field(&live, "User")));
    live.ok("wait --text 'You wrote' --timeout 5");
    let mut sample = Sample::one_in(3);
    for (right, wrong) in [("hunt…", "abcd…"), ("hunter22", "abcdef22"), ("0000 hunter22 x", "0000 abcdef22 x")] {
        for line in [
            "find 'GUESS'",
            "click --role button --name 'GUESS'",
            "wait --text 'GUESS' --timeout 0.1",
            "wait --url 'GUESS' --timeout 0.1",
        ] {
            if !sample.takes() {
                continue;
            }
            let said = |guess: &str| live.problem(&line.replace("GUESS", guess));
            let (told, untold) = (said(right), said(wrong));
            assert!(told.contains(right), "{line}: {told}");
            assert_eq!(told.replace(right, "GUESS"), untold.replace(wrong, "GUESS"), "{line}");
        }
    }
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
