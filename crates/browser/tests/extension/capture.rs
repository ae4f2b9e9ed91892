//! The page script, carried by the extension, sees what it sees over the protocol.

use crate::stage::Stage;
use serde_json::{Value, json};

const PAGES: &[&str] = &[
    "<h1>头</h1><p>Three things <b>to do</b>.</p><button>Save <i>all</i></button><a href=/x>下一页 →</a>",
    "<form><label>名 <input name=contains value=x></label><input type=password value=geheim aria-label=Secret>
     <select aria-label=Fruit><option>Apple<option selected>Pear</select><input type=checkbox checked aria-label=Ok>
     <textarea placeholder=More></textarea><button disabled>Send</button></form>",
    "<div id=o></div><script>document.getElementById('o').attachShadow({ mode: 'open' }).innerHTML =
       '<button>In open</button><slot></slot>'</script>
     <div onclick='1' style='cursor:pointer'>Listens</div><div role=switch aria-checked=true tabindex=0>Three</div>",
    "<ul style='height:80px;overflow:auto'><li><button>Delete</button> Anna<li><button>Delete</button> Ben<li style='margin-top:500px'><button>Delete</button> Cem</ul>
     <button style='position:absolute;top:3000px'>Far</button><button id=b>Under</button>
     <div style='position:fixed;inset:0 0 auto 0;height:400px;background:#fff'></div>",
    "<iframe title=inner width=300 height=100 srcdoc='<button>Same</button>'></iframe><table><tr><th>A<td><a href=/1>1</a></table>",
];

/// A look without what counts looks and changes.
fn plain(look: &Value) -> Value {
    let mut look: Value = serde_json::from_str(look.as_str().unwrap()).unwrap();
    for of_its_world in ["token", "version", "atStart"] {
        look.as_object_mut().unwrap().remove(of_its_world);
    }
    look
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_content_script_and_the_protocol_see_the_same() {
    same_captures(&Stage::on("").await).await;
}

pub(crate) async fn same_captures(stage: &Stage) {
    for body in PAGES {
        stage.show(body).await;
        let ask = json!({"ask": "page", "name": "capture", "args": [{"detail": true}]});
        let carried = plain(&stage.panel.eval(&format!("test.value({ask})")).await);

        let tree = stage.page.call("Page.getFrameTree", json!({})).await;
        let world = json!({"frameId": tree["frameTree"]["frame"]["id"], "worldName": "another"});
        let world = stage.page.call("Page.createIsolatedWorld", world).await;
        let at = json!({"contextId": world["executionContextId"]});
        stage.page.try_eval(&handeye_browser::script(false), at.clone()).await.unwrap();
        let over = plain(&stage.page.try_eval("handeye.capture({ detail: true })", at).await.unwrap());

        assert_eq!(carried, over, "{body}");
        assert!(carried["words"].as_array().unwrap().len() > 1, "{carried}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn only_calls_that_read_are_passed_on() {
    calls_that_read(&Stage::on("").await).await;
}

pub(crate) async fn calls_that_read(stage: &Stage) {
    stage.show("<input id=i>").await;
    let ask = json!({"ask": "page", "name": "setValue", "args": [1, "x"]});
    assert_eq!(stage.panel.eval(&format!("test.ask({ask})")).await, json!({"ok": true, "value": null}));
    assert_eq!(stage.page.eval("i.value").await, "");
}
