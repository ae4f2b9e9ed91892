//! What both captures, by the page's script and by the browser's accessibility tree, must say alike: the same pages, the
//! same lines.

use crate::stage::{self, Stage, delivered, list, page};
use handeye_scene::{Capture, NativeId, Node, NodeKind, State, Via, Want};
use std::fmt::Write;

/// Targets and frames of a capture: role, name, value, states, by document.
fn targets(capture: &Capture) -> String {
    let mut out = String::new();
    for node in capture.nodes.iter().filter(|n| matches!(n.kind, NodeKind::Operable | NodeKind::Frame)) {
        let place = capture.documents.iter().position(|d| d.id == node.document).unwrap();
        let _ = write!(out, "{place} {} {:?}", node.role, node.name);
        if let Some(value) = node.value.as_ref().filter(|v| !v.is_empty()) {
            let _ = write!(out, " = {value:?}");
        }
        // Whether a field opens something shows by its role.
        for state in node.states.iter().filter(|s| !matches!(s, State::Haspopup | State::Multiple)) {
            let _ = write!(out, " {}", state.word());
        }
        out.push('\n');
    }
    out
}

async fn look(stage: &mut Stage, via: Via) -> Capture {
    stage.surface.capture(Want { via, ..Want::default() }).await.unwrap()
}

/// Shows a page and tells where either capture differs from the lines it should give; the elements must be the same ones,
/// in the same places.
async fn differences(stage: &mut Stage, body: &str, wanted: &str) -> String {
    stage.show(body).await;
    let wanted: String = wanted
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(|l| format!("{l}\n").replace("COLOUR", "#000000"))
        .collect();
    let mut out = String::new();
    let mut seen = Vec::new();
    for via in [Via::Script, Via::Ax] {
        let capture = look(stage, via).await;
        let told = targets(&capture);
        if told != wanted {
            let _ = writeln!(out, "by {via:?}, of {body}\nwanted:\n{wanted}told:\n{told}all:\n{}", list(&capture));
        }
        let is_target = |n: &&Node| matches!(n.kind, NodeKind::Operable | NodeKind::Frame);
        let who: Vec<(Option<NativeId>, String)> =
            capture.nodes.iter().filter(is_target).map(|n| (n.id, format!("{:?}", n.rect))).collect();
        seen.push((who, capture.documents, capture.url, capture.title, capture.viewport));
    }
    if out.is_empty() && seen[0] != seen[1] {
        let _ = writeln!(out, "of {body}\nby the script: {:?}\nby the tree: {:?}", seen[0], seen[1]);
    }
    out
}

