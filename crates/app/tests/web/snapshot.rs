//! `snapshot`: the browser's trees as one outline, and the way back from its ids and XPaths to elements.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;
use std::collections::BTreeSet;

const TOP: &str = r#"<title>Top</title><main>
<h1>Documents</h1> <p>before <b>bold</b> after</p>
<button onclick="log('top')">Top button</button>
<div id=open></div><div id=closed></div>
<iframe title="Same site" width=300 height=200 src="/same"></iframe>
<iframe title="Other site" width=300 height=200 src="OTHER/other"></iframe>
<a href="/elsewhere">A link</a></main><script>
for (const mode of ['open', 'closed']) {
  const root = document.getElementById(mode).attachShadow({ mode });
  root.innerHTML = `<p>In the ${mode} root</p><section><button>Button ${mode}</button><div></div></section>`;
  root.querySelector('button').onclick = () => log(mode);
  root.querySelector('div').attachShadow({ mode }).innerHTML = `<a href="?${mode}">Link ${mode}</a>`;
}
</script>"#;

const SAME: &str = r#"<p>Same</p><button onclick="parent.eval('log(`same`)')">Same button</button>
<iframe title="Nested" width=200 height=80 src="/nested"></iframe>"#;

const OTHER: &str = r#"<p>Other</p><button onclick="log('other')">Other button</button><div id=host></div>
<iframe title="Back" width=200 height=80 src="/nested"></iframe><script>
document.getElementById('host').attachShadow({ mode: 'closed' }).innerHTML = '<button>Closed other</button>';</script>"#;

fn documents(path: &str) -> Answer {
    match path {
        "/same" => page(SAME),
        "/other" => page(OTHER),
        "/nested" => page("<label>Deep <input></label>"),
        "/rooted" => page(
            "<title>Rooted</title><button>Outside</button><div id=host></div><iframe title=Seen src=/nested></iframe><script>
             host.attachShadow({ mode: 'open' }).innerHTML =
               '<section><button>Inside</button></section><iframe title=Own src=/same></iframe><iframe title=Far src=OTHER/nested></iframe>'</script>",
        ),
        "/plain" => page("<title>Plain</title><button>Only</button>"),
        _ => page(TOP),
    }
}

/// The outline with the node numbers, which differ from run to run, replaced by `#`.
fn shape(outline: &str) -> String {
    let line = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        match line.trim_start().strip_prefix('[').and_then(|l| l.split_once(']')) {
            Some((id, rest)) => {
                let ordinal = id.split('-').next().unwrap();
                format!("{}[{ordinal}]{rest}", " ".repeat(indent))
            }
            None => line.to_owned(),
        }
    };
    outline.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What the outline says of a node.
fn said<'a>(snapshot: &'a Value, id: &str) -> &'a str {
    let start = format!("[{id}] ");
    snapshot["outline"].as_str().unwrap().lines().find_map(|l| l.trim_start().strip_prefix(start.as_str())).unwrap()
}

