//! `handeye token pair`: a code that the panel's settings exchange for a token.

use super::panel_stage::{Stage, actions};
use super::serving::{Server, home};
use handeye_chat::store::{Store, verify_audit};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};

const PATH: &str = "/api/v1/pair";

fn pair(server: &Server, code: &str) -> (u16, Value) {
    let (status, body) = server.post(PATH, None, &json!({"code": code}).to_string()).unwrap();
    (status, serde_json::from_str(&body).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_gives_one_token_and_wrong_ones_are_refused_counted_and_noted() {
    let model = ModelServer::new(|_: &Asked| Answer::Say("ok".into()));
    let home = home(&model, "http://127.0.0.1:9/");
    let server = Server::start(&home, &[]);
    let code = || home.run("token pair ann --json").exit(0).json()["code"].as_str().unwrap().to_owned();
    let first = code();
    assert!(first.len() == 9 && first.as_bytes()[4] == b'-', "{first}");
    let (status, paired) = pair(&server, &first.to_lowercase());
    assert_eq!((status, paired["user"].as_str()), (200, Some("ann")), "{paired}");
    assert_eq!(paired["agents"], json!(["default"]), "{paired}");
    let token = paired["token"].as_str().unwrap();
    server.ask(token, "GET /api/v1/conversations");
    let listed = home.run("token list --json").exit(0).json();
    assert_eq!(listed.as_array().unwrap().len(), 1, "a code is no token: {listed}");
    assert_eq!(listed[0]["id"], paired["id"]);
    // What isn't a code, a wrong one, one that was used, a code taken for a token: nothing tells them apart.
    let waiting = code();
    for wrong in [first.as_str(), "0000-0000", "x", &"0".repeat(40), token] {
        let (status, said) = pair(&server, wrong);
        assert_eq!((status, said["error"]["code"].as_str()), (401, Some("unauthorized")), "{wrong}: {said}");
    }
    assert_eq!(server.chat(Some(&waiting), &json!({})).unwrap().0, 401);
    for (body, status) in [("", 400), ("[]", 400), ("{}", 422), ("{\"code\": 1}", 422)] {
        assert_eq!(server.post(PATH, None, body).unwrap().0, status, "{body}");
    }
    // Ten in a minute, of everybody: even the right one comes too soon then.
    let (status, said) = pair(&server, &waiting);
    assert_eq!((status, said["error"]["code"].as_str()), (429, Some("rate_limited")), "{said}");
    assert!(said["error"]["retry_after"].as_u64().is_some_and(|seconds| (1..=6).contains(&seconds)), "{said}");
    drop(server);
    let file = home.path().join(".local/share/handeye/chat/chat.db");
    let store = Store::open(&format!("sqlite://{}", file.display())).await.unwrap();
    let log = store.audit_log().await.unwrap();
    let count = |event: &str| log.iter().filter(|entry| entry.event == event).count();
    assert_eq!((count("pairing_created"), count("paired")), (2, 1));
    assert!(count("refused") >= 5, "{log:?}");
    assert_eq!(verify_audit(&log), None);
    let all = format!("{log:?}");
    assert!(!all.contains(&waiting) && !all.contains(token), "{all}");
    assert!(store.pairings().exchange(&waiting).await.unwrap().is_some());
    assert!(store.pairings().exchange(&waiting).await.unwrap().is_none());
    home.run("token pair").exit(2);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn the_panel_exchanges_a_code_for_its_token() {
    let stage = Stage::on("<button>b</button>", |_: &Asked| actions(json!([]))).await;
    stage.panel.click("#open-settings").await;
    stage
        .panel
        .eval("document.getElementById('token').value = ''; document.getElementById('agent').value = 'nobody'")
        .await;
    stage.panel.click("#pairing").await;
    stage.panel.insert("0000-0000").await;
    stage.panel.click("#settings button[type=submit]").await;
    stage.panel.until("document.getElementById('settings-problem').textContent.includes('HTTP 401')").await;
    let kept = "chrome.storage.local.get('settings').then(({ settings }) => settings.token)";
    assert_eq!(stage.panel.eval(kept).await, stage.token.as_str(), "a code that isn't taken changes nothing");
    let code = stage.home.run("token pair ann --json").exit(0).json()["code"].as_str().unwrap().to_owned();
    stage.panel.eval("document.getElementById('pairing').value = ''").await;
    stage.panel.click("#pairing").await;
    stage.panel.insert(&code).await;
    stage.panel.click("#settings button[type=submit]").await;
    stage.panel.until("!document.getElementById('chat').hidden").await;
    let token = stage.panel.eval(kept).await;
    assert!(token.as_str().unwrap().starts_with("he_") && token != stage.token.as_str(), "{token}");
    assert_eq!(stage.panel.eval("document.getElementById('pairing').value").await, "");
    // The server's only agent was taken in place of one that it doesn't have, and the others of a server are offered.
    let agent = "chrome.storage.local.get('settings').then(({ settings }) => settings.agent)";
    assert_eq!(stage.panel.eval(agent).await, "default", "in place of `nobody`");
    assert_eq!(
        stage.panel.eval("[...document.querySelectorAll('#agents option')].map(o => o.value)").await,
        json!(["default"])
    );
    stage.server.as_ref().unwrap().ask(token.as_str().unwrap(), "GET /api/v1/conversations");
}
