//! Ids and tickets, and what ends them.

use crate::stage::Stage;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn ids_go_stale_with_their_elements() {
    let stage = Stage::on("<button id=a>一</button><button id=b>二</button>").await;
    let info = stage.info("").await;
    let (one, two) = (stage.id(&info, "按钮:一").to_owned(), stage.id(&info, "按钮:二").to_owned());
    let click = |id: &str| json!([{"action": "click", "target": {"elementId": id}}]);
    // Another element that reads the same is another.
    stage.page.eval("a.outerHTML = a.outerHTML").await;
    assert_eq!(Stage::failed(&stage.act(click(&one)).await), "未找到目标元素");
    stage.page.eval("b.textContent = '二百'").await;
    assert_eq!(Stage::failed(&stage.act(click(&two)).await), format!("页面元素已变化: {two}"));
    assert_eq!(Stage::failed(&stage.act(click("e_1706789012_abc123")).await), "未找到目标元素");
    let again = stage.info("").await;
    assert_ne!(stage.id(&again, "按钮:一"), one);
    stage.show("<button id=a>一</button><button id=b>二</button>").await;
    assert_eq!(Stage::failed(&stage.act(click(stage.id(&again, "按钮:一"))).await), "未找到目标元素");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_is_for_one_use_and_for_what_was_shown() {
    let stage = Stage::on("<input id=i aria-label=金额 value=1><button id=b onclick='window.hit = (window.hit ?? 0) + 1'>支付 10</button>").await;
    let actions = json!({"actions": [{"action": "click", "target": {"selector": "#b"}}]});
    let stale = json!({"success": false, "error": "页面已变化，操作已取消"});
    for change in [
        "b.textContent = '支付 1000'",
        "b.outerHTML = b.outerHTML",
        "b.remove()",
        "b.parentNode.insertBefore(Object.assign(document.createElement('a'), { href: '#', id: 'n' }), b); n.append(b); n.href = 'http://localhost/'; b.role = 'link'",
    ] {
        stage.show("<input id=i aria-label=金额 value=1><button id=b onclick='window.hit = (window.hit ?? 0) + 1'>支付 10</button>").await;
        stage.panel.eval(&format!("test.plan('page_action', {actions}).then((plan) => {{ test.kept = plan; }})")).await;
        stage.page.eval(change).await;
        assert_eq!(stage.panel.eval("test.carryOut(test.kept)").await, stale, "{change}");
        assert_eq!(stage.page.eval("window.hit ?? 0").await, 0, "{change}");
    }
    stage.show("<button id=b onclick='window.hit = (window.hit ?? 0) + 1'>支付 10</button>").await;
    stage.panel.eval(&format!("test.plan('page_action', {actions}).then((plan) => {{ test.kept = plan; }})")).await;
    Stage::done(&stage.panel.eval("test.carryOut(test.kept)").await);
    assert_eq!(stage.panel.eval("test.carryOut(test.kept)").await, stale);
    assert_eq!(stage.page.eval("hit").await, 1);
    // Another document at the same address.
    stage.panel.eval(&format!("test.plan('page_action', {actions}).then((plan) => {{ test.kept = plan; }})")).await;
    stage.show("<button id=b onclick='window.hit = (window.hit ?? 0) + 1'>支付 10</button>").await;
    assert_eq!(stage.panel.eval("test.carryOut(test.kept)").await, stale);
    assert_eq!(stage.page.eval("window.hit ?? 0").await, 0);
}
