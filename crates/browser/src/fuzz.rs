//! Generated answers of a browser and of the page script: none may panic or hang. `cargo xtask fuzz` makes many of them.

use crate::capture::ax::{in_order, read};
use crate::capture::codec::Answer;
use crate::capture::probe::Facts;
use crate::cdp::link::Link;
use crate::cdp::outbox::{ToSend, outbox};
use crate::cdp::transport::Connection;
use crate::cdp::wire::Wire;
use crate::model::shared::Shared;
use crate::protocol::json::parse;
use crate::protocol::{AxTree, Evaluated, Listeners};
use crate::targets::events::Events;
use handeye_testkit::fuzz::survive;
use handeye_testkit::trials;
use tokio::sync::mpsc;

const MESSAGES: &str = include_str!("../../../fixtures/fuzz/protocol.jsonl");
const CAPTURES: &str = include_str!("../../../fixtures/fuzz/captures.jsonl");
const TREES: &str = include_str!("../../../fixtures/fuzz/dom.jsonl");
const ANSWERS: &str = include_str!("../../../fixtures/fuzz/answers.jsonl");
/// After so many messages the next ones go to a browser that is new.
const LIFE: usize = 400;

fn lines(text: &'static str) -> Vec<&'static str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}

/// A connection to no browser, and what is sent over it.
fn browser() -> (Events, Connection, ToSend) {
    let (outgoing, sent) = outbox();
    let wire = Wire { outgoing, incoming: mpsc::channel(1).1, tasks: Vec::new() };
    let link = Link::new(Connection::new(&wire), Shared::new(true));
    link.model().emulation.viewport = Some((800, 600));
    (Events::new(&link), link.connection, sent)
}

#[test]
fn protocol_messages() {
    let samples = lines(MESSAGES);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut life, mut held) = (0, browser());
    let sound = samples.clone();
    let take = move |message: &str| {
        let _inside = runtime.enter();
        if life == LIFE {
            (life, held) = (0, browser());
        }
        life += 1;
        let (events, connection, sent) = &mut held;
        if life % 40 == 1 {
            // States are reached by messages that are right.
            sound.iter().for_each(|message| connection.feed(message.as_bytes(), events));
        }
        connection.feed(message.as_bytes(), events);
        while sent.now().is_some() {}
    };
    survive("protocol messages", 11, trials(3000, 100_000), move |m| m.json(&samples), take);
}

#[test]
fn captures_of_the_page_script() {
    let samples = lines(CAPTURES);
    let base = match Answer::read(samples[1]) {
        Ok(Answer::Told(told)) => told.look(&[]).map(|look| look.nodes).unwrap_or_default(),
        other => panic!("{other:?}"),
    };
    assert_eq!(base.len(), 4);
    let take = move |text: &str| {
        if let Ok(Answer::Told(told)) = Answer::read(text) {
            let _ = told.look(&base);
        }
    };
    survive("captures", 12, trials(3000, 100_000), move |m| m.json(&samples), take);
}

#[test]
fn answers_of_the_page_script_and_the_browser() {
    let samples = lines(ANSWERS);
    let take = |text: &str| {
        if let Ok(facts) = parse::<Facts>(text) {
            drop(facts.clone());
        }
        let _ = (parse::<Evaluated>(text), parse::<AxTree>(text), parse::<Listeners>(text));
    };
    survive("answers", 13, trials(3000, 100_000), move |m| m.json(&samples), take);
}

#[test]
fn descriptions_of_the_dom() {
    let samples = lines(TREES);
    let take = |text: &str| {
        let mut list = Vec::new();
        if read(text, "root", None, &mut list).is_ok() {
            assert!(in_order(&list).len() <= list.len());
        }
    };
    survive("DOM descriptions", 14, trials(3000, 100_000), move |m| m.json(&samples), take);
}
