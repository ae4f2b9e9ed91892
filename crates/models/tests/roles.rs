//! The port that commands ask models by: roles, keys of the caller, and what a session may use.
#![allow(clippy::unwrap_used, clippy::panic)]

use handeye_models::{ChatRequest, Clients, Message};
use handeye_scene::{Code, KEY_VARIABLE, ModelAccess, ModelKeys, ModelRole, Models, ModelsConfig, RoleConfig, Wire};
use handeye_testkit::models::{Answer, ModelServer};
use std::time::Duration;

const KEY: &str = "sk-a-key-that-must-not-be-seen";
const LIMIT: Duration = Duration::from_secs(20);

fn access(server: &ModelServer) -> ModelAccess {
    let config = ModelsConfig {
        url: Some(server.url()),
        model: Some("eye-1".into()),
        key_env: Some("EYE_KEY".into()),
        judge: RoleConfig { wire: Some(Wire::Anthropic), model: Some("small".into()), ..RoleConfig::default() },
        ..ModelsConfig::default()
    };
    ModelAccess { config, keys: ModelKeys::new([("EYE_KEY".into(), KEY.into())]), file: None }
}

fn request() -> ChatRequest {
    ChatRequest { messages: vec![Message::user("Hello")], max_tokens: 10, ..ChatRequest::default() }
}

#[tokio::test]
async fn each_role_is_asked_where_it_is_set_with_the_callers_key() {
    let server = ModelServer::new(|_| Answer::Say("ok".into()));
    let (clients, access) = (Clients::new(), access(&server));
    for role in ModelRole::ALL {
        assert_eq!(clients.ask(&access, role, &request(), LIMIT).await.unwrap().text, "ok");
    }
    for (asked, role) in server.asked().iter().zip(ModelRole::ALL) {
        let is_judge = role == ModelRole::Judge;
        assert_eq!(asked.is_anthropic, is_judge);
        assert_eq!(asked.body["model"], if is_judge { "small" } else { "eye-1" });
        assert_eq!(asked.key.as_deref(), Some(KEY));
    }
}