#[test]
fn the_trees_of_all_documents_are_one_outline() {
    let live = Live::open(documents);
    let snapshot = live.json("snapshot");
    let wanted = r#"[0] RootWebArea: Top
  [0] main
    [0] heading: Documents
    [0] paragraph
      [0] StaticText: before
      [0] StaticText: bold
      [0] StaticText: after
    [0] button: Top button
    [0] div
      [0] paragraph
        [0] StaticText: In the open root
      [0] section
        [0] button: Button open
        [0] link: Link open
    [0] div
      [0] paragraph
        [0] StaticText: In the closed root
      [0] section
        [0] button: Button closed
        [0] link: Link closed
    [0] Iframe: Same site
      [1] RootWebArea
        [1] paragraph
          [1] StaticText: Same
        [1] button: Same button
        [1] Iframe: Nested
          [2] RootWebArea
            [2] LabelText
              [2] StaticText: Deep
              [2] textbox: Deep
    [0] Iframe: Other site
      [3] RootWebArea
        [3] paragraph
          [3] StaticText: Other
        [3] button: Other button
        [3] button: Closed other
        [3] Iframe: Back
          [4] RootWebArea
            [4] LabelText
              [4] StaticText: Deep
              [4] textbox: Deep
    [0] link: A link"#;
    assert_eq!(shape(snapshot["outline"].as_str().unwrap()), wanted);
    let origins: Vec<&str> =
        snapshot["documents"].as_array().unwrap().iter().map(|d| d["origin"].as_str().unwrap()).collect();
    let (own, other) = (live.site.at(""), live.site.at("").replace("127.0.0.1", "localhost"));
    assert_eq!(origins, [&own, &own, &own, &other, &other]);
    let urls: BTreeSet<(&str, &str)> = snapshot["url_map"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(id, url)| (said(&snapshot, id), url.as_str().unwrap()))
        .collect();
    let wanted = [
        ("RootWebArea", format!("{own}/nested")),
        ("RootWebArea", format!("{own}/same")),
        ("RootWebArea", format!("{other}/nested")),
        ("RootWebArea", format!("{other}/other")),
        ("RootWebArea: Top", format!("{own}/")),
        ("link: A link", format!("{own}/elsewhere")),
        ("link: Link closed", format!("{own}/?closed")),
        ("link: Link open", format!("{own}/?open")),
    ];
    assert_eq!(urls, wanted.iter().map(|(words, url)| (*words, url.as_str())).collect());
    assert_eq!(snapshot["notices"], serde_json::json!([]));
    let text = live.ok("snapshot");
    assert!(text.contains("\ndocument 3 ") && text.contains("] button: Other button"), "{text}");
}

#[test]
fn every_xpath_and_number_leads_back_to_its_element() {
    let live = Live::open(documents);
    let snapshot = live.json("snapshot");
    let (xpaths, refs) = (snapshot["xpath_map"].as_object().unwrap(), snapshot["ref_map"].as_object().unwrap());
    let lines: Vec<&str> = snapshot["outline"].as_str().unwrap().lines().map(str::trim_start).collect();
    // Nodes that no line shows have paths, too.
    assert!(xpaths.len() > lines.len(), "{xpaths:#?}");
    for hidden in ["/html[1]/head[1]", "/html[1]/head[1]/title[1]/text()[1]"] {
        assert!(xpaths.values().any(|path| path == hidden), "{hidden}: {xpaths:#?}");
    }
    let mut sample = Sample::one_in(4);
    for line in lines {
        if !sample.takes() {
            continue;
        }
        let (id, said) = line.strip_prefix('[').unwrap().split_once("] ").unwrap();
        let xpath = xpaths[id].as_str().unwrap();
        let found = live.json(&format!("inspect --xpath {xpath}"));
        let (role, name) = said.split_once(": ").unwrap_or((said, ""));
        if let Some(number) = refs.get(id) {
            assert_eq!(&found["ref"], number, "{line} at {xpath}");
            assert_eq!(
                (found["role"].as_str().unwrap().to_lowercase(), found["name"].as_str().unwrap()),
                (role.to_lowercase(), name)
            );
        }
        let step = xpath.rsplit('/').find(|s| !s.starts_with("text()")).unwrap();
        assert_eq!(found["tag"].as_str().unwrap(), step.split('[').next().unwrap(), "{line} at {xpath}");
    }
    assert!(refs.len() >= 13, "{refs:?}");
    for (name, logged) in
        [("Top button", "top"), ("Button open", "open"), ("Button closed", "closed"), ("Same button", "same")]
    {
        let snapshot = live.json("snapshot");
        let line = snapshot["outline"].as_str().unwrap().lines().find(|l| l.ends_with(&format!(": {name}"))).unwrap();
        let id = line.trim_start().trim_start_matches('[').split(']').next().unwrap();
        live.run(&format!("click {}", snapshot["ref_map"][id]));
        live.logged(logged);
    }
}

