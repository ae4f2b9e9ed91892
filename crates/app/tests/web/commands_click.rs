//! The pointer: click, dblclick, rightclick, hover, focus, scroll, drag, click-at, dblclick-at, rightclick-at, drag-at,
//! mouse.

use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, is_full};

const BUTTONS: &str = r#"<title>Buttons</title><body style="margin:0; font:16px/20px sans-serif">
<button id=go style="position:absolute; left:100px; top:50px; width:80px; height:40px">Go</button>
<button id=dead style="position:absolute; left:300px; top:50px; width:80px; height:40px">Dead</button>
<p id=para style="position:absolute; left:900px; top:50px">Plain</p>
<input id=field aria-label=Field style="position:absolute; left:500px; top:50px; width:80px; height:40px">
<a id=menu tabindex=0 role=button aria-haspopup=true style="position:absolute; left:700px; top:50px">Menu</a>
<div id=tip style="position:absolute; left:700px; top:100px; display:none">A tip</div>
<div style="position:absolute; left:700px; top:3000px"><button id=far>Far away</button></div>
<script>
const held = e => ['ctrl', 'shift', 'alt', 'meta'].filter(m => e[m + 'Key']).map(m => m + '+').join('');
watch('go', 'mousedown mouseup click dblclick contextmenu', e => held(e) + e.type + e.button + (e.detail > 1 ? 'x' + e.detail : '') + (e.isTrusted ? '' : '?'));
watch('far', 'click'); menu.onmouseenter = () => tip.style.display = 'block'; menu.onmouseleave = () => tip.style.display = 'none';
</script>"#;

#[test]
fn clicks_reach_the_page_as_a_person_makes_them() {
    let live = Live::open(|_| page(BUTTONS));
    let number = live.number("#go");
    let cases = [
        ("click N", "clicked", "mousedown0 mouseup0 click0"),
        ("click N --expect go", "clicked", "mousedown0 mouseup0 click0"),
        ("click N --modifiers ctrl,shift", "clicked", "ctrl+shift+mousedown0 ctrl+shift+mouseup0 ctrl+shift+click0"),
        (
            "click N --modifiers alt --modifiers meta",
            "clicked",
            "alt+meta+mousedown0 alt+meta+mouseup0 alt+meta+click0",
        ),
        ("click [N]", "clicked", "mousedown0 mouseup0 click0"),
        ("dblclick N", "double-clicked", "mousedown0 mouseup0 click0 mousedown0x2 mouseup0x2 click0x2 dblclick0x2"),
        ("rightclick N", "right-clicked", "mousedown2 contextmenu2 mouseup2"),
        ("rightclick N --modifiers shift", "right-clicked", "shift+mousedown2 shift+contextmenu2 shift+mouseup2"),
        (
            "dblclick N --modifiers alt",
            "double-clicked",
            "alt+mousedown0 alt+mouseup0 alt+click0 alt+mousedown0x2 alt+mouseup0x2 alt+click0x2 alt+dblclick0x2",
        ),
        ("click N --method invoke", "clicked", "click0?"),
        ("click N --method pointer", "clicked", "mousedown0 mouseup0 click0"),
    ];
    let mut sample = Sample::one_in(2);
    for (line, past, log) in cases {
        if !sample.takes() {
            continue;
        }
        live.says(&line.replace('N', &number.to_string()), &format!("{past} [{number}] button \"Go\": confirmed; "));
        live.logged(log);
    }
    live.settings("[click]\nmethod = \"invoke\"\n");
    live.ok(&format!("click {number}"));
    live.logged("click0?");
    live.settings("");

    // Nothing came of it, and that is said: neither confirmed nor an error.
    let said = live.not("click --css #dead");
    assert!(
        said.contains("button \"Dead\": no effect, the events reached it, and nothing was seen to change"),
        "{said}"
    );
    live.says("click --css #field", "clicked [");
    assert!(live.ok("state").contains("textbox \"Field\" focused"));
    // What is out of view is brought into view first.
    live.says("click --css #far", "clicked [");
    live.logged("click");
    assert!(live.problem("click").starts_with("error[bad_request]: no target was named"));
    assert!(live.problem("click 1 --modifiers hyper").starts_with("error[bad_request]: "));
    assert!(live.problem("click 1 --expect x --expect-any").starts_with("error[bad_request]: "));
}

