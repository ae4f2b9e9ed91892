//! Highlights and underlines, and their end.

use crate::stage::Stage;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn styles_are_taken_back_to_the_letter() {
    styles(&Stage::on("").await).await;
}

pub(crate) async fn styles(stage: &Stage) {
    stage.show(
        "<p id=w>选中<b>这些</b>文字</p><button id=a>甲</button><button id=b style='color:RED;;background-color: blue!important'>乙</button>
         <button id=c style='color:red'>丙</button>",
    )
    .await;
    let before = stage.page.eval("document.documentElement.outerHTML").await;
    let result = stage
        .act(json!([
            {"action": "highlight", "target": {"selector": "#a"}, "params": {"color": "#00ff00"}},
            {"action": "highlight", "target": {"selector": "#b"}},
            {"action": "underline", "target": {"selector": "#b"}},
            {"action": "highlight", "target": {"selector": "#b"}, "params": {"color": "red"}},
        ]))
        .await;
    assert_eq!(
        result,
        json!({"success": true, "summary": "执行了 4 个操作，成功 4 个，失败 0 个", "results": [
            {"success": true, "message": "已高亮: 甲"}, {"success": true, "message": "已高亮: 乙"},
            {"success": true, "message": "已添加下划线: 乙"}, {"success": true, "message": "已高亮: 乙"},
        ]})
    );
    let looks = "[a, b].map(e => getComputedStyle(e).backgroundColor).concat(getComputedStyle(b).textDecorationLine)";
    assert_eq!(stage.page.eval(looks).await, json!(["rgb(0, 255, 0)", "rgb(255, 0, 0)", "underline"]));

    stage.page.eval("getSelection().selectAllChildren(w)").await;
    for (action, message) in [("highlight", "已高亮: 选中文字"), ("underline", "已添加下划线: 选中文字")]
    {
        let result = stage.act(json!([{"action": action, "target": {}, "params": {"color": "#ffeb3b"}}])).await;
        assert_eq!(Stage::done(&result), message);
    }
    assert_eq!(stage.page.eval("[CSS.highlights.size, document.adoptedStyleSheets.length]").await, json!([2, 2]));
    assert_eq!(stage.page.eval("w.outerHTML").await, "<p id=\"w\">选中<b>这些</b>文字</p>");

    let cleared = stage.tool("clear_ai_styles", json!({})).await;
    assert_eq!(cleared, json!({"success": true, "message": "已清除 4 处样式"}));
    assert_eq!(stage.page.eval("document.documentElement.outerHTML").await, before);
    assert_eq!(stage.page.eval("[CSS.highlights.size, document.adoptedStyleSheets.length]").await, json!([0, 0]));

    // What the page sets in between is the page's.
    let mark = json!([{"action": "highlight", "target": {"selector": "#c"}}]);
    stage.act(mark.clone()).await;
    stage.page.eval("c.style.width = '90px'").await;
    stage.tool("clear_ai_styles", json!({})).await;
    assert_eq!(stage.page.eval("c.getAttribute('style')").await, "color: red; width: 90px;");
    stage.act(mark).await;
    stage.page.eval("c.style.backgroundColor = 'green'").await;
    stage.tool("clear_ai_styles", json!({})).await;
    assert_eq!(stage.page.eval("c.getAttribute('style')").await, "color: red; width: 90px; background-color: green;");
    let bad =
        stage.act(json!([{"action": "highlight", "target": {"selector": "#c"}, "params": {"color": "nocolor"}}])).await;
    assert_eq!(Stage::failed(&bad), "颜色无效: nocolor");
    stage.page.eval("getSelection().removeAllRanges()").await;
    let none = stage.act(json!([{"action": "highlight", "target": {}}])).await;
    assert_eq!(Stage::failed(&none), "没有选中的文字");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_page_that_forbids_style_attributes_gets_its_own_back_as_it_showed() {
    forbidden_styles(&Stage::on("").await).await;
}

pub(crate) async fn forbidden_styles(stage: &Stage) {
    stage
        .show(
            "<meta http-equiv=content-security-policy content=\"style-src 'none'\"><button id=a>甲</button>
         <script>a.style.color = 'red'</script>",
        )
        .await;
    Stage::done(
        &stage
            .act(json!([{"action": "highlight", "target": {"selector": "#a"}, "params": {"color": "#00ff00"}}]))
            .await,
    );
    assert_eq!(stage.page.eval("getComputedStyle(a).backgroundColor").await, "rgb(0, 255, 0)");
    stage.tool("clear_ai_styles", json!({})).await;
    assert_eq!(
        stage.page.eval("[a.getAttribute('style'), getComputedStyle(a).color]").await,
        json!(["color: red;", "rgb(255, 0, 0)"])
    );
}