#[test]
fn a_snapshot_can_begin_at_an_element_of_any_document() {
    let live = Live::open(documents);
    for (selector, wanted) in [
        ("main h1", "[0] heading: Documents"),
        ("//h1", "[0] heading: Documents"),
        ("xpath=/html[1]/body[1]/main[1]/p[1]/b[1]", "[0] StaticText: bold"),
        ("iframe[title=Other*] >> button", "[3] button: Other button"),
        ("iframe >> iframe >> input", "[2] textbox: Deep"),
        ("//iframe[2]//iframe/html//input", "[4] textbox: Deep"),
        ("section button", "[0] button: Button open"),
    ] {
        let selector = selector.replace("Other*", "\"Other site\"");
        let out = live.json(&format!("snapshot --focus '{selector}'"));
        assert_eq!(shape(out["outline"].as_str().unwrap()), wanted, "{selector}: {out}");
    }
    for nothing in ["video", "//video", "iframe >> video", "//iframe[9]//a", "h1 >> a"] {
        let problem = live.problem(&format!("snapshot --focus '{nothing}'"));
        assert!(problem.starts_with("error[not_found]: nothing matches"), "{nothing}: {problem}");
    }
    let problem = live.problem("snapshot --focus 'a['");
    assert!(problem.starts_with("error[bad_request]"), "{problem}");
    let problem = live.problem("snapshot --focus ' '");
    assert!(problem.starts_with("error[bad_request]"), "{problem}");
    // What is there without being rendered is in no accessibility tree.
    let problem = live.problem("snapshot --focus script");
    assert!(
        problem.starts_with("error[not_found]: the element to focus on isn't in the accessibility tree"),
        "{problem}"
    );
}

#[test]
fn shadow_roots_can_be_left_out() {
    let live = Live::open(documents);
    let snapshot = live.json("snapshot --no-pierce");
    let outline = snapshot["outline"].as_str().unwrap();
    for gone in ["Button open", "Button closed", "Link open", "In the open root", "Closed other"] {
        assert!(!outline.contains(gone), "{outline}");
    }
    for there in ["Top button", "Same button", "Other button", "textbox: Deep"] {
        assert!(outline.contains(there), "{outline}");
    }
    let paths = snapshot["xpath_map"].as_object().unwrap();
    assert!(paths.values().all(|p| !p.as_str().unwrap().contains("#shadow")), "{paths:?}");
    let own = live.json("snapshot --no-pierce --focus 'main > button'");
    assert_eq!(shape(own["outline"].as_str().unwrap()), "[0] button: Top button");
}

#[test]
fn what_is_left_out_with_the_shadow_roots_can_not_be_begun_at() {
    let live = Live::open(documents);
    for selector in ["section button", "a[href*=open]", "xpath=/html[1]/body[1]/main[1]/div[1]/#shadow/section[1]"] {
        live.ok(&format!("snapshot --focus '{selector}'"));
        let problem = live.problem(&format!("snapshot --no-pierce --focus '{selector}'"));
        assert!(
            problem.starts_with("error[not_found]: the element to focus on stands in a shadow root"),
            "{selector}: {problem}"
        );
    }
    // Documents that are not in a root stay, and so does what is in them.
    let inner = live.json("snapshot --no-pierce --focus 'iframe >> iframe >> input'");
    assert_eq!(shape(inner["outline"].as_str().unwrap()), "[2] textbox: Deep");
    let problem = live.problem("snapshot --no-pierce --focus video");
    assert!(problem.starts_with("error[not_found]: nothing matches"), "{problem}");
    live.ok(&format!("open {}", live.site.at("/rooted")));
    for selector in
        ["iframe[title=Own] >> button", "iframe[title=Own] >> iframe >> input", "iframe[title=Far] >> input"]
    {
        live.ok(&format!("snapshot --focus '{selector}'"));
        let problem = live.problem(&format!("snapshot --no-pierce --focus '{selector}'"));
        assert!(problem.contains("error[not_found]") && problem.contains("in a shadow root"), "{selector}: {problem}");
    }
    let snapshot = live.json("snapshot --no-pierce");
    let outline = shape(snapshot["outline"].as_str().unwrap());
    assert!(outline.contains("button: Outside") && outline.contains("Iframe: Seen"), "{outline}");
    assert_eq!(outline.matches("textbox: Deep").count(), 1, "{outline}");
    assert!(!outline.contains("Same button") && !outline.contains("Inside"), "{outline}");
    assert_eq!(snapshot["notices"], serde_json::json!([]));
}