#[test]
fn what_only_listens_inside_is_the_target_when_it_says_all_that_the_target_says() {
    let live = Live::open(|_| {
        page(
            "<title>Tree</title><style>li, b, span { display: block; cursor: pointer }</style><ul id=tree>
            <li id=docs><span>Docs</span><ul hidden><li>Inner</li></ul></li><li id=bin><b>Empty</b><b>Restore</b></li><li id=card><b style='width: 60%; margin: 0 20%'>Report</b></li></ul>
            <script>for (const el of document.querySelectorAll('#tree > li, span, b')) el.onclick = () => log(el.id || el.textContent);</script>",
        )
    });
    live.says("click --css '#docs' --method pointer", "clicked ");
    live.logged("Docs docs");
    // A place of its own comes first.
    live.says("click --css '#card' --method pointer", "clicked ");
    live.logged("card");
    // Of several that say different things none is the target.
    let said = live.problem("click --css '#bin' --method pointer --timeout 1");
    assert!(said.contains("it is covered by"), "{said}");
    live.logged("");
}

#[test]
fn hover_and_focus_have_their_effects() {
    let live = Live::open(|_| page(BUTTONS));
    let said = live.ok("hover --css #menu");
    assert!(said.starts_with("hovered [1] button \"Menu\": confirmed; "), "{said}");
    assert!(said.contains("the pointer is on it") && said.contains("+ text \"A tip\""), "{said}");
    let said = live.ok("hover --css #go");
    assert!(said.contains("- text \"A tip\""), "{said}");
    live.says("focus --css #menu", "focused [1] button \"Menu\": confirmed; ");
    assert!(live.ok("state").contains("button \"Menu\" focused"), "{}", live.ok("state"));
    assert!(
        live.not("focus --css #para").contains("contradicted, "),
        "what can't take the focus is not said to have it"
    );
}

const SCROLL: &str = r#"<title>Scroll</title><body style="margin:0; width:3000px; height:4000px">
<div id=box tabindex=0 role=region aria-label=Box style="width:200px; height:200px; overflow:auto"><div style="width:900px; height:1000px">inner</div></div>
<button id=plain>Plain</button>
<script>
onscroll = () => document.body.dataset.at = scrollX + ',' + scrollY;
box.onscroll = () => box.dataset.at = box.scrollLeft + ',' + box.scrollTop;
</script>"#;

/// Frames of the page's own site, of another one, and one in which nothing scrolls, on a page that scrolls.
fn framed(path: &str) -> Answer {
    let tell = "<script>onscroll = () => parent.postMessage(name + ' ' + scrollY, '*')</script>";
    match path {
        "/tall" => page(format!("<body style='margin:0'><div style='height:2000px'>tall</div>{tell}")),
        "/short" => page(format!("<body style='margin:0'>short{tell}")),
        _ => page(
            "<title>Framed</title><body style='margin:0'><iframe id=own name=own title=Own src='/tall' height=200></iframe>
<iframe id=other name=other title=Other src='OTHER/tall' height=200></iframe><iframe id=short name=short title=Short src='/short' height=200></iframe>
<div style='height:3000px'></div><script>onscroll = () => log('page', scrollY); onmessage = e => log(e.data)</script>",
        ),
    }
}

#[test]
fn of_a_frame_the_document_inside_scrolls_and_never_the_page() {
    let live = Live::open(framed);
    for id in ["own", "other"] {
        if id == "own" && !is_full() {
            continue;
        }
        let number = live.number(&format!("#{id}"));
        let said = live.ok(&format!("scroll {number} down 600"));
        assert!(said.contains("confirmed") && said.contains("scrolled by 0,600"), "{said}");
        live.logged(&format!("{id} 600"));
        live.ok(&format!("scroll --css #{id} bottom"));
        live.logged(&format!("{id} 1800"));
        assert!(live.not(&format!("scroll {number} down")).contains("no effect"), "{id}");
        live.logged("");
    }
    assert!(live.not("scroll --css #short down").contains("no effect"));
    live.logged("");
    // However it is named, what to do instead is said so that it runs.
    let said = live.problem("click --role iframe --name Own");
    let (_, next) = said.trim_end().split_once("try: handeye ").unwrap();
    assert!(live.ok(next).contains("tall"), "{next}");
}

