//! `handeye open tab:CODE`: a person's own tab, lent by the extension, looked at and acted on as any page is.

use super::lent_stage::Lent;
use handeye_testkit::is_full;
use serde_json::{Value, json};

const SHOP: &str =
    "<button id=b onclick='window.hits = (window.hits ?? 0) + 1; b.textContent = `Bought ${hits}`'>Buy</button>
  <input id=q aria-label=Search><p id=said>ready</p>";

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_is_lent_by_a_code_and_looked_at_and_acted_on_as_any_page() {
    let stage = Lent::on(SHOP).await;
    assert!(!stage.is_attached().await, "nothing is attached before the person lends the tab");
    let code = stage.code().await;
    let opened = stage.run(&format!("open {code} --json")).await.exit(0).json();
    assert_eq!(opened["url"], format!("{}/", stage.pages.origin), "{opened}");
    let said = stage.state("lent").await;
    assert!(said.starts_with("handeye looks at and acts in “页面” (127.0.0.1:"), "{said}");
    let buy = stage.see("Buy").await;
    let receipt = stage.run(&format!("click {buy} --json")).await.exit(0).json();
    assert_eq!(receipt["verdict"], "confirmed", "{receipt}");
    assert_eq!(stage.page.eval("[window.hits, b.textContent]").await, json!([1, "Bought 1"]));
    let field = stage.see("Search").await;
    let receipt = stage.run(&format!("input {field} lamp --json")).await.exit(0).json();
    assert_eq!(receipt["verdict"], "confirmed", "{receipt}");
    assert_eq!(stage.page.eval("q.value").await, "lamp");
    let shot = stage.home.work().join("shot.png");
    stage.run(&format!("screenshot {}", shot.display())).await.exit(0);
    assert!(std::fs::read(shot).unwrap().starts_with(b"\x89PNG"));
    // It goes where an agent sends it, and stays the tab that is lent.
    let url = stage.pages.put("/more", "<button>More</button>").replace("127.0.0.1", "localhost");
    stage.run(&format!("open {url} --json")).await.exit(0);
    stage.see("More").await;
    assert_eq!(stage.page.eval("location.href").await, url.as_str());
    stage.panel.until("document.getElementById('lent-text').textContent.includes('(localhost:')").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_relabelled_in_a_lent_tab_is_not_clicked_before_the_click_or_inside_its_events() {
    let stage = Lent::lent(SHOP).await;
    let buy = stage.see("Buy").await;
    stage.page.eval("b.textContent = 'Delete all'").await;
    let refused = stage.run(&format!("click {buy} --json")).await.exit(1).json();
    assert_eq!(refused["verdict"], "contradicted", "{refused}");
    // The first and the last of them stand for those between.
    let all = ["pointerdown", "mousedown", "mouseup", "click"];
    for event in all.into_iter().step_by(if is_full() { 1 } else { 3 }) {
        let reset = format!(
            "b.textContent = 'Buy'; window.hits = 0; globalThis.off?.();
             {{ const relabel = () => {{ b.textContent = 'Delete all'; }};
                addEventListener('{event}', relabel, true); globalThis.off = () => removeEventListener('{event}', relabel, true); }}"
        );
        stage.page.eval(&reset).await;
        let buy = stage.see("Buy").await;
        let refused = stage.run(&format!("click {buy} --json")).await.exit(1).json();
        // A listener on the way that relabels it at the click itself may have done what the click is for.
        let verdict = if event == "click" { "unverifiable" } else { "contradicted" };
        assert_eq!(refused["verdict"], verdict, "{event}: {refused}");
        assert_eq!(stage.page.eval("window.hits").await, 0, "{event}");
    }
    // The same without the ambush is clicked.
    stage.page.eval("b.textContent = 'Buy'; window.hits = 0; globalThis.off()").await;
    let buy = stage.see("Buy").await;
    stage.run(&format!("click {buy} --json")).await.exit(0);
    assert_eq!(stage.page.eval("window.hits").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_of_another_origin_in_a_lent_tab_is_seen_acted_on_and_guarded() {
    let stage = Lent::on("").await;
    let inner = "<button id=i onclick='parent.postMessage(`hit`, `*`)'>Inside</button>
      <button id=j onclick='parent.postMessage(`harm`, `*`)'>Ambush</button>
      <script>addEventListener('pointerdown', ({ target }) => { if (target.id === 'j') j.textContent = 'Delete all'; }, true)</script>";
    let url = stage.pages.put("/inner", inner).replace("127.0.0.1", "localhost");
    let outer = format!(
        "<script>window.heard = []; onmessage = ({{ data }}) => heard.push(data)</script><iframe src='{url}' width=400 height=200></iframe>"
    );
    let outer = stage.pages.put("/outer", &outer);
    stage.page.open(&outer).await;
    let code = stage.code().await;
    stage.run(&format!("open {code}")).await.exit(0);
    let ambush = stage.see("Ambush").await;
    let refused = stage.run(&format!("click {ambush} --json")).await.exit(1).json();
    assert_eq!(refused["verdict"], "contradicted", "{refused}");
    let inside = stage.see("Inside").await;
    stage.run(&format!("click {inside} --json")).await;
    stage.page.until("heard.length === 1").await;
    assert_eq!(stage.page.eval("heard").await, json!(["hit"]));
    let trees = stage.run("snapshot --json").await.exit(0).json();
    let origins: Vec<&Value> = trees["documents"].as_array().unwrap().iter().map(|d| &d["origin"]).collect();
    assert_eq!(origins.len(), 2, "{trees}");
    assert!(origins[1].as_str().unwrap().starts_with("http://localhost:"), "{origins:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_a_lent_one_opens_is_told_and_is_not_lent() {
    let stage =
        Lent::lent("<button onclick='window.open(`/new`)'>Open</button><a href='/new' target=_blank>Link</a>").await;
    let names = ["Open", "Link"];
    let names = &names[..if is_full() { 2 } else { 1 }];
    for name in names {
        // The person comes back to it.
        stage.page.call("Page.bringToFront", json!({})).await;
        let target = stage.see(name).await;
        let receipt = stage.run(&format!("click {target} --json")).await.exit(0).json();
        assert_eq!(receipt["verdict"], "confirmed", "{name}: {receipt}");
        assert!(receipt["evidence"].to_string().contains("/new"), "{name}: {receipt}");
        assert!(receipt["notices"].to_string().contains("new_tab"), "{name}: {receipt}");
        let tabs = stage.run("tabs list --json").await.exit(0).json();
        assert_eq!(tabs["tabs"].as_array().map(Vec::len), Some(1), "{name}: {tabs}");
    }
    let opened = stage.browser.targets("page").await;
    assert_eq!(opened.iter().filter(|page| page["url"].as_str().unwrap().ends_with("/new")).count(), names.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_reaches_beyond_the_lent_tab_is_refused() {
    let stage = Lent::lent(SHOP).await;
    stage.page.eval("document.cookie = 'login=secret'").await;
    for line in [
        "cookies list",
        "cookies set a b",
        "tabs new about:blank",
        "network block *.png",
        "set viewport 800x600",
        "set offline",
        "permissions grant geolocation",
        "pdf page.pdf",
    ] {
        let refused = stage.run(&format!("{line} --json")).await.exit(2);
        assert_eq!(refused.code(), "unsupported", "{line}: {}", refused.out);
        assert!(!refused.out.contains("secret"), "{line}: {}", refused.out);
    }
    for line in ["open tab:1-2 --session other --json", "open tab: --session other --json"] {
        assert_eq!(stage.run(line).await.exit(2).code(), "bad_request", "{line}");
    }
    let bounded = "open tab:20000-0123-4567-89AB-CDEF --allow-origin https://example.com --session other --json";
    assert_eq!(stage.run(bounded).await.exit(2).code(), "unsupported");
    stage.see("Buy").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_for_one_use_within_its_time_and_a_wrong_one_ends_it() {
    let stage = Lent::on(SHOP).await;
    // Nobody comes for a code that holds no more. The extension would within a second: three are enough, of the twenty
    // that it has. Each is waited for in a session of its own, all of them at once.
    let (limit, nobody) = if is_full() { ("", "unreachable") } else { ("--timeout 3", "timeout") };
    let begin = |code: &str, session: &str| stage.begin(&format!("open {code} --session {session} {limit} --json"));
    let mut waiting = Vec::new();
    let code = stage.code().await;
    stage.take_back().await;
    assert_eq!(stage.state("over").await, "The tab is yours alone again.");
    waiting.push(("taken back", begin(&code, "one")));
    let code = stage.code().await;
    let wrong = format!("{}{}", &code[..code.len() - 1], if code.ends_with('0') { '1' } else { '0' });
    assert_eq!(stage.run(&format!("open {wrong} --json")).await.exit(2).code(), "unavailable");
    assert_eq!(stage.state("over").await, "Somebody came with a wrong code: this one holds no more.");
    waiting.push(("after a wrong one", begin(&code, "two")));
    let code = stage.code().await;
    // Six minutes later.
    stage
        .panel
        .eval("{ const now = performance.now.bind(performance); performance.now = () => now() + 360_000; }")
        .await;
    assert_eq!(stage.state("over").await, "Nobody came in time: the code holds no more.");
    waiting.push(("after its time", begin(&code, "three")));
    let code = stage.code().await;
    stage.run(&format!("open {code}")).await.exit(0);
    stage.state("lent").await;
    waiting.push(("twice", begin(&code, "four")));
    for (when, waits) in waiting {
        assert_eq!(waits.await.unwrap().exit(2).code(), nobody, "{when}");
    }
    stage.see("Buy").await;
}
