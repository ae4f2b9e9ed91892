//! Each tool and each action, with the exact strings that the server is told.

use crate::stage::Stage;
use serde_json::{Value, json};

const FORM: &str = "<h1>订单</h1><form onsubmit='event.preventDefault(); document.title = `sent ${this.q.value}`' id=f>
  <label>姓名 <input id=q name=q placeholder=请输入姓名></label>
  <label>密码 <input id=p type=password value=geheim></label>
  <label>日期 <input id=d type=date></label>
  <label>备注 <textarea id=t></textarea></label>
  <div id=r contenteditable aria-label=正文 style='min-height:20px'>旧</div>
  <label>城市 <select id=c><option value=''>请选择<option value=bj>北京<option value=sh>上海<option disabled>广州</select></label>
  <label>多选 <select id=m multiple><option>红<option>绿<option>蓝</select></label>
  <label><input id=a type=checkbox> 同意</label>
  <label><input type=radio name=z id=z1> 一</label><label><input type=radio name=z id=z2> 二</label>
  <div id=s role=switch aria-checked=false tabindex=0 onclick='this.setAttribute(`aria-checked`, this.getAttribute(`aria-checked`) !== `true`)'>夜间</div>
  <button id=b>提交</button><button type=button id=x disabled>删除</button>
</form><a href='#there'>去那里</a>";