#[test]
fn the_page_and_parts_of_it_scroll() {
    let live = Live::open(|_| page(SCROLL));
    for (line, by, at) in [
        ("scroll", "0,600", "0,600"),
        ("scroll down 150", "0,150", "0,750"),
        ("scroll up 50.5", "0,-50", ""),
        ("scroll bottom", "", "0,3280"),
        ("scroll right 100", "100,0", "100,3280"),
        ("scroll left 40", "-40,0", "60,3280"),
        ("scroll top", "0,-3280", "60,0"),
    ] {
        let said = live.ok(line);
        assert!(said.starts_with("scrolled the page: confirmed; scrolled by ") && said.contains(by), "{line}: {said}");
        if !at.is_empty() {
            assert_eq!(live.ok("get attr --css body data-at"), at, "{line}");
        }
    }
    assert!(live.not("scroll up").contains("no effect, nothing scrolled: the page is at its end"));
    let said = live.ok("scroll --css #box down 300");
    assert!(said.contains("region \"Box\": confirmed") && said.contains("scrolled by 0,300"), "{said}");
    live.ok("scroll --css #box right 100");
    assert_eq!(live.ok("get attr --css #box data-at"), "100,300");
    live.ok("scroll --css #box bottom");
    assert!(live.not("scroll --css #box down").contains("no effect"), "the page behind it moved");
    assert_eq!(live.ok("get attr --css body data-at"), "60,0");
    for (line, wanted) in [
        ("scroll sideways", "`sideways` is no direction"),
        ("scroll down far", "`far` is no distance"),
        ("scroll down 5 5", "one argument too many"),
        ("scroll down NaN", "`NaN` is no distance"),
    ] {
        assert!(live.problem(line).contains(wanted), "{line}");
    }
}

