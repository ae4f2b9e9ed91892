//! The layer of the policy: who is asked, about what, and what the answer is good for.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss

use async_trait::async_trait;
use handeye_commands::{Flags, Request, Session, dispatch};
use handeye_engine::replay::Ticker;
use handeye_scene::*;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct Nothing;

#[async_trait]
impl Opener for Nothing {
    async fn browser(&self, _: &Launch) -> Result<Box<dyn Surface>, Problem> {
        Err(Problem::new(Code::Unavailable, "there is no browser here"))
    }
}

/// Answers always the same, and keeps what it was asked.
struct Person {
    says: Consented,
    asked: Mutex<Vec<(Question, Duration)>>,
}

#[async_trait]
impl Consent for Person {
    async fn ask(&self, question: &Question, limit: Duration) -> Consented {
        self.asked.lock().unwrap().push((question.clone(), limit));
        self.says
    }
}

/// A click where nothing is open: the code of its problem tells whether the policy let it through, and its words why not.
async fn click(session: &mut Session, deny: &[&str], timeout: Option<f64>) -> Problem {
    let mut flags = Flags { timeout, ..Flags::default() };
    let policy = &mut flags.settings.policy;
    policy.ask = vec!["acts".into()];
    policy.deny = deny.iter().map(|rule| (*rule).to_owned()).collect();
    let args = json!({ "ref": 7, "expect": "Pay", "expect_any": false });
    dispatch(session, Request { command: "click".into(), args, flags }).await.error.unwrap()
}

fn session(says: Option<Consented>) -> (Session, Arc<Person>) {
    let person = Arc::new(Person { says: says.unwrap_or(Consented::Yes), asked: Mutex::default() });
    let mut session = Session::new("test", Arc::new(Nothing), Arc::new(Ticker::default()));
    session.call.consent = says.map(|_| person.clone() as Arc<dyn Consent>);
    (session, person)
}

#[tokio::test]
async fn only_yes_lets_a_call_through_and_only_that_call() {
    for (says, code, word) in [
        (None, Code::Denied, "no one to ask"),
        (Some(Consented::No), Code::Denied, "refused"),
        (Some(Consented::Late), Code::Denied, "in time"),
        (Some(Consented::Kept), Code::Denied, "yet"),
        (Some(Consented::Yes), Code::NotFound, "nothing is open"),
    ] {
        let (mut session, person) = session(says);
        for call in 1..=2 {
            let problem = click(&mut session, &[], None).await;
            assert_eq!((problem.code, problem.message.contains(word)), (code, true), "{says:?}: {problem}");
            assert_eq!(person.asked.lock().unwrap().len(), if says.is_some() { call } else { 0 });
        }
    }
}

#[tokio::test]
async fn nobody_is_asked_about_what_is_refused() {
    let (mut session, person) = session(Some(Consented::Yes));
    assert_eq!(click(&mut session, &["acts"], None).await.code, Code::Denied);
    assert!(person.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_question_names_what_is_asked_for_and_stands_no_longer_than_the_call() {
    let (mut session, person) = session(Some(Consented::Yes));
    click(&mut session, &[], None).await;
    click(&mut session, &[], Some(4.0)).await;
    let asked = person.asked.lock().unwrap();
    let question = Question {
        command: "click".into(),
        does: "acts on the page".into(),
        target: Some("[7]".into()),
        details: vec!["expect: \"Pay\"".into()],
        limit: 60.0,
        ..Question::default()
    };
    assert_eq!(asked[0], (question.clone(), Duration::from_secs(60)));
    assert_eq!(asked[1], (Question { limit: 4.0, ..question }, Duration::from_secs(4)));
}