/// Pages and what both captures must say of them.
const PAGES: &[(&str, &str)] = &[
    (
        "<a href=/x>Link</a> <button>Button</button> <button disabled>Off</button> <div role=button tabindex=0>Role</div>",
        r#"0 link "Link"
           0 button "Button"
           0 button "Off" disabled
           0 button "Role""#,
    ),
    (
        "<label>Name <input value=Ann required></label> <input type=search placeholder=Search>
         <textarea aria-label=Note readonly>a b</textarea> <input type=password aria-label=Secret value=hunter2hunter2>
         <input type=number aria-label=Count value=3> <input type=date aria-label=Day value=2026-01-02>",
        r#"0 textbox "Name" = "Ann" required
           0 searchbox "Search"
           0 textbox "Note" = "a b" readonly
           0 textbox "Secret" = "••••••••"
           0 spinbutton "Count" = "3"
           0 textbox "Day" = "2026-01-02""#,
    ),
    (
        "<label><input type=checkbox checked> One</label> <label><input type=radio name=r> Two</label>
         <div role=switch aria-checked=true tabindex=0>Three</div> <div role=checkbox aria-checked=mixed tabindex=0>Four</div>
         <button aria-pressed=true>Five</button>",
        r#"0 checkbox "One" checked
           0 radio "Two"
           0 switch "Three" checked
           0 checkbox "Four" mixed
           0 button "Five" pressed"#,
    ),
    (
        "<label>Fruit <select><option>Apple<option selected>Pear</select></label>
         <button aria-expanded=false aria-haspopup=menu>Menu</button> <details><summary>More</summary>x</details>
         <details open><summary>Less</summary>y</details> <input aria-label=City role=combobox aria-expanded=true>",
        r#"0 combobox "Fruit" = "Pear"
           0 button "Menu" collapsed
           0 button "More" collapsed
           0 button "Less" expanded
           0 combobox "City" expanded"#,
    ),
    (
        "<div role=tablist><div role=tab aria-selected=true tabindex=0>A</div><div role=tab tabindex=-1>B</div></div>
         <ul role=listbox aria-label=L tabindex=0><li role=option aria-selected=true>X</ul>
         <div role=slider tabindex=0 aria-label=Vol aria-valuenow=4 aria-valuetext=Low></div>
         <ul role=menu><li role=menuitem tabindex=-1>Cut</ul> <div role=tree><div role=treeitem tabindex=0 aria-expanded=true>T</div></div>",
        r#"0 tab "A" selected
           0 tab "B"
           0 option "X" selected
           0 menuitem "Cut"
           0 treeitem "T" expanded"#,
    ),
    (
        "<input type=range min=0 max=10 value=3 aria-label=Speed> <input type=color aria-label=Ink>
         <input type=submit> <input type=reset value=Clear> <input type=image alt=Go src=x width=20 height=20>
         <input type=file aria-label=Files>",
        r#"0 slider "Speed" = "3"
           0 button "Ink" = "COLOUR"
           0 button "Submit"
           0 button "Clear"
           0 button "Go"
           0 button "Files""#,
    ),
    (
        "<button aria-labelledby='a b'>x</button><span id=a>First</span> <span id=b>second</span>
         <button title=Tip></button><button><img alt=Picture src=x></button> <a href=x aria-label='  Spaced  name '>y</a>
         <button>Two<br>lines</button> <button><span hidden>no</span>yes</button> <button>下一页 →</button>",
        r#"0 button "First second"
           0 button "Tip"
           0 button "Picture"
           0 link "Spaced name"
           0 button "Two lines"
           0 button "yes"
           0 button "下一页 →""#,
    ),
    (
        "<div contenteditable aria-label=Note>Hello <b>you</b></div>
         <fieldset disabled><legend>L</legend><input aria-label=In></fieldset>
         <a href=/y style='position:absolute;top:3000px'>Far</a>",
        r#"0 textbox "Note" = "Hello you" editable
           0 textbox "In" disabled
           0 link "Far" off-screen"#,
    ),
    (
        "<p style='height:40px'></p><button id=b>Under</button><div style='position:absolute;inset:0;background:#fff'></div>",
        r#"0 button "Under" covered"#,
    ),
    (
        "<div id=o></div><div id=c></div><script>
         for (const [id, mode] of [['o', 'open'], ['c', 'closed']]) document.getElementById(id).attachShadow({ mode }).innerHTML =
           `<button>In ${mode}</button><slot></slot>`</script>",
        r#"0 button "In open"
           0 button "In closed""#,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn both_captures_say_the_same_of_controls() {
    let mut stage = Stage::new().await;
    let mut all = String::new();
    for (body, wanted) in PAGES {
        all.push_str(&differences(&mut stage, body, wanted).await);
    }
    assert!(all.is_empty(), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_captures_reach_documents_of_every_kind() {
    let mut stage = Stage::new().await;
    stage.site.put("/leaf", page("<button>Leaf</button><input aria-label=Inner value=v>"));
    let leaf = stage.site.url("/leaf");
    stage.site.put(
        "/middle",
        page(&format!("<a href=/>Middle</a><iframe width=300 height=90 title=leaf src={leaf}></iframe>")),
    );
    let body = format!(
        "<button>Top</button><iframe width=400 height=220 title=middle src={}></iframe>
         <iframe title=same width=300 height=100 srcdoc='<button>Same</button>'></iframe>",
        stage.site.other("/middle")
    );
    // The frames are there before they are looked at.
    stage.show(&body).await;
    stage.node("button", "Leaf").await;
    stage.node("button", "Same").await;
    let (script, ax) = (look(&mut stage, Via::Script).await, look(&mut stage, Via::Ax).await);
    let wanted = "0 button \"Top\"\n0 iframe \"middle\"\n1 link \"Middle\"\n1 iframe \"leaf\"\n2 button \"Leaf\"\n2 textbox \"Inner\" = \"v\"\n0 iframe \"same\"\n3 button \"Same\"\n";
    assert_eq!(targets(&script), wanted, "{}", list(&script));
    assert_eq!(targets(&ax), wanted, "{}", list(&ax));
    assert_eq!(ax.documents, script.documents);
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_between_targets_are_read_alike() {
    let mut stage =
        Stage::on("<h1>Head</h1><p>Three things <b>to do</b> today.</p><button>Save <i>all</i></button><p>End</p>")
            .await;
    for via in [Via::Script, Via::Ax] {
        let capture = look(&mut stage, via).await;
        let said: Vec<_> = capture.nodes.iter().map(|n| (n.role.as_str(), n.name.as_str())).collect();
        let wanted =
            [("heading", "Head"), ("text", "Three things to do today."), ("button", "Save all"), ("text", "End")];
        assert_eq!(said, wanted, "{via:?}");
    }
}

/// Media controls stand in a root that no script can enter by itself.
#[tokio::test(flavor = "multi_thread")]
async fn controls_that_the_browser_draws_are_named_and_clicked() {
    const SOUND: &str = "data:audio/wav;base64,UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
    let mut stage = Stage::on(&format!(
        "<audio controls src='{SOUND}' onvolumechange='log.textContent += this.muted ? \"muted;\" : \"loud;\"'></audio><p id=log></p>"
    ))
    .await;
    let find = |c: &Capture, name: &str| c.nodes.iter().find(|n| n.name == name).and_then(|n| n.id);
    let began = std::time::Instant::now();
    let mute = loop {
        let capture = look(&mut stage, Via::Ax).await;
        match find(&capture, "mute") {
            Some(mute) => break mute,
            None => assert!(began.elapsed() < stage::LIMIT, "{}", list(&capture)),
        }
    };
    delivered(&stage.click(mute).await);
    stage.sees("muted;").await;
    let capture = look(&mut stage, Via::Ax).await;
    assert_eq!(find(&capture, "unmute"), Some(mute), "{}", list(&capture));
}
