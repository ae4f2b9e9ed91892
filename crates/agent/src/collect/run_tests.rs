//! What a collection leaves alone that isn't its own.

use crate::collect::{CollectPorts, Store, Written, collect};
use crate::port::{Hand, Hands};
use handeye_commands::Response;
use handeye_scene::collect::Collecting;
use handeye_scene::{Code, Problem};
use std::cell::RefCell;
use std::time::Duration;

/// A checkpoint that another has written to since it was read, or one that takes the first line.
struct Raced {
    is_lost: bool,
    holds: Option<&'static str>,
    did: RefCell<Vec<&'static str>>,
}

impl Store for Raced {
    fn name(&self) -> String {
        "checkpoint".into()
    }
    fn read(&self) -> Result<Option<Vec<u8>>, Problem> {
        Ok(self.holds.map(|text| text.into()))
    }
    fn append(&self, _: &str, _: u64, _: bool) -> Result<(), Problem> {
        self.did.borrow_mut().push("append");
        if self.is_lost { Err(Problem::new(Code::File, "another collection writes to it")) } else { Ok(()) }
    }
    fn may_write(&self, _: &[Written]) -> Result<(), Problem> {
        Ok(())
    }
    fn publish(&self, _: &[u8], _: &[Written]) -> Result<Option<String>, Problem> {
        Ok(None)
    }
    fn forget(&self) -> Result<(), Problem> {
        self.did.borrow_mut().push("forget");
        Ok(())
    }
}

/// Nothing can be opened.
struct Nowhere;

impl Hands for Nowhere {
    fn call(&self, _: Hand) -> Response {
        Problem::new(Code::Denied, "nothing is opened here").into()
    }
}

fn refusal(store: &Raced, asked: &Collecting) -> Code {
    let ports = CollectPorts {
        hands: &Nowhere,
        brain: Err(Problem::new(Code::Unavailable, "no model")),
        tell: &|_| {},
        cancelled: &|| false,
        limit: Duration::from_secs(5),
        store,
    };
    collect(asked, &ports).unwrap_err().code
}

#[test]
fn a_checkpoint_that_is_there_and_holds_nothing_is_told_from_none() {
    for (holds, code) in [(None, Code::NotFound), (Some(""), Code::File), (Some("{\"job\":"), Code::File)] {
        let store = Raced { is_lost: false, holds, did: RefCell::default() };
        let asked = Collecting { resume: true, rate: 1_000.0, ..Collecting::default() };
        assert_eq!(refusal(&store, &asked), code, "{holds:?}");
        assert!(store.did.borrow().is_empty(), "it is left as it is");
    }
}

#[test]
fn a_checkpoint_that_nothing_was_written_to_is_left_alone() {
    for (is_lost, code, did) in [(true, Code::File, vec!["append"]), (false, Code::Denied, vec!["append", "forget"])] {
        let store = Raced { is_lost, holds: None, did: RefCell::default() };
        let asked = Collecting {
            url: Some("http://a.example/list".into()),
            want: Some("items".into()),
            rate: 1_000.0,
            ..Collecting::default()
        };
        assert_eq!(refusal(&store, &asked), code);
        assert_eq!(*store.did.borrow(), did);
    }
}
