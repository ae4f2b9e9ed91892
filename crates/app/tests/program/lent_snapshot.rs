//! `POST /api/v1/snapshot`: the same trees by either driver, a browser of the session's own and a tab that is lent.

use super::lent_stage::Lent;
use super::serving::{Server, home};
use handeye_testkit::home::Home;
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};

const PATH: &str = "/api/v1/snapshot";

/// A server whose user `ann` may look into the sessions `own` and `lent`; its token, and that of `bob`, who may not.
fn serve(home: &Home) -> (Server, String, String) {
    let settings = home.path().join(".config/handeye/handeye.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    let allowed = "[[chat.snapshots]]\nusers = [\"ann\"]\nsessions = [\"own\", \"lent\", \"closed\"]\n";
    std::fs::write(&settings, format!("{text}{allowed}")).unwrap();
    let token = |user: &str| {
        home.run(&format!("token create {user} --json")).exit(0).json()["token"].as_str().unwrap().to_owned()
    };
    let (ann, bob) = (token("ann"), token("bob"));
    (Server::start(home, &[]), ann, bob)
}

fn ask(server: &Server, token: &str, body: &Value) -> (u16, Value) {
    let (status, text) = server.post(PATH, Some(token), &body.to_string()).unwrap();
    (status, serde_json::from_str(&text).unwrap())
}

/// What of a snapshot doesn't depend on which browser made it.
fn essence(snapshot: &Value) -> Value {
    let outline: Vec<&str> = snapshot["outline"]
        .as_str()
        .unwrap()
        .lines()
        .map(|line| line.trim_start().split_once("] ").map_or(line, |(_, rest)| rest))
        .collect();
    let values = |map: &Value| {
        let mut all: Vec<String> = map.as_object().unwrap().values().map(Value::to_string).collect();
        all.sort();
        all
    };
    json!({
        "url": snapshot["url"], "title": snapshot["title"], "outline": outline,
        "xpaths": values(&snapshot["xpath_map"]), "urls": values(&snapshot["url_map"]),
        "origins": snapshot["documents"].as_array().unwrap().iter().map(|one| one["origin"].clone()).collect::<Vec<_>>(),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trees_of_a_page_are_served_alike_by_a_browser_and_by_a_lent_tab() {
    let model = ModelServer::new(|_: &Asked| Answer::Say(String::new()));
    let stage = Lent::with(home(&model, "http://127.0.0.1:9/"), "").await;
    let inner = stage.pages.put("/inner", "<button>Inside</button>").replace("127.0.0.1", "localhost");
    let body = format!(
        "<h1>Shop</h1><a href='/go'>Go</a><main id=m><button>Buy</button></main><iframe src='{inner}'></iframe>
         <div id=h></div><script>h.attachShadow({{ mode: 'open' }}).innerHTML = '<button>Hidden</button>'</script>"
    );
    let url = stage.pages.put("/outer", &body);
    stage.page.open(&url).await;
    let code = stage.code().await;
    stage.run(&format!("open {code} --session lent")).await.exit(0);
    stage.run(&format!("open {url} --session own")).await.exit(0);
    let (server, ann, bob) = serve(&stage.home);
    for options in [json!({}), json!({"pierceShadow": false}), json!({"focusSelector": "#m"})] {
        let of = |session: &str| {
            let mut body = options.clone();
            body["session"] = session.into();
            let (status, snapshot) = ask(&server, &ann, &body);
            assert_eq!(status, 200, "{body}: {snapshot}");
            essence(&snapshot)
        };
        let (lent, own) = (of("lent"), of("own"));
        assert_eq!(lent, own, "{options}");
        let outline = lent["outline"].to_string();
        assert!(outline.contains("button: Buy"), "{outline}");
        assert_eq!(outline.contains("button: Inside"), options.get("focusSelector").is_none(), "{options} {outline}");
        assert_eq!(outline.contains("button: Hidden"), options == json!({}), "{options} {outline}");
        if options == json!({}) {
            assert!(lent["xpaths"].to_string().contains("/iframe[1]/html[1]/body[1]/button[1]"), "{lent}");
            assert!(lent["urls"].to_string().contains("/go"), "{lent}");
            assert_eq!(lent["origins"].as_array().unwrap().len(), 2);
        }
    }
    // Whose it isn't, what isn't there, and what is no request.
    for (token, body, status, code) in [
        (&bob, json!({"session": "own"}), 404, "not_found"),
        (&ann, json!({"session": "default"}), 404, "not_found"),
        (&ann, json!({}), 404, "not_found"),
        (&ann, json!({"session": "closed"}), 404, "not_found"),
        (&ann, json!({"session": "own", "tab": "t9"}), 404, "not_found"),
        (&ann, json!({"session": "own", "tab": "first"}), 422, "bad_field"),
        (&ann, json!({"session": 1}), 422, "bad_field"),
        (&ann, json!({"session": "own", "pierceShadow": "yes"}), 422, "bad_field"),
        (&ann, json!({"session": "own", "focusSelector": "("}), 422, "bad_field"),
        (&ann, json!({"session": "own", "focusSelector": "#none"}), 404, "not_found"),
        (&ann, json!([]), 400, "bad_body"),
    ] {
        let (is, said) = ask(&server, token, &body);
        assert_eq!((is, said["error"]["code"].as_str()), (status, Some(code)), "{body}: {said}");
    }
    assert_eq!(server.post(PATH, None, "{}").unwrap().0, 401);
    assert_eq!(server.post(PATH, Some("he_wrong"), "{}").unwrap().0, 401);
    assert_eq!(server.post(PATH, Some(&ann), "{").unwrap().0, 400);
    // The person takes the tab back.
    stage.take_back().await;
    stage.state("over").await;
    let (status, said) = ask(&server, &ann, &json!({"session": "lent"}));
    assert_eq!((status, said["error"]["code"].as_str()), (502, Some("surface_failed")), "{said}");
    let document = server.ask(&ann, "GET /api/v1/openapi.json");
    let operation = &document["paths"][PATH]["post"];
    assert_eq!(
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"],
        "#/components/schemas/SnapshotRequest"
    );
}