/// One action on the element that a description begins with.
async fn on(stage: &Stage, desc: &str, action: &str, params: Value) -> Value {
    let info = stage.info("").await;
    let target = json!({"elementId": stage.id(&info, desc)});
    stage.act(json!([{"action": action, "target": target, "params": params}])).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_page_is_told_of_by_its_useful_elements() {
    elements(&Stage::on("").await).await;
}

pub(crate) async fn elements(stage: &Stage) {
    stage.show(FORM).await;
    let info = stage.info("").await;
    assert_eq!(info["title"], "页面");
    assert_eq!(info["url"], format!("{}/", stage.server.origin()));
    assert_eq!(info["selectedText"], "");
    let descs: Vec<&str> = info["elements"].as_array().unwrap().iter().map(|e| e["desc"].as_str().unwrap()).collect();
    assert_eq!(
        descs,
        [
            "输入框:姓名(placeholder:请输入姓名)",
            "输入框:密码",
            "输入框:日期",
            "输入框:备注",
            "输入框:正文(value:旧)",
            "下拉框:城市(value:请选择, options:请选择/北京/上海/广州)",
            "下拉框:多选(options:红/绿/蓝)",
            "复选框:同意(未勾选)",
            "单选框:一(未勾选)",
            "单选框:二(未勾选)",
            "开关:夜间(未勾选)",
            "按钮:提交",
            "链接:去那里",
            "按钮:删除(不可用)",
        ]
    );
    let form = regex_of_ids(&info);
    assert!(form, "{info}");
    assert!(!info.to_string().contains("geheim"));
    // The same elements keep their ids.
    assert_eq!(stage.info("").await["elements"], info["elements"]);
}

/// Whether every id is `e_<time>_<random>`.
fn regex_of_ids(info: &Value) -> bool {
    info["elements"].as_array().unwrap().iter().all(|e| {
        let parts: Vec<&str> = e["id"].as_str().unwrap().split('_').collect();
        matches!(parts.as_slice(), ["e", time, random] if time.len() == 10 && time.parse::<u64>().is_ok() && random.len() == 6)
    })
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn at_most_thirty_are_told_and_those_in_view_and_asked_for_come_first() {
    thirty(&Stage::on("").await).await;
}

pub(crate) async fn thirty(stage: &Stage) {
    let many: String = (0..200).map(|i| format!("<p><a href=/{i}>第{i}条</a></p>")).collect();
    stage
        .show(&format!("<button style='position:absolute;top:9000px'>远处</button>{many}<input aria-label=末尾>"))
        .await;
    let info = stage.info("").await;
    let descs: Vec<&str> = info["elements"].as_array().unwrap().iter().map(|e| e["desc"].as_str().unwrap()).collect();
    assert_eq!(descs.len(), 30);
    assert_eq!(descs[0], "链接:第0条");
    let asked = stage.info("请打开第150条").await;
    assert_eq!(asked["elements"][0]["desc"], "链接:第150条", "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn fields_are_filled_and_read_back() {
    fills(&Stage::on("").await).await;
}

pub(crate) async fn fills(stage: &Stage) {
    stage.show(FORM).await;
    for (desc, value, message, read, holds) in [
        ("输入框:姓名", "张三 & <b>", "已填充: 张三 & <b>", "q.value", json!("张三 & <b>")),
        ("输入框:密码", "neu", "已填充: ••••", "p.value", json!("neu")),
        ("输入框:日期", "2026-11-25", "已填充: 2026-11-25", "d.value", json!("2026-11-25")),
        ("输入框:备注", "一\n二", "已填充: 一\n二", "t.value", json!("一\n二")),
        ("输入框:正文", "新的", "已填充: 新的", "r.innerText", json!("新的")),
        ("下拉框:城市", "上海", "已选择: 上海", "c.value", json!("sh")),
    ] {
        let result = on(stage, desc, "fill", json!({"value": value})).await;
        assert_eq!(Stage::done(&result), message);
        assert_eq!(stage.page.eval(read).await, holds, "{desc}");
    }
    let result = on(stage, "输入框:日期", "fill", json!({"value": "tomorrow"})).await;
    assert_eq!(Stage::failed(&result), "填充失败: 日期 (date wants YYYY-MM-DD)");
    let result = on(stage, "按钮:提交", "fill", json!({"value": "x"})).await;
    assert_eq!(Stage::failed(&result), "元素不能填充: 提交");
    assert_eq!(stage.page.eval("[q.value, p.value, d.value]").await, json!(["张三 & <b>", "neu", "2026-11-25"]));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_value_that_the_page_changes_is_no_success() {
    changed_values(&Stage::on("").await).await;
}

pub(crate) async fn changed_values(stage: &Stage) {
    // As a framework does that owns its fields: it knows a change by the property's own setter, and puts back what it wants.
    stage.show(
        "<input id=i aria-label=Own><input id=k aria-label=Kept><script>
         const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
         let state = ''; let seen = '';
         Object.defineProperty(i, 'value', { get() { return own.get.call(this) }, set(v) { seen = v; own.set.call(this, v) } });
         i.addEventListener('input', () => { if (own.get.call(i) !== seen) { state = own.get.call(i); seen = state } });
         k.addEventListener('input', () => setTimeout(() => { k.value = 'kept' }, 20));</script>",
    )
    .await;
    let result = on(stage, "输入框:Own", "fill", json!({"value": "x"})).await;
    assert_eq!(Stage::done(&result), "已填充: x");
    assert_eq!(stage.page.eval("state").await, "x");
    let result = on(stage, "输入框:Kept", "fill", json!({"value": "x"})).await;
    assert_eq!(Stage::failed(&result), "填充后的值与要求不符: Kept (现在是 kept)");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn clicks_come_to_what_was_meant() {
    clicks(&Stage::on("").await).await;
}

pub(crate) async fn clicks(stage: &Stage) {
    stage.show(FORM).await;
    stage.page.eval("b.onclick = e => { window.seen = [e.isTrusted, e.detail, e.button, e.clientX > 0] }; window.kinds = [];
        for (const k of ['pointerdown','mousedown','pointerup','mouseup','click']) b.addEventListener(k, e => kinds.push(e.type)); 1").await;
    let result = on(stage, "按钮:提交", "click", json!({})).await;
    assert_eq!(Stage::done(&result), "已点击: 提交");
    assert_eq!(stage.page.eval("document.title").await, "sent");
    assert_eq!(stage.page.eval("seen").await, json!([false, 1, 0, true]));
    assert_eq!(stage.page.eval("kinds.join()").await, "pointerdown,mousedown,pointerup,mouseup,click");
    let result = on(stage, "按钮:删除", "click", json!({})).await;
    assert_eq!(Stage::failed(&result), "元素不可用: 删除");
    stage.page.eval("document.body.insertAdjacentHTML('beforeend', '<div id=veil style=\"position:fixed;inset:0;background:#fff\">盖住</div>')").await;
    let result = stage.act(json!([{"action": "click", "target": {"selector": "#b"}}])).await;
    assert_eq!(Stage::failed(&result), "元素被遮挡: 提交 (被 盖住 遮挡)");
    stage.page.eval("veil.remove(); addEventListener('click', e => e.stopImmediatePropagation(), true)").await;
    let result = stage.act(json!([{"action": "click", "target": {"selector": "#b", "description": "提交按钮"}}])).await;
    assert_eq!(Stage::failed(&result), "点击未送达: 提交");
    assert_eq!(stage.page.eval("kinds.filter(k => k === 'click').length").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_a_listener_above_relabels_is_not_clicked() {
    relabelled(&Stage::on("").await).await;
}

pub(crate) async fn relabelled(stage: &Stage) {
    stage
        .show(
            "<div id=d><button id=b onclick='window.hit = this.textContent'>保存</button></div>
         <script>d.addEventListener('mousedown', () => { b.textContent = '删除全部' }, true)</script>",
        )
        .await;
    let result = on(stage, "按钮:保存", "click", json!({})).await;
    assert_eq!(Stage::failed(&result), "页面元素已变化: 保存");
    assert_eq!(stage.page.eval("window.hit ?? null").await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn options_are_chosen_and_boxes_ticked() {
    choices(&Stage::on("").await).await;
}

pub(crate) async fn choices(stage: &Stage) {
    stage.show(FORM).await;
    for (desc, action, params, message, read, holds) in [
        ("下拉框:城市", "select", json!({"value": "北京"}), "已选择: 北京", "c.value", json!("bj")),
        ("下拉框:城市", "select", json!({"value": "sh"}), "已选择: 上海", "c.value", json!("sh")),
        (
            "下拉框:多选",
            "select",
            json!({"value": "红,蓝"}),
            "已选择: 红, 蓝",
            "[...m.selectedOptions].map(o => o.label).join('')",
            json!("红蓝"),
        ),
        ("复选框:同意", "check", json!({}), "已勾选: 同意", "a.checked", json!(true)),
        ("复选框:同意", "check", json!({"value": "true"}), "已勾选: 同意", "a.checked", json!(true)),
        ("复选框:同意", "check", json!({"value": "false"}), "已取消勾选: 同意", "a.checked", json!(false)),
        ("单选框:二", "check", json!({}), "已勾选: 二", "z2.checked", json!(true)),
        ("开关:夜间", "check", json!({}), "已勾选: 夜间", "s.ariaChecked", json!("true")),
    ] {
        let result = on(stage, desc, action, params).await;
        assert_eq!(Stage::done(&result), message);
        assert_eq!(stage.page.eval(read).await, holds, "{desc}");
    }
    let result = on(stage, "下拉框:城市", "select", json!({"value": "广州"})).await;
    assert_eq!(Stage::failed(&result), "选择失败: 城市 (“广州” is disabled)");
    let result = on(stage, "单选框:二", "check", json!({"value": "false"})).await;
    assert_eq!(Stage::failed(&result), "单选框不能取消勾选: 二");
    let result = on(stage, "按钮:提交", "check", json!({})).await;
    assert_eq!(Stage::failed(&result), "元素不能勾选: 提交");
    stage.page.eval("a.onclick = e => e.preventDefault()").await;
    let result = on(stage, "复选框:同意", "check", json!({})).await;
    assert_eq!(Stage::failed(&result), "勾选状态没有改变: 同意");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn the_page_and_its_parts_scroll_all_four_ways() {
    scrolls(&Stage::on("").await).await;
}

pub(crate) async fn scrolls(stage: &Stage) {
    stage.show(
        "<div id=in tabindex=0 aria-label=列表 style='height:100px;overflow:auto'><div style='height:1000px'>x</div></div>
         <div style='height:5000px'></div><button id=b>底</button>",
    )
    .await;
    let to = |direction: &str| json!([{"action": "scroll", "target": {}, "params": {"direction": direction}}]);
    for (direction, message, is_there) in [
        ("down", "已滚动: 向下", "scrollY > 300 && scrollY < innerHeight"),
        ("bottom", "已滚动: 到底部", "Math.abs(scrollY + innerHeight - document.documentElement.scrollHeight) < 2"),
        ("up", "已滚动: 向上", "scrollY + innerHeight < document.documentElement.scrollHeight - 300"),
        ("top", "已滚动: 到顶部", "scrollY === 0"),
        ("top", "已滚动: 到顶部", "scrollY === 0"),
    ] {
        assert_eq!(Stage::done(&stage.act(to(direction)).await), message);
        assert_eq!(stage.page.eval(is_there).await, true, "{direction}");
    }
    assert_eq!(Stage::failed(&stage.act(to("up")).await), "无法滚动: 已在顶部");
    for (direction, at) in [("down", "80"), ("bottom", "900"), ("up", "820"), ("top", "0")] {
        let action = json!([{"action": "scroll", "target": {"selector": "#in"}, "params": {"direction": direction}}]);
        Stage::done(&stage.act(action).await);
        assert_eq!(stage.page.eval("document.getElementById('in').scrollTop").await.to_string(), at, "{direction}");
    }
    let result = stage.act(json!([{"action": "scroll", "target": {"selector": "#b"}}])).await;
    assert_eq!(Stage::done(&result), "已滚动到: 底");
    assert_eq!(stage.page.eval("b.getBoundingClientRect().top < innerHeight").await, true);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_page_that_grows_at_its_end_is_scrolled_to_it() {
    // By so much at each scroll to its end, so often.
    for (times, is_there) in [
        (1, "Math.abs(scrollY + innerHeight - document.documentElement.scrollHeight) < 2"),
        (99, "scrollY > 3000 && scrollY + innerHeight < document.documentElement.scrollHeight - 2"),
    ] {
        let stage = Stage::on(&format!(
            "<div style='height:3000px'></div><script>
               let left = {times};
               onscroll = () => {{
                 if (scrollY + innerHeight < document.documentElement.scrollHeight - 2 || !left) return;
                 left--;
                 document.body.append(Object.assign(document.createElement('p'), {{ style: 'height:2000px' }}));
               }};
             </script>"
        ))
        .await;
        let action = json!([{"action": "scroll", "target": {}, "params": {"direction": "bottom"}}]);
        assert_eq!(Stage::done(&stage.act(action).await), "已滚动: 到底部", "{times}");
        stage.page.until("scrollY > 3000").await;
        stage.page.until(is_there).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_elements_say_is_read_but_no_password() {
    reads(&Stage::on("").await).await;
}

pub(crate) async fn reads(stage: &Stage) {
    stage.show(&format!("{FORM}<p id=w tabindex=0>余额：<b>12.50</b> 元</p>")).await;
    stage.page.eval("q.value = '李四'").await;
    let read = |css: &str| json!([{"action": "read", "target": {"selector": css}}]);
    assert_eq!(Stage::done(&stage.act(read("#q")).await), "已读取: 李四");
    assert_eq!(Stage::done(&stage.act(read("#w")).await), "已读取: 余额：12.50 元");
    assert_eq!(Stage::done(&stage.act(read("#c")).await), "已读取: 请选择");
    assert_eq!(Stage::failed(&stage.act(read("#p")).await), "不能读取敏感内容: 密码");
    let all = stage.act(json!([{"action": "read", "target": {}}])).await;
    assert!(Stage::done(&all).contains("余额：12.50 元"), "{all}");
    assert!(!all.to_string().contains("geheim"));
    stage.page.eval("p.focus(); p.select()").await;
    let selected = stage.tool("get_selected_text", json!({})).await;
    assert_eq!(selected, json!({"success": false, "error": "没有选中的文字"}));
    stage.page.eval("q.focus(); q.select()").await;
    assert_eq!(stage.tool("get_selected_text", json!({})).await, json!({"success": true, "text": "李四"}));
    stage.page.eval("document.activeElement.blur(); getSelection().selectAllChildren(w)").await;
    assert_eq!(stage.tool("get_selected_text", json!({})).await, json!({"success": true, "text": "余额：12.50 元"}));
    assert_eq!(stage.info("").await["selectedText"], "余额：12.50 元");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn more_elements_come_by_region_type_and_word() {
    more(&Stage::on("").await).await;
}

pub(crate) async fn more(stage: &Stage) {
    stage.show(
        "<header><a href=/h>首页</a><input aria-label=站内搜索></header><aside><button>折叠</button></aside>
         <main><form><label>邮箱 <input placeholder=you@example.com></label><select aria-label=国家><option>中国</select><button>注册</button></form>
         <article><header><a href=/i>文章</a></header></article></main>
         <div style='height:3000px'></div><button>更多</button><footer><a href=/f>关于</a></footer>",
    )
    .await;
    for (args, wanted) in [
        (
            json!({"region": "form"}),
            vec![
                "输入框:站内搜索",
                "输入框:邮箱(placeholder:you@example.com)",
                "下拉框:国家(value:中国, options:中国)",
                "按钮:注册",
            ],
        ),
        (json!({"region": "form", "elementType": "button"}), vec!["按钮:注册"]),
        (json!({"region": "header"}), vec!["链接:首页", "输入框:站内搜索"]),
        (json!({"region": "header", "elementType": "link"}), vec!["链接:首页"]),
        (json!({"region": "sidebar"}), vec!["按钮:折叠"]),
        (json!({"region": "footer"}), vec!["链接:关于"]),
        (json!({"region": "below_viewport"}), vec!["按钮:更多", "链接:关于"]),
        (json!({"elementType": "select"}), vec!["下拉框:国家(value:中国, options:中国)"]),
        (json!({"elementType": "input"}), vec!["输入框:站内搜索", "输入框:邮箱(placeholder:you@example.com)"]),
        (json!({"elementType": "link"}), vec!["链接:首页", "链接:文章", "链接:关于"]),
        (json!({"keyword": "邮箱"}), vec!["输入框:邮箱(placeholder:you@example.com)"]),
        (json!({"keyword": "EXAMPLE"}), vec!["输入框:邮箱(placeholder:you@example.com)"]),
        (json!({"keyword": "没有"}), vec![]),
        (json!({"elementType": "all", "keyword": "关于"}), vec!["链接:关于"]),
    ] {
        let result = stage.tool("request_more_elements", args.clone()).await;
        assert_eq!(result["success"], true);
        let descs: Vec<&str> =
            result["elements"].as_array().unwrap().iter().map(|e| e["desc"].as_str().unwrap()).collect();
        assert_eq!(descs, wanted, "{args}");
    }
    let found = stage.tool("request_more_elements", json!({"keyword": "更多"})).await;
    let id = found["elements"][0]["id"].as_str().unwrap();
    assert_eq!(
        Stage::done(&stage.act(json!([{"action": "click", "target": {"elementId": id}}])).await),
        "已点击: 更多"
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn descriptions_confirm_or_refuse() {
    descriptions(&Stage::on("").await).await;
}

pub(crate) async fn descriptions(stage: &Stage) {
    stage.show("<button id=a>登录</button><input id=i placeholder=搜索><button class=k>Pay</button><button class=k>Repay</button><a href=#x>退出登录</a><button id=h>Sign\u{2011}in</button>").await;
    for (css, description, message) in [
        ("#a", "登录", Ok("已点击: 登录")),
        ("#a", "登录按钮", Ok("已点击: 登录按钮")),
        ("#a", "按钮:登录", Ok("已点击: 按钮:登录")),
        ("#a", "“登录”按钮", Ok("已点击: “登录”按钮")),
        ("#a", "", Ok("已点击: 登录")),
        ("#a", "注册按钮", Err("元素与描述不符: 描述为 注册按钮，实际为 按钮:登录")),
        ("#a", "登录输入框", Err("元素与描述不符: 描述为 登录输入框，实际为 按钮:登录")),
        ("#i", "搜索框", Ok("已点击: 搜索框")),
        ("#i", "输入框:搜索(placeholder:搜索)", Ok("已点击: 输入框:搜索(placeholder:搜索)")),
        (".k", "Pay", Ok("已点击: Pay")),
        (".k", "the Pay button", Ok("已点击: the Pay button")),
        (".k", "", Err("选择器匹配了 2 个元素，无法确定目标: Pay, Repay")),
        ("#h", "sign-in", Ok("已点击: sign-in")),
        ("#none", "登录", Err("未找到目标元素")),
        ("#[", "登录", Err("选择器无效: #[")),
    ] {
        let result =
            stage.act(json!([{"action": "click", "target": {"selector": css, "description": description}}])).await;
        match message {
            Ok(message) => assert_eq!(Stage::done(&result), message),
            Err(message) => assert_eq!(Stage::failed(&result), message),
        }
    }
    let info = stage.info("").await;
    let target = json!({"elementId": stage.id(&info, "链接:退出登录"), "description": "注册"});
    let result = stage.act(json!([{"action": "click", "target": target}])).await;
    assert_eq!(Stage::failed(&result), "元素与描述不符: 描述为 注册，实际为 链接:退出登录");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn shadow_roots_are_entered_closed_ones_too() {
    shadows(&Stage::on("").await).await;
}

pub(crate) async fn shadows(stage: &Stage) {
    stage.show(
        "<div id=o></div><x-y id=c style=display:block></x-y><script>
         customElements.define('x-y', class extends HTMLElement {});
         const make = (host, mode, html) => { const root = host.attachShadow({ mode }); root.innerHTML = html; return root };
         make(o, 'open', '<button>开</button>');
         const outer = make(c, 'closed', '<div id=d></div><input aria-label=内>');
         make(outer.getElementById('d'), 'closed', '<button class=deep>闭</button>').querySelector('button').onclick = () => { window.hit = 1 };</script>",
    )
    .await;
    let click = json!([{"action": "click", "target": {"selector": ".deep"}}, {"action": "highlight", "target": {"selector": ".deep"}}]);
    let result = stage.act(click).await;
    assert_eq!(result["summary"], "执行了 2 个操作，成功 2 个，失败 0 个", "{result}");
    assert_eq!(stage.page.eval("hit").await, 1);
    let info = stage.info("").await;
    stage.id(&info, "按钮:开");
    stage.id(&info, "输入框:内");
    let result = stage.act(json!([{"action": "click", "target": {"elementId": stage.id(&info, "按钮:闭")}}])).await;
    assert_eq!(Stage::done(&result), "已点击: 闭");
    stage.tool("clear_ai_styles", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_batch_stops_at_its_first_failure_and_tells_what_was_done() {
    batches(&Stage::on("").await).await;
}

pub(crate) async fn batches(stage: &Stage) {
    stage.show("<input id=i aria-label=搜索><button id=b onclick='window.hit = 1'>搜索按钮</button>").await;
    let info = stage.info("").await;
    let field = stage.id(&info, "输入框:搜索");
    let fill = json!({"action": "fill", "target": {"elementId": field}, "params": {"value": "iPhone 16"}});
    let click = json!({"action": "click", "target": {"elementId": stage.id(&info, "按钮:搜索按钮")}});
    let gone = json!({"action": "click", "target": {"elementId": "e_1_gone"}});
    assert_eq!(
        stage.act(json!([fill, click])).await,
        json!({
            "success": true,
            "results": [{"success": true, "message": "已填充: iPhone 16"}, {"success": true, "message": "已点击: 搜索按钮"}],
            "summary": "执行了 2 个操作，成功 2 个，失败 0 个",
        })
    );
    stage.page.eval("window.hit = 0").await;
    assert_eq!(
        stage.act(json!([fill, gone, click])).await,
        json!({
            "success": false,
            "error": "未找到目标元素",
            "results": [{"success": true, "message": "已填充: iPhone 16"}, {"success": false, "message": "未找到目标元素"}],
            "summary": "执行了 2 个操作，成功 1 个，失败 1 个",
        })
    );
    assert_eq!(stage.page.eval("hit").await, 0);
    // What an action takes away isn't there for the next.
    stage.page.eval("b.onclick = () => i.remove()").await;
    let result = stage.act(json!([click, fill])).await;
    assert_eq!(result["error"], "未找到目标元素");
    assert_eq!(result["summary"], "执行了 2 个操作，成功 1 个，失败 1 个");
    // A page that goes away: what comes after isn't done anywhere.
    stage.page.eval("document.body.innerHTML = '<a id=l href=/next>走</a><a href=#z>留</a>'").await;
    stage.server.put("/next", "<a href=#z>留</a>");
    let result = stage.act(json!([{"action": "click", "target": {"selector": "#l"}}, {"action": "scroll", "target": {"selector": "[href='#z']"}, "params": {"direction": "top"}}])).await;
    stage.page.until("location.pathname === '/next'").await;
    assert_eq!(result["results"][0], json!({"success": true, "message": "已点击: 走"}));
}