/// So deep that the browser refuses to describe the page as a whole.
#[test]
fn a_very_deep_page_is_put_together_from_parts() {
    let live = Live::open(|_| {
        page(
            "<body><script>
             let at = document.body;
             for (let i = 0; i < 400; i++) { const d = document.createElement(i % 2 ? 'div' : 'section'); at.append(d); at = d }
             at.innerHTML = '<button>Deepest</button>';
             at.append(document.createElement('p'));
             at.lastChild.attachShadow({ mode: 'open' }).innerHTML = '<a href=x>Rooted</a>';
             </script></body>",
        )
    });
    let snapshot = live.json("snapshot");
    assert_eq!(snapshot["notices"], serde_json::json!([]));
    let outline = snapshot["outline"].as_str().unwrap();
    for name in ["button: Deepest", "link: Rooted"] {
        let line = outline.lines().find(|l| l.ends_with(name)).unwrap_or_else(|| panic!("no {name} in {outline}"));
        let id = line.trim_start().trim_start_matches('[').split(']').next().unwrap();
        let found = live.json(&format!("inspect --xpath {}", snapshot["xpath_map"][id].as_str().unwrap()));
        assert_eq!(found["ref"], snapshot["ref_map"][id]);
    }
}

const CONTROLS: &str = r#"<title>Controls</title><label>Name <input value=Ann></label>
<button onclick="log('saved')">Save</button><div onclick="log('div')">Plain <b>div</b></div>
<iframe title=In srcdoc="<button onclick='parent.eval(`log(1)`)'>Inner</button>" width=200 height=60></iframe>"#;

#[test]
fn numbers_are_the_same_by_either_way_of_looking() {
    let live = Live::open(|_| page(CONTROLS));
    let by_tree = live.json("state --via ax");
    let by_script = live.json("state");
    let targets = |state: &Value| -> Vec<Value> {
        let told = |t: &Value| serde_json::json!([t["ref"], t["role"], t["name"], t["value"], t["xpath"], t["rect"]]);
        state["targets"].as_array().unwrap().iter().map(told).collect()
    };
    assert_eq!(targets(&by_tree), targets(&by_script));
    for (name, logged) in [("Save", "saved"), ("Inner", "1")] {
        let found = live.json(&format!("find --name {name} --via ax"));
        live.run(&format!("click {}", found["targets"][0]["ref"]));
        live.logged(logged);
    }
    let number = live.number("input");
    let inspected = live.json(&format!("inspect {number} --via ax"));
    assert_eq!(
        (&inspected["role"], &inspected["name"], &inspected["texts"]["value"]),
        (&"textbox".into(), &"Name".into(), &"Ann".into())
    );
    let state = live.ok(&format!("state --via ax --within {number}"));
    assert!(state.ends_with(&format!("\n[{number}] textbox \"Name\" value=\"Ann\"")), "{state}");
    let problem = live.problem("state --via eyes");
    assert!(problem.contains("`eyes` is no way to look"), "{problem}");
}

#[test]
fn the_outline_comes_in_pages_and_descriptions_stand_in_it() {
    let live = Live::open(|_| {
        page(
            "<title>Long</title><button aria-description='opens a menu'>More</button><script>for (let i = 0; i < 300; i++) document.write(`<p>Line number ${i}</p>`)</script>",
        )
    });
    let all = live.json("snapshot");
    assert_eq!(all["description_map"].as_object().unwrap().values().collect::<Vec<_>>(), ["opens a menu"]);
    assert!(all["page"].is_null() && all["outline"].as_str().unwrap().contains("Line number 299"));
    let first = live.ok("snapshot");
    assert!(first.contains("button: More (opens a menu)") && first.len() < 8_000, "{}", first.len());
    assert!(first.ends_with("\n  try: handeye snapshot --page 2"), "{first}");
    let of = live.json("snapshot --page 2")["page"]["of"].as_u64().unwrap();
    let pages: Vec<String> = (1..=of).map(|n| live.ok(&format!("snapshot --page {n}"))).collect();
    for line in [0, 150, 299].map(|i| format!("StaticText: Line number {i}\n")) {
        assert_eq!(pages.iter().filter(|page| format!("{page}\n").contains(&line)).count(), 1, "{line}");
    }
    assert!(live.ok("snapshot --budget none").contains("Line number 299"));
    assert!(live.problem(&format!("snapshot --page {}", of + 1)).starts_with("error[bad_request]: "));
}
