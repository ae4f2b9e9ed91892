//! A tab that is lent: what the extension lets through to it, and who is let in at our end. On the other side is the test itself, which
//! knows the code as handeye, or as the extension, does.

use crate::chromium::LIMIT;
use crate::looks::picture;
use crate::stage::Stage;
use futures_util::{SinkExt, StreamExt};
use handeye_browser::lent::{
    ANSWERED, Challenge, EVENTS, EXTENSION, Ended, Hello, METHODS, OUTSIDE, Offer, PATH, SESSION,
};
use handeye_scene::{Code, Launch, Opener};
use handeye_testkit::is_full;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::fmt::Write;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, accept_async, client_async};

const SHOP: &str = "<button id=b onclick='window.hit = 1'>Go</button>";

type Socket = WebSocketStream<TcpStream>;

fn proof(key: &str, side: &str, handeye: &str, extension: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
    mac.update(format!("{side} {handeye} {extension}").as_bytes());
    mac.finalize().into_bytes().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

async fn hear(socket: &mut Socket) -> Option<Value> {
    loop {
        match timeout(LIMIT, socket.next()).await.expect("it says something, or ends")? {
            Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
            Ok(Message::Close(_)) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

async fn say(socket: &mut Socket, message: &Value) {
    socket.send(Message::text(message.to_string())).await.unwrap();
}

/// A person's press on the button that lends the tab in front: the port of the code, and its key.
async fn offered(stage: &Stage) -> (u16, String) {
    stage.panel.click("#lend").await;
    stage.panel.until("document.getElementById('lent').dataset.state === 'offered'").await;
    let code = stage.panel.eval("document.getElementById('lent-code').textContent").await;
    let code = code.as_str().unwrap().strip_prefix("handeye open tab:").unwrap().to_owned();
    let (port, key) = code.split_once('-').unwrap();
    (port.parse().unwrap(), key.replace('-', ""))
}

/// As handeye does: waits for the extension, and hears its first word.
async fn met(port: u16) -> (Socket, String) {
    let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    let (stream, _) = timeout(LIMIT, listener.accept()).await.expect("the extension comes").unwrap();
    let mut socket = accept_async(stream).await.unwrap();
    let hello: Hello = serde_json::from_value(hear(&mut socket).await.unwrap()).unwrap();
    (socket, hello.nonce)
}

/// The same, up to where the protocol begins.
async fn lent(stage: &Stage) -> Socket {
    let (port, key) = offered(stage).await;
    let (mut socket, theirs) = met(port).await;
    let ours = "0123456789abcdef".repeat(2);
    say(&mut socket, &json!({"nonce": ours, "proof": proof(&key, "handeye", &ours, &theirs)})).await;
    let offer: Offer = serde_json::from_value(hear(&mut socket).await.unwrap()).unwrap();
    assert_eq!((offer.proof, offer.refused), (proof(&key, "extension", &ours, &theirs), None));
    say(&mut socket, &json!({"welcome": true})).await;
    stage.panel.until("document.getElementById('lent').dataset.state === 'lent'").await;
    socket
}

/// What a call is answered; events are passed over, but held to the list.
async fn answer(socket: &mut Socket, message: Value) -> Value {
    say(socket, &message).await;
    loop {
        let heard = hear(socket).await.expect("it answers");
        match heard["method"].as_str() {
            Some(event) => assert!(EVENTS.contains(&event), "{heard}"),
            None => {
                assert_eq!(heard["id"], message["id"]);
                return heard;
            }
        }
    }
}

async fn enter(socket: &mut Socket) {
    let targets = answer(socket, json!({"id": 1, "method": "Target.getTargets"})).await;
    let infos = targets["result"]["targetInfos"].as_array().unwrap();
    assert_eq!(infos.len(), 1, "{targets}");
    assert_eq!(infos[0]["title"], "页面");
    let params = json!({"targetId": infos[0]["targetId"], "flatten": true});
    let entered = answer(socket, json!({"id": 2, "method": "Target.attachToTarget", "params": params})).await;
    assert_eq!(entered["result"]["sessionId"], SESSION, "{entered}");
}

async fn is_attached(stage: &Stage) -> Value {
    stage.panel.eval("chrome.debugger.getTargets().then(all => all.filter(one => one.title === '页面').map(one => one.attached))").await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_on_the_list_is_not_done_whoever_asks() {
    let stage = Stage::on(SHOP).await;
    assert_eq!(stage.extension, EXTENSION);
    let mut socket = lent(&stage).await;
    picture(&stage.panel, "panel-lent.png").await;
    // Nothing goes to the tab before it was entered.
    let early =
        json!({"id": 7, "method": "Runtime.evaluate", "params": {"expression": "hit = 2"}, "sessionId": SESSION});
    assert_eq!(answer(&mut socket, early).await["error"]["code"], OUTSIDE);
    enter(&mut socket).await;
    let barred = [
        "Browser.close",
        "Browser.getWindowForTarget",
        "Browser.setDownloadBehavior",
        "Browser.setPermission",
        "Target.createTarget",
        "Target.closeTarget",
        "Target.activateTarget",
        "Target.attachToBrowserTarget",
        "Target.exposeDevToolsProtocol",
        "Target.setRemoteLocations",
        "Target.sendMessageToTarget",
        "Storage.getCookies",
        "Storage.setCookies",
        "Storage.clearDataForOrigin",
        "Storage.getStorageKeyForFrame",
        "Network.getAllCookies",
        "Network.getCookies",
        "Network.setCookie",
        "Network.deleteCookies",
        "Network.getResponseBody",
        "Network.loadNetworkResource",
        "Network.setExtraHTTPHeaders",
        "Network.emulateNetworkConditions",
        "Fetch.enable",
        "Fetch.fulfillRequest",
        "IO.read",
        "Page.setDownloadBehavior",
        "Page.printToPDF",
        "Page.close",
        "Page.addScriptToEvaluateOnLoad",
        "Page.setBypassCSP",
        "Page.crash",
        "DOM.setFileInputFiles",
        "DOM.getFileInfo",
        "Emulation.setDeviceMetricsOverride",
        "Emulation.setUserAgentOverride",
        "Emulation.setScriptExecutionDisabled",
        "Security.setIgnoreCertificateErrors",
        "Tracing.start",
        "Extensions.loadUnpacked",
        "SystemInfo.getInfo",
        "ServiceWorker.enable",
        "WebAuthn.enable",
        "CacheStorage.requestCacheNames",
        "IndexedDB.requestDatabaseNames",
        "Runtime.compileScript",
        "Debugger.setScriptSource",
        "Debugger.evaluateOnCallFrame",
        "runtime.evaluate",
        "Runtime.evaluate ",
        "Runtime",
        "constructor",
        "__proto__",
        "toString",
        "",
    ];
    let mut id = 10;
    for method in barred {
        for session in [json!(SESSION), Value::Null, json!("unknown"), json!(7)] {
            id += 1;
            let mut message = json!({"id": id, "method": method, "params": {}});
            if !session.is_null() {
                message["sessionId"] = session.clone();
            }
            let said = answer(&mut socket, message).await;
            assert_eq!(said["error"]["code"], OUTSIDE, "{method} {session}: {said}");
        }
    }
    // What is on the list isn't the browser's to answer, nor another session's; what the browser answers isn't asked of the tab.
    for method in METHODS {
        id += 1;
        let said = answer(&mut socket, json!({"id": id, "method": method, "params": {}})).await;
        assert_eq!(said["error"]["code"], OUTSIDE, "{method}: {said}");
        id += 1;
        let said = answer(&mut socket, json!({"id": id, "method": method, "params": {}, "sessionId": "unknown"})).await;
        assert_eq!(said["error"]["code"], -32001, "{method}: {said}");
    }
    for method in ANSWERED {
        id += 1;
        let said = answer(&mut socket, json!({"id": id, "method": method, "params": {}, "sessionId": SESSION})).await;
        assert_eq!(said["error"]["code"], OUTSIDE, "{method}: {said}");
    }
    // Twice isn't once, and another tab isn't this one.
    for target in [json!("other"), Value::Null, json!({})] {
        id += 1;
        let params = json!({"targetId": target});
        let said = answer(&mut socket, json!({"id": id, "method": "Target.attachToTarget", "params": params})).await;
        assert_eq!(said["error"]["code"], OUTSIDE, "{said}");
    }
    // It goes to pages, and never to those of the browser or of the extension itself.
    let own = format!("chrome-extension://{EXTENSION}/panel.html");
    for url in
        [own.as_str(), "chrome://settings", "javascript:hit = 3", "devtools://x", "view-source:about:blank", "x", ""]
    {
        id += 1;
        let said = answer(
            &mut socket,
            json!({"id": id, "method": "Page.navigate", "params": {"url": url}, "sessionId": SESSION}),
        )
        .await;
        assert_eq!(said["error"]["code"], OUTSIDE, "{url}: {said}");
    }
    for odd in ["", "null", "[]", "{", "{\"id\": \"1\", \"method\": \"Runtime.evaluate\"}", "{\"method\": 1}"] {
        socket.send(Message::text(odd)).await.unwrap();
    }
    let good =
        json!({"id": 9999, "method": "Runtime.evaluate", "params": {"expression": "6 * 7"}, "sessionId": SESSION});
    assert_eq!(answer(&mut socket, good).await["result"]["result"]["value"], 42);
    assert_eq!(stage.page.eval("window.hit ?? 0").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_know_the_code_gets_no_tab_and_the_code_holds_no_more() {
    let stage = Stage::on(SHOP).await;
    let zeros = "0".repeat(64);
    // By default what the extension says itself, and one that is none.
    let wrong = ["", "0", &zeros, "the key of another"];
    for (_, wrong) in wrong.into_iter().enumerate().filter(|(at, _)| is_full() || at % 2 == 1) {
        let (port, key) = offered(&stage).await;
        let (mut socket, theirs) = met(port).await;
        let ours = "ab".repeat(16);
        // What the extension will say itself is no proof of ours.
        let reflected = proof(&key, "extension", &ours, &theirs);
        let given = if wrong == "0" { reflected } else { wrong.to_owned() };
        say(&mut socket, &json!({"nonce": ours, "proof": given})).await;
        let end = timeout(LIMIT, socket.next()).await.unwrap();
        let Some(Ok(Message::Close(Some(frame)))) = end else { panic!("{end:?}") };
        assert_eq!(u16::from(frame.code), Ended::Mistrusted.code(), "{wrong}");
        stage.panel.until("document.getElementById('lent').dataset.state === 'over'").await;
        assert_eq!(is_attached(&stage).await, json!([true]), "the test's own client alone");
        let text = stage.panel.eval("document.getElementById('lent-text').textContent").await;
        assert_eq!(text, "Somebody came with a wrong code: this one holds no more.");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_was_at_a_page_of_the_extensions_own_is_not_lent() {
    let stage = Stage::on(SHOP).await;
    let shop = stage.page.eval("location.href").await;
    stage.page.open(&format!("chrome-extension://{EXTENSION}/panel.html")).await;
    // As a tab of its own it lends nothing, not even by a person's press.
    stage.page.until("document.body.dataset.ready === 'true'").await;
    stage.page.click("#lend").await;
    stage.page.until("document.getElementById('lent').dataset.state === 'over'").await;
    assert_eq!(stage.page.eval("document.getElementById('lent-code').textContent").await, "");
    stage.page.open(shop.as_str().unwrap()).await;
    let (port, key) = offered(&stage).await;
    let (mut socket, theirs) = met(port).await;
    let ours = "ab".repeat(16);
    say(&mut socket, &json!({"nonce": ours, "proof": proof(&key, "handeye", &ours, &theirs)})).await;
    let offer: Offer = serde_json::from_value(hear(&mut socket).await.unwrap()).unwrap();
    assert_eq!(offer.refused.as_deref(), Some("The tab was at a page of handeye’s own before."));
    stage.panel.until("document.getElementById('lent').dataset.state === 'over'").await;
    let reach = "chrome.tabs.query({ active: true, currentWindow: true }).then(([tab]) => chrome.debugger.sendCommand({ tabId: tab.id }, 'Page.enable')).then(() => 'attached', () => 'not attached')";
    assert_eq!(stage.panel.eval(reach).await, "not attached");
}

/// A request to be let in, as it would be written by somebody with these headers.
fn request(
    port: u16,
    path: &str,
    headers: &[(&str, &str)],
) -> tokio_tungstenite::tungstenite::handshake::client::Request {
    let mut request = format!("ws://127.0.0.1:{port}{path}").into_client_request().unwrap();
    for (name, value) in headers {
        let name: tokio_tungstenite::tungstenite::http::HeaderName = name.parse().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

async fn connected(port: u16) -> TcpStream {
    timeout(LIMIT, async {
        loop {
            match TcpStream::connect(("127.0.0.1", port)).await {
                Ok(stream) => return stream,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    })
    .await
    .expect("it listens")
}

/// A port that is free.
async fn free() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

const KEY: &str = "0123456789ABCDEF";

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_the_extension_that_knows_the_code_is_let_in() {
    let port = free().await;
    let folder = tempfile::tempdir().unwrap();
    let opener = handeye_browser::Chromium::new(folder.path());
    let launch = Launch { cdp: Some(format!("tab:{port}-{KEY}")), ..Launch::default() };
    let opening = tokio::spawn(async move { opener.browser(&launch).await.map(|_| ()) });
    let own = format!("chrome-extension://{EXTENSION}");
    let foreign: [(&str, Vec<(&str, &str)>); 8] = [
        (PATH, vec![]),
        (PATH, vec![("origin", "https://example.com")]),
        (PATH, vec![("origin", "null")]),
        (PATH, vec![("origin", "http://127.0.0.1")]),
        (PATH, vec![("origin", "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]),
        (PATH, vec![("origin", &own), ("host", "rebound.example")]),
        (PATH, vec![("origin", &own), ("host", "localhost")]),
        ("/other", vec![("origin", &own)]),
    ];
    for (path, headers) in foreign {
        let refused = client_async(request(port, path, &headers), connected(port).await).await;
        let Err(Error::Http(response)) = refused else { panic!("{path} {headers:?}: let in") };
        assert_eq!(response.status(), 403, "{path} {headers:?}");
    }
    let hello = json!({"nonce": "cd".repeat(16)});
    // Who says nothing holds up nobody, and gets no place for long; who says something else is sent away.
    let _silent = client_async(request(port, PATH, &[("origin", &own)]), connected(port).await).await.unwrap();
    for odd in [json!({}), json!({"nonce": "cd"}), json!({"nonce": 1}), json!({"id": 1, "method": "x", "result": {}})] {
        let (mut socket, _) =
            client_async(request(port, PATH, &[("origin", &own)]), connected(port).await).await.unwrap();
        say(&mut socket, &odd).await;
        assert_eq!(hear(&mut socket).await, None, "{odd}");
    }
    for wrong in ["", &"0".repeat(64)] {
        let (mut socket, _) =
            client_async(request(port, PATH, &[("origin", &own)]), connected(port).await).await.unwrap();
        say(&mut socket, &hello).await;
        let challenge: Challenge = serde_json::from_value(hear(&mut socket).await.unwrap()).unwrap();
        assert_eq!(challenge.proof, proof(KEY, "handeye", &challenge.nonce, &"cd".repeat(16)));
        // Its own proof handed back is none of the extension's.
        let given = if wrong.is_empty() { challenge.proof } else { wrong.to_owned() };
        say(&mut socket, &json!({"proof": given})).await;
        assert_eq!(hear(&mut socket).await, None);
    }
    assert!(!opening.is_finished());
    // The one that knows it gets in, once; then nobody listens any more.
    let (mut socket, _) = client_async(request(port, PATH, &[("origin", &own)]), connected(port).await).await.unwrap();
    say(&mut socket, &hello).await;
    let challenge: Challenge = serde_json::from_value(hear(&mut socket).await.unwrap()).unwrap();
    say(&mut socket, &json!({"proof": proof(KEY, "extension", &challenge.nonce, &"cd".repeat(16))})).await;
    assert_eq!(hear(&mut socket).await.unwrap(), json!({"welcome": true}));
    assert_eq!(hear(&mut socket).await.unwrap()["method"], "Target.setDiscoverTargets");
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err(), "a second client");
    // One that goes again is a browser that is lost, at once.
    socket.close(None).await.unwrap();
    let problem = timeout(Duration::from_secs(10), opening).await.unwrap().unwrap().unwrap_err();
    assert_eq!(problem.code, Code::Lost, "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_cannot_be_used_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let opener = handeye_browser::Chromium::new(folder.path());
    let open = async |code: String| {
        let launch = Launch { cdp: Some(code), ..Launch::default() };
        opener.browser(&launch).await.map(|_| ()).unwrap_err().code
    };
    let held = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let taken = held.local_addr().unwrap().port();
    assert_eq!(open(format!("tab:{taken}-{KEY}")).await, Code::Unavailable);
    assert_eq!(open("tab:".into()).await, Code::BadRequest);
    // It is waited for as long as a person takes.
    if is_full() {
        assert_eq!(open(format!("tab:{}-{KEY}", free().await)).await, Code::Unreachable);
    }
}