#[tokio::test]
async fn a_named_key_that_is_not_set_is_told_before_anything_is_sent_and_another_server_never_gets_it() {
    let server = ModelServer::new(|_| Answer::Say("ok".into()));
    let other = ModelServer::new(|_| Answer::Say("ok".into()));
    let mut access = access(&server);
    access.config.vision.url = Some(other.url());
    let clients = Clients::new();
    clients.ask(&access, ModelRole::Vision, &request(), LIMIT).await.unwrap();
    assert_eq!(other.asked().remove(0).key, None);
    access.keys = ModelKeys::default();
    let problem = clients.ask(&access, ModelRole::Agent, &request(), LIMIT).await.unwrap_err();
    assert_eq!(problem.code, Code::Denied);
    assert!(problem.message.contains("EYE_KEY"), "{problem}");
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn the_default_key_goes_to_the_server_of_all_roles_alone() {
    let server = ModelServer::new(|_| Answer::Say("ok".into()));
    let other = ModelServer::new(|_| Answer::Say("ok".into()));
    let mut access = access(&server);
    access.config.key_env = None;
    access.config.vision.url = Some(other.url());
    // Another path of the same server.
    access.config.infer.url = Some(format!("{}/", server.url()));
    access.keys = ModelKeys::new([(KEY_VARIABLE.into(), KEY.into())]);
    let clients = Clients::new();
    for role in [ModelRole::Vision, ModelRole::Infer, ModelRole::Agent] {
        clients.ask(&access, role, &request(), LIMIT).await.unwrap();
    }
    assert_eq!(other.asked().iter().map(|asked| asked.key.as_deref()).collect::<Vec<_>>(), [None]);
    assert_eq!(server.asked().iter().map(|asked| asked.key.as_deref()).collect::<Vec<_>>(), [Some(KEY); 2]);
    // One of its own goes there.
    access.config.vision.key_env = Some("OWN_KEY".into());
    access.keys = ModelKeys::new([(KEY_VARIABLE.into(), KEY.into()), ("OWN_KEY".into(), "sk-own".into())]);
    clients.ask(&access, ModelRole::Vision, &request(), LIMIT).await.unwrap();
    assert_eq!(other.asked()[1].key.as_deref(), Some("sk-own"));
}

#[tokio::test]
async fn a_redirect_takes_neither_key_nor_question_elsewhere() {
    let other = ModelServer::new(|_| Answer::Say("ok".into()));
    for status in [301, 302, 307, 308] {
        let headers: &'static str = format!("location: {}/chat/completions\r\n", other.url()).leak();
        let server = ModelServer::new(move |_| Answer::Fail(status, headers, String::new()));
        let problem = Clients::new().ask(&access(&server), ModelRole::Agent, &request(), LIMIT).await.unwrap_err();
        assert_eq!((problem.code, server.asked().len()), (Code::BadRequest, 1), "{status}");
    }
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn later_calls_can_only_lower_what_a_session_may_use() {
    let server = ModelServer::new(|_| Answer::Say("ok".into()));
    let (clients, mut access) = (Clients::new(), access(&server));
    access.config.max_tokens = Some(200);
    for _ in 0..2 {
        clients.ask(&access, ModelRole::Judge, &request(), LIMIT).await.unwrap();
    }
    access.config.max_tokens = None;
    let problem = clients.ask(&access, ModelRole::Agent, &request(), LIMIT).await.unwrap_err();
    assert_eq!((problem.code, clients.used().usage.total()), (Code::Denied, 240));
    assert_eq!(server.asked().len(), 2);

    let (clients, mut access) = (Clients::new(), self::access(&server));
    access.config.input_price = Some(0.0);
    access.config.output_price = Some(1000.0);
    access.config.max_cost = Some(0.01);
    clients.ask(&access, ModelRole::Judge, &request(), LIMIT).await.unwrap();
    assert_eq!(clients.ask(&access, ModelRole::Judge, &request(), LIMIT).await.unwrap_err().code, Code::Denied);
}

#[tokio::test]
async fn a_session_whose_budget_is_used_up_is_to_be_ended_and_a_command_has_its_own() {
    let server = ModelServer::new(|_| Answer::Say("ok".into()));
    let mut access = access(&server);
    access.config.max_tokens = Some(100);
    let session = ["handeye sessions stop mine", "handeye open URL"];
    for (clients, hints) in [(Clients::of_session("mine"), &session[..]), (Clients::new(), &["handeye config show"])] {
        clients.ask(&access, ModelRole::Agent, &request(), LIMIT).await.unwrap();
        let problem = clients.ask(&access, ModelRole::Agent, &request(), LIMIT).await.unwrap_err();
        assert_eq!(problem.code, Code::Denied);
        assert_eq!(problem.hints, hints);
    }
}

#[tokio::test]
async fn what_may_be_spent_is_held_or_refused_before_anything_is_sent() {
    let server = ModelServer::new(|_| Answer::Say("ok".into()));
    for (input, output, of_role, missing) in [
        (None, None, None, &["models.input_price", "models.output_price"][..]),
        (Some(1.0), None, None, &["models.output_price"]),
        (Some(1.0), None, Some(2.0), &[]),
        (Some(0.0), Some(0.0), None, &[]),
    ] {
        let (clients, mut access, before) = (Clients::new(), access(&server), server.asked().len());
        access.config.max_cost = Some(0.5);
        (access.config.input_price, access.config.output_price) = (input, output);
        access.config.agent.output_price = of_role;
        assert_eq!(access.config.missing(ModelRole::Agent), missing);
        let came = clients.ask(&access, ModelRole::Agent, &request(), LIMIT).await.map_err(|problem| problem.code);
        assert_eq!(came.err(), (!missing.is_empty()).then_some(Code::BadRequest), "{input:?} {output:?} {of_role:?}");
        assert_eq!(server.asked().len() - before, usize::from(missing.is_empty()));
    }
    // A later call that says nothing of it doesn't pass by the limit.
    let (clients, mut access, before) = (Clients::new(), access(&server), server.asked().len());
    (access.config.max_cost, access.config.input_price, access.config.output_price) = (Some(0.5), Some(1.0), Some(1.0));
    clients.ask(&access, ModelRole::Agent, &request(), LIMIT).await.unwrap();
    (access.config.max_cost, access.config.input_price) = (None, None);
    let problem = clients.ask(&access, ModelRole::Agent, &request(), LIMIT).await.unwrap_err();
    assert_eq!((problem.code, server.asked().len() - before), (Code::BadRequest, 1));
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_shown_nowhere() {
    let server = ModelServer::new(|asked| match asked.number {
        0 => Answer::Say(format!("your key is {KEY}")),
        _ => Answer::Fail(401, "", format!(r#"{{"error":{{"message":"wrong key {KEY}"}}}}"#)),
    });
    let (clients, access) = (Clients::new(), access(&server));
    assert_eq!(clients.ask(&access, ModelRole::Judge, &request(), LIMIT).await.unwrap().text, "your key is [key]");
    let problem = clients.ask(&access, ModelRole::Judge, &request(), LIMIT).await.unwrap_err();
    assert!(!format!("{problem:?} {access:?}").contains(KEY), "{problem:?}");
    assert_eq!((problem.code, server.asked().len()), (Code::Denied, 2), "a wrong key is never sent again");
}

#[tokio::test]
async fn the_callers_limit_holds_where_it_is_shorter() {
    let server = ModelServer::new(|_| Answer::Stall(Duration::from_secs(20)));
    let (clients, access) = (Clients::new(), access(&server));
    let problem = clients.ask(&access, ModelRole::Judge, &request(), Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(problem.code, Code::Timeout);
}

#[tokio::test]
async fn what_a_model_does_not_take_is_known_to_all_later_calls() {
    let server = ModelServer::new(|asked| Answer::of_the_newest(asked).unwrap_or_else(|| Answer::Say("ok".into())));
    let (clients, access) = (Clients::new(), access(&server));
    for role in [ModelRole::Agent, ModelRole::Infer, ModelRole::Agent] {
        assert_eq!(clients.ask(&access, role, &request(), LIMIT).await.unwrap().text, "ok");
    }
    assert_eq!(server.asked().len(), 4, "one refusal, three answers");
}