const DRAG: &str = r#"<title>Drag</title><body style="margin:0">
<style>div { position:absolute; width:60px; height:60px; background:#ddd }</style>
<div id=knob tabindex=0 role=slider aria-label=Knob style="left:50px; top:50px"></div>
<div id=item draggable=true role=button aria-label=Item tabindex=0 style="left:50px; top:200px">item</div>
<div id=bin role=group aria-label=Bin tabindex=0 style="left:400px; top:200px; width:100px; height:100px">bin</div>
<script>
let from = null;
knob.onpointerdown = e => { from = e.button + '@' + e.clientX + ',' + e.clientY; knob.setPointerCapture(e.pointerId) };
knob.onpointermove = e => { if (from) { knob.moves = (knob.moves ?? 0) + 1; knob.style.left = e.clientX - 30 + 'px'; knob.style.top = e.clientY - 30 + 'px' } };
knob.onpointerup = e => { log('knob', from, e.clientX + ',' + e.clientY, knob.moves > 5 ? 'smooth' : 'jerky'); from = null; knob.moves = 0 };
item.ondragstart = e => { e.dataTransfer.setData('text/plain', 'cargo'); log('start') };
bin.ondragover = e => e.preventDefault();
bin.ondrop = e => { e.preventDefault(); log('drop', e.dataTransfer.getData('text/plain')); bin.textContent = 'full' };
item.ondragend = e => log('end');
knob.oncontextmenu = e => e.preventDefault();
</script>"#;

#[test]
fn things_are_dragged() {
    let live = Live::open(|_| page(DRAG));
    let bin = live.number("#bin");
    let said = live.ok("drag --css #knob --to 300,120.5");
    assert!(said.starts_with("dragged [") && said.contains("slider \"Knob\": confirmed"), "{said}");
    live.logged("knob 0@80,80 300,120.5 smooth");
    live.ok(&format!("drag --css #knob --to {bin} --duration 50"));
    live.logged("knob 0@300,120.5 450,250 smooth");
    let said = live.problem("drag --css #knob --to 5,5 --timeout 0.3");
    assert!(
        said.starts_with("error[blocked]: can't drag ") && said.contains("it is covered by [1] group \"Bin\""),
        "{said}"
    );
    live.ok("reload");
    live.ok("drag --css #knob --to 100,100 --button right");
    live.logged("knob 2@80,80 100,100 smooth");
    let bin = live.number("#bin");
    let said = live.ok(&format!("drag --css #item --to {bin}"));
    assert!(said.contains("confirmed"), "{said}");
    live.logged("start drop cargo end");
    live.says("drag-at 100 100 200 90.25", "dragged from 100,100 to 200,90.25: confirmed; hit slider \"Knob\"");
    live.logged("knob 0@100,100 200,90.25 smooth");
    live.says("drag-at 80 230 450 250 --duration 100", "dragged from 80,230");
    live.logged("start drop cargo end");
    let said = live.not("drag-at 80 230 450 250 --expect Knob");
    assert!(said.contains("contradicted, withheld: expected text \"Knob\", found \"Item\""), "{said}");
    live.logged("");
    for (line, wanted) in [
        ("drag --css #item --to 999", "error[not_found]: there is no target [999]"),
        ("drag --css #knob --to 99999,5", "error[bad_request]: 99999,5 is outside the viewport, which is 1280×720 "),
        ("drag --css #knob --to 5,-1", "error[bad_request]: 5,-1 is outside the viewport"),
        ("drag --css #item", "error[bad_request]: "),
        ("drag --css #item --to here", "error[bad_request]: "),
        ("drag-at 1 2 3", "error[bad_request]: "),
    ] {
        assert!(live.problem(line).starts_with(wanted), "{line}: {}", live.problem(line));
    }
}

#[test]
fn places_are_clicked() {
    let live = Live::open(|_| page(BUTTONS));
    let said = live.ok("click-at 140 70");
    assert!(said.starts_with("clicked at 140,70: confirmed; hit button \"Go\"; "), "{said}");
    live.logged("mousedown0 mouseup0 click0");
    live.ok("click-at 100.5 50.25 --modifiers ctrl");
    live.logged("ctrl+mousedown0 ctrl+mouseup0 ctrl+click0");
    live.ok("dblclick-at 140 70");
    live.logged("mousedown0 mouseup0 click0 mousedown0x2 mouseup0x2 click0x2 dblclick0x2");
    live.ok("rightclick-at 140 70 --expect Go");
    live.logged("mousedown2 contextmenu2 mouseup2");
    let said = live.not("click-at 140 70 --expect Stop");
    assert!(said.contains("contradicted, withheld: expected text \"Stop\", found \"Go\""), "{said}");
    assert!(live.not("click-at 340 70").contains("unverifiable"));
    // Outside of the viewport there is nothing to hit.
    for line in ["click-at -10.5 -3", "click-at 140 5000 --expect Go", "drag-at 140 70 5000 70"] {
        let said = live.problem(line);
        assert!(
            said.starts_with("error[bad_request]: ") && said.contains(" is outside the viewport, which is "),
            "{said}"
        );
    }
    live.logged("");
    assert!(live.problem("click-at 1").starts_with("error[bad_request]: "));
    assert!(live.problem("click-at 1 NaN").starts_with("error[bad_request]: "));

    // The same, step by step.
    live.ok("mouse move 140,70");
    live.ok("mouse down");
    live.logged("mousedown0");
    live.ok("mouse up");
    live.logged("mouseup0 click0");
    live.ok("mouse move 140.5 70.5");
    live.ok("mouse down --button right");
    live.ok("mouse up --button right");
    live.logged("mousedown2 contextmenu2 mouseup2");
    live.ok("mouse move -5 20");
    live.ok("mouse move 900 400");
    live.ok("mouse wheel 0 120");
    live.ok("wait --idle");
    let top = live.json("get rect --css #go")["value"][1].as_f64().unwrap();
    assert_eq!(top, 50.0 - 120.0);
    assert!(live.problem("mouse move 1").starts_with("error[bad_request]: "));
    assert!(
        live.problem("mouse").starts_with("error[bad_request]: `mouse` needs to be told what: move, down, up, wheel")
    );
}
