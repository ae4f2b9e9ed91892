//! Frames of the page's own origin, as parts of the page; those of others, left alone.

use crate::stage::Stage;
use crate::stops::covered_for;
use serde_json::json;

const INNER: &str =
    "<input id=i aria-label=内部><button id=b onclick='top.hits = (top.hits ?? 0) + 1'>框内</button><p id=w>文字</p>";

async fn show_frames(stage: &Stage) {
    stage.server.put("/inner", INNER);
    stage.server.put("/foreign", "<button>外站</button>");
    let foreign = stage.server.origin().replace("127.0.0.1", "localhost");
    stage
        .show(&format!(
            "<input id=o aria-label=外部><iframe id=f src=/inner width=400 height=200></iframe>
             <iframe hidden src=/inner></iframe><iframe src={foreign}/foreign></iframe>"
        ))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_is_in_a_frame_is_listed_and_acted_on_in_one_batch_with_the_page() {
    frames_in_a_batch(&Stage::on("").await).await;
}

pub(crate) async fn frames_in_a_batch(stage: &Stage) {
    show_frames(stage).await;
    let info = stage.info("").await;
    let descs: Vec<&str> = info["elements"].as_array().unwrap().iter().map(|e| e["desc"].as_str().unwrap()).collect();
    assert_eq!(descs, ["输入框:外部", "输入框:内部", "按钮:框内"]);
    let target = |desc: &str| json!({"elementId": stage.id(&info, desc)});
    let fill = |desc: &str, value: &str| json!({"action": "fill", "target": target(desc), "params": {"value": value}});
    let click = json!({"action": "click", "target": target("按钮:框内")});
    let result = stage.act(json!([fill("输入框:内部", "一"), fill("输入框:外部", "二"), click, {"action": "highlight", "target": {"selector": "#w"}}])).await;
    assert_eq!(
        result,
        json!({"success": true, "summary": "执行了 4 个操作，成功 4 个，失败 0 个", "results": [
            {"success": true, "message": "已填充: 一"}, {"success": true, "message": "已填充: 二"},
            {"success": true, "message": "已点击: 框内"}, {"success": true, "message": "已高亮: 文字"}]})
    );
    assert_eq!(
        stage.page.eval("[o.value, f.contentDocument.getElementById('i').value, hits]").await,
        json!(["二", "一", 1])
    );
    let more = stage.tool("request_more_elements", json!({"elementType": "button"})).await;
    assert_eq!(more["elements"].as_array().unwrap().len(), 1, "{more}");
    stage.page.eval("f.contentWindow.getSelection().selectAllChildren(f.contentDocument.getElementById('w'))").await;
    assert_eq!(stage.tool("get_selected_text", json!({})).await, json!({"success": true, "text": "文字"}));
    assert_eq!(stage.info("").await["selectedText"], "文字");
    assert_eq!(stage.tool("clear_ai_styles", json!({})).await, json!({"success": true, "message": "已清除 1 处样式"}));
    assert_eq!(stage.page.eval("f.contentDocument.getElementById('w').outerHTML").await, "<p id=\"w\">文字</p>");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_lies_over_a_frame_keeps_clicks_from_it() {
    covered_frames(&Stage::on("").await).await;
}

pub(crate) async fn covered_frames(stage: &Stage) {
    show_frames(stage).await;
    let info = stage.info("").await;
    let click = json!([{"action": "click", "target": {"elementId": stage.id(&info, "按钮:框内")}}]);
    stage
        .page
        .eval("document.body.insertAdjacentHTML('beforeend', '<div id=veil style=\"position:fixed;inset:0\"></div>')")
        .await;
    assert_eq!(Stage::failed(&stage.act(click.clone()).await), "元素被遮挡: 框内");
    stage.page.eval("veil.remove(); f.style.marginTop = '3000px'").await;
    assert_eq!(Stage::done(&stage.act(click.clone()).await), "已点击: 框内");
    assert_eq!(stage.page.eval("hits").await, 1);
    // Either document's change voids the card.
    let plan =
        json!({"actions": [click[0], {"action": "fill", "target": {"selector": "#o"}, "params": {"value": "x"}}]});
    for change in ["o.ariaLabel = '别的'", "f.contentDocument.getElementById('b').textContent = '别的'"] {
        stage.panel.eval(&format!("test.plan('page_action', {plan}).then((plan) => {{ test.kept = plan; }})")).await;
        stage.page.eval(change).await;
        assert_eq!(stage.panel.eval("test.carryOut(test.kept)").await["error"], "页面已变化，操作已取消", "{change}");
    }
    assert_eq!(stage.page.eval("[hits, o.value]").await, json!([1, ""]));
}

/// In the panel: a click on what is told of last, planned on the page as it is now.
const PLAN_LAST: &str = "(async () => {
  const channel = await test.channel();
  const { value: info } = await channel.ask({ ask: 'info', about: '' });
  const actions = [{ action: 'click', target: { elementId: info.elements.at(-1).id } }];
  const call = (await test.load('shared/tools.js')).checkCall('page_action', { actions });
  const { value: preview } = await channel.ask({ ask: 'preview', call });
  test.kept = { call, channel, preview };
  return [info.elements.length, info.elements.at(-1).desc];
})()";

/// Of so many frames not all are looked into; which of them are told of first is another matter once more have come up.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_long_step_in_one_of_many_frames_is_done_and_told_as_done() {
    let stage = Stage::on("").await;
    let only =
        "<script>for (const other of [q, s, c]) other.remove(); pay.textContent += location.search.slice(1);</script>";
    // From the step on, not yet as the page is asked what it is about.
    // Where frames are slow two of the four waits for a place that keeps still end at once, and the other two take 0.5 s each.
    let covered = covered_for(1_020).replace("if (window.begun", "if (!top.isPlanned || window.begun");
    stage.server.put("/inner", &format!("{covered}{only}"));
    let frames = (0..25).map(|n| format!("<iframe src=/inner?{n} width=150 height=80></iframe>"));
    stage.show(&frames.collect::<String>()).await;
    let planned = stage.panel.eval(PLAN_LAST).await;
    assert_eq!(planned[0], 20, "{planned}");
    let more = "window.isPlanned = true; for (let n = 0; n < 25; n++) document.body.append(Object.assign(document.createElement('iframe'), { hidden: true }))";
    stage.page.eval(more).await;
    let took = "(async () => { const since = performance.now(); return [await test.carryOut(test.kept), performance.now() - since]; })()";
    let came = stage.panel.eval(took).await;
    assert!(came[1].as_f64().is_some_and(|took| took > 1_000.0), "{planned} {came}");
    assert!(Stage::done(&came[0]).starts_with("已点击: 付款"), "{planned} {came}");
    assert_eq!(
        stage.page.eval("Array.from({ length: 25 }, (_, n) => frames[n].paid ?? 0).reduce((a, b) => a + b)").await,
        1
    );
}
