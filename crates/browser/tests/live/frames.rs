//! Documents inside documents: same site, another site (a process of its own), nested, transformed, closed roots.

use crate::stage::{self, Stage, delivered, list, page};
use handeye_scene::{Aim, NodeKind, Point, Query, QueryBy, State, Want};

const SHADOWS: &str = r##"<div id=open></div><div id=closed></div><div id=deep></div><p id=log></p><script>
const log = (t) => { document.querySelector("#log").textContent += t + ";"; };
const make = (id, mode) => {
  const root = document.querySelector(id).attachShadow({ mode });
  root.innerHTML = `<button>In ${id}</button>`;
  root.querySelector("button").onclick = () => log("clicked " + id);
  return root;
};
make("#open", "open");
make("#closed", "closed");
let at = document.querySelector("#deep");
for (let i = 0; i < 150; i++) { at.append(document.createElement("div")); at = at.firstChild; }
at.id = "bottom";
make("#bottom", "closed");
</script>"##;

#[tokio::test(flavor = "multi_thread")]
async fn closed_shadow_roots_are_seen_and_clicked_however_deep() {
    let mut stage = Stage::on(SHADOWS).await;
    for id in ["#open", "#closed", "#bottom"] {
        let button = stage.id("button", &format!("In {id}")).await;
        delivered(&stage.click(button).await);
        stage.sees(&format!("clicked {id}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_shadow_roots_are_seen_where_few_elements_can_have_one() {
    let mut stage = Stage::on(
        "<section id=one><button slot=a>Slotted</button></section><div id=two>not <i>shown</i></div><script>
         const make = (host, html) => { const root = host.attachShadow({ mode: 'closed' }); root.innerHTML = html; return root; };
         make(one, '<button>First</button><slot name=a></slot>');
         const inner = make(two, '<button>Second</button><p><slot></slot></p>').querySelector('p');
         make(make(inner, '<button>Third</button><div></div>').querySelector('div'), '<button>Fourth</button>');
         </script>",
    )
    .await;
    for name in ["First", "Slotted", "Second", "Third", "Fourth"] {
        stage.id("button", name).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn inline_handlers_do_not_spoil_the_world_of_the_script() {
    let mut stage = Stage::on(
        r#"<body onload="window.a = 1" onclick="window.b = 1"><div onclick="this.textContent = 'Done'">Press me</div>
        <button onclick="this.textContent = 'Yes'">No</button><input onchange="1" placeholder=P></body>"#,
    )
    .await;
    // The second look is the one after the browser was asked for listeners.
    stage.look().await;
    let capture = stage.look().await;
    assert!(capture.nodes.iter().any(|n| n.kind == NodeKind::Text && n.name == "Press me"), "{}", list(&capture));
    assert!(capture.nodes.iter().any(|n| n.role == "textbox" && n.name == "P"), "{}", list(&capture));
    let button = stage.id("button", "No").await;
    delivered(&stage.click(button).await);
    stage.sees("Yes").await;
}

async fn nested(transform: &str) -> Stage {
    let stage = Stage::new().await;
    stage
        .site
        .put("/leaf", page("<button onclick=\"parent.postMessage('leaf','*')\">Leaf</button><input aria-label=Inner>"));
    let middle = format!(
        "<p>Middle</p><iframe width=300 height=120 title=leaf src={}></iframe>
         <script>onmessage=(e)=>parent.postMessage('middle '+e.data,'*')</script>",
        stage.site.url("/leaf")
    );
    stage.site.put("/middle", page(&middle));
    let top = format!(
        "<p id=log></p><div style='height:60px'></div><iframe style='{transform}' width=400 height=220 title=middle src={}></iframe>
         <iframe title=same width=300 height=100 srcdoc='<button onclick=\"parent.log(1)\">Same</button>'></iframe>
         <script>function log(t){{document.querySelector('#log').textContent+=t+';'}} onmessage=(e)=>log(e.data)</script>",
        stage.site.other("/middle")
    );
    stage.site.put("/", page(&top));
    let mut stage = stage;
    let url = stage.site.url("/");
    stage.open(&url).await;
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_other_processes_are_part_of_the_page() {
    let mut stage = nested("").await;
    let leaf = stage.id("button", "Leaf").await;
    let capture = stage.surface.capture(Want { detail: true, ..Want::default() }).await.unwrap();
    assert_eq!(capture.documents.len(), 4, "{:?}", capture.documents);
    let node = capture.nodes.iter().find(|n| n.id == Some(leaf)).unwrap();
    assert_eq!(
        node.extra.xpath.as_deref(),
        Some("/html[1]/body[1]/iframe[1]/html[1]/body[1]/iframe[1]/html[1]/body[1]/button[1]")
    );
    let found =
        stage.surface.search(&Query { by: QueryBy::Xpath, text: node.extra.xpath.clone().unwrap() }).await.unwrap();
    assert_eq!(found, [leaf]);
    // A frame's nodes follow the frame, under it.
    let frame = node.parent.map(|p| &capture.nodes[p]).unwrap();
    assert_eq!((frame.kind, frame.name.as_str()), (NodeKind::Frame, "leaf"));
    delivered(&stage.click(leaf).await);
    stage.sees("middle leaf").await;
    let same = stage.id("button", "Same").await;
    delivered(&stage.click(same).await);
    stage.sees("1;").await;
    let probe = stage.probe(leaf).await;
    assert_eq!(stage.surface.element_at(probe.point.unwrap()).await.unwrap(), Some(leaf));
}

#[tokio::test(flavor = "multi_thread")]
async fn transformed_frames_are_hit_where_they_are() {
    let mut stage = nested("transform:rotate(20deg) scale(0.8);transform-origin:0 0;margin-left:150px").await;
    let leaf = stage.id("button", "Leaf").await;
    delivered(&stage.click(leaf).await);
    stage.sees("middle leaf").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text_goes_into_a_frame_of_another_process() {
    let mut stage = nested("").await;
    let inner = stage.id("textbox", "Inner").await;
    delivered(&stage.on_keys(inner, handeye_scene::Gesture::Replace("abc".into())).await);
    delivered(&stage.on_keys(inner, stage::typed("d中E!")).await);
    assert_eq!(stage.probe(inner).await.texts.value, "abcd中E!");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tall_frame_is_scrolled_through_its_parent() {
    let mut stage = Stage::new().await;
    stage.site.put(
        "/tall",
        page("<div style='height:2500px'></div><button onclick=\"parent.postMessage('low','*')\">Low</button>"),
    );
    let src = stage.site.other("/tall");
    stage
        .show(&format!(
            "<p id=log style='position:fixed;top:0'></p><div style='height:300px'></div><iframe width=400 height=2700 src={src}></iframe>
             <script>onmessage=(e)=>document.querySelector('#log').textContent+=e.data</script>"
        ))
        .await;
    let low = stage.node("button", "Low").await;
    assert!(low.states.has(State::Offscreen), "{low:?}");
    delivered(&stage.click(low.id.unwrap()).await);
    stage.sees("low").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cover_in_the_parent_is_named() {
    let mut stage = Stage::new().await;
    stage.site.put("/in", page("<button>Pay</button>"));
    let src = stage.site.other("/in");
    stage
        .show(&format!(
            "<iframe width=400 height=200 src={src}></iframe>
             <div role=dialog aria-label=Cookies style='position:fixed;inset:0;background:#fff8'></div>"
        ))
        .await;
    let pay = stage.id("button", "Pay").await;
    let probe = stage.surface.probe(pay, Aim { scroll: true, point: true, ..Aim::default() }).await.unwrap().unwrap();
    assert_eq!(probe.point, None);
    assert_eq!(probe.cover.map(|c| c.name).as_deref(), Some("Cookies"));
    assert_ne!(stage.surface.element_at(Point::new(50.0, 30.0)).await.unwrap(), Some(pay));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_dies_or_hangs_costs_its_own_part_only() {
    let mut stage = Stage::new().await;
    stage.site.put(
        "/hang",
        page("<button>Hung</button><script>onmessage=()=>{for(const t=Date.now();Date.now()-t<30000;);}</script>"),
    );
    let src = stage.site.other("/hang");
    stage
        .show(&format!(
            "<button onclick=\"document.querySelector('iframe').contentWindow.postMessage(1,'*')\">Hang it</button><iframe src={src}></iframe>"
        ))
        .await;
    stage.id("button", "Hung").await;
    let hang = stage.id("button", "Hang it").await;
    delivered(&stage.click(hang).await);
    let began = std::time::Instant::now();
    let capture = stage.look().await;
    assert!(capture.nodes.iter().any(|n| n.name == "Hang it"), "{}", list(&capture));
    assert!(capture.notices.iter().any(|n| n.kind == "partial"), "{:?}", capture.notices);
    assert!(began.elapsed().as_secs() < 12, "{:?}", began.elapsed());
    let began = std::time::Instant::now();
    delivered(&stage.click(hang).await);
    assert!(began.elapsed().as_secs() < 8, "{:?}", began.elapsed());
}
