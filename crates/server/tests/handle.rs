//! A session's queue: order, cancelled calls, panics, the end.
#![allow(clippy::unwrap_used, clippy::panic)] // the fake may stop at the first thing amiss

use async_trait::async_trait;
use handeye_commands::{Request, Response, Session, Status};
use handeye_scene::*;
use handeye_server::SessionHandle;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// What the fake surface did, in order.
type Log = Arc<Mutex<Vec<String>>>;

struct Fake(Log);

#[async_trait]
impl Opener for Fake {
    async fn browser(&self, _: &Launch) -> Result<Box<dyn Surface>, Problem> {
        self.0.lock().unwrap().push("browser".into());
        Ok(Box::new(Fake(self.0.clone())))
    }
}

#[async_trait]
impl Clock for Fake {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
    fn timestamp(&self) -> String {
        String::new()
    }
    async fn sleep(&self, time: Duration) {
        sleep(time).await;
    }
}

fn no<T>() -> Result<T, Problem> {
    Err(Problem::new(Code::Unsupported, "a fake can't"))
}

#[async_trait]
impl Surface for Fake {
    async fn capture(&mut self, _: Want) -> Result<Capture, Problem> {
        no()
    }
    async fn probe(&mut self, _: NativeId, _: Aim) -> Result<Option<Probe>, Problem> {
        no()
    }
    async fn search(&mut self, _: &Query) -> Result<Vec<NativeId>, Problem> {
        no()
    }
    async fn element_at(&mut self, _: Point) -> Result<Option<NativeId>, Problem> {
        no()
    }
    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        Ok(None)
    }
    async fn perform(&mut self, _: &Gesture, _: &Guard) -> Result<Delivery, Problem> {
        no()
    }
    async fn settle(&mut self, _: Duration) -> Result<Settled, Problem> {
        no()
    }
    async fn changed(&mut self, _: Duration) -> Result<bool, Problem> {
        no()
    }
    fn origin(&self, _: handeye_scene::DocumentId) -> Option<String> {
        None
    }
    fn notices(&mut self) -> Vec<Notice> {
        Vec::new()
    }
    fn web(&mut self) -> Option<&mut dyn Web> {
        Some(self)
    }
    async fn close(&mut self) -> Result<(), Problem> {
        self.0.lock().unwrap().push("close".into());
        Ok(())
    }
}

#[async_trait]
impl Web for Fake {
    /// `fake://MILLISECONDS/` takes that long; `fake://panic/` panics.
    async fn navigate(&mut self, url: &str, _: Duration) -> Result<Navigation, Problem> {
        let what = url.trim_start_matches("fake://").trim_end_matches('/');
        if what == "panic" {
            panic!("as the test asks");
        }
        sleep(Duration::from_millis(what.parse().unwrap())).await;
        self.0.lock().unwrap().push(url.into());
        Ok(Navigation { url: url.into(), title: String::new(), status: None, loaded: true, stayed: false })
    }
    async fn history(&mut self, _: i32, _: Duration) -> Result<Navigation, Problem> {
        no()
    }
    async fn tabs(&mut self) -> Result<Vec<Tab>, Problem> {
        no()
    }
    async fn new_tab(&mut self, _: Option<&str>, _: Duration) -> Result<Tab, Problem> {
        no()
    }
    async fn switch_tab(&mut self, _: &str) -> Result<Tab, Problem> {
        no()
    }
    async fn close_tab(&mut self, _: Option<&str>) -> Result<Option<Tab>, Problem> {
        Ok(None)
    }
    fn posted_to(&self) -> Option<String> {
        None
    }
    fn dialog(&self) -> Option<OpenDialog> {
        None
    }
    async fn answer_dialog(&mut self, _: bool, _: Option<&str>) -> Result<OpenDialog, Problem> {
        no()
    }
    async fn screenshot(&mut self, _: ShotArea, _: ImageFormat, _: Option<u8>) -> Result<Shot, Problem> {
        no()
    }
    async fn location(&mut self) -> Result<(String, String), Problem> {
        Ok(("fake://here/".into(), "Fake".into()))
    }
    async fn html(&mut self, _: Option<NativeId>) -> Result<String, Problem> {
        no()
    }
    async fn text(&mut self, _: Option<NativeId>) -> Result<String, Problem> {
        no()
    }
    async fn shown_text(&mut self, _: Option<NativeId>) -> Result<String, Problem> {
        no()
    }
    async fn attribute(&mut self, _: NativeId, _: &str) -> Result<Option<String>, Problem> {
        no()
    }
    async fn scrolled(&mut self) -> Result<ScrollState, Problem> {
        no()
    }
}

fn session() -> (SessionHandle, Log) {
    let log = Log::default();
    let session = Session::new("test", Arc::new(Fake(log.clone())), Arc::new(Fake(log.clone())));
    (SessionHandle::spawn(session), log)
}

fn open(url: &str) -> Request {
    Request { command: "open".into(), args: json!({ "url": url }), ..Request::default() }
}

fn code(response: &Response) -> Option<Code> {
    response.error.as_ref().map(|p| p.code)
}

#[tokio::test]
async fn calls_run_in_the_order_in_which_they_came() {
    let (handle, log) = session();
    let calls: Vec<_> = ["fake://120/", "fake://0/", "fake://40/"]
        .into_iter()
        .map(|url| {
            let handle = handle.clone();
            tokio::spawn(async move { handle.call(open(url)).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().status, Status::Ok);
    }
    assert_eq!(*log.lock().unwrap(), ["browser", "fake://120/", "fake://0/", "fake://40/"]);
}

#[tokio::test]
async fn a_caller_that_gives_up_takes_its_call_with_it() {
    let (handle, log) = session();
    assert_eq!(handle.call(open("fake://0/")).await.status, Status::Ok);
    assert!(timeout(Duration::from_millis(80), handle.call(open("fake://60000/"))).await.is_err());
    let start = Instant::now();
    assert_eq!(handle.call(open("fake://1/")).await.status, Status::Ok);
    assert!(start.elapsed() < Duration::from_secs(5), "the call that was given up went on");
    assert_eq!(*log.lock().unwrap(), ["browser", "fake://0/", "fake://1/"]);
}

#[tokio::test]
async fn a_panic_is_a_bug_and_the_session_goes_on() {
    let (handle, _) = session();
    let response = handle.call(open("fake://panic/")).await;
    assert_eq!(code(&response), Some(Code::Bug));
    assert!(response.error.unwrap().message.contains("as the test asks"));
    assert_eq!(handle.call(open("fake://0/")).await.status, Status::Ok);
}

#[tokio::test]
async fn a_call_that_is_cut_off_tells_whether_it_may_have_been_done() {
    let (handle, _) = session();
    let call = |command: &str| Request { command: command.into(), ..Request::default() };
    let begun = |response: Response| response.error.map(|problem| (problem.code, problem.begun));
    assert_eq!(begun(handle.call(open("fake://panic/")).await), Some((Code::Bug, true)));
    assert_eq!(begun(handle.call(open("fake://0/")).await), None);
    // What is refused was not begun, whatever the one before it came to.
    assert_eq!(begun(handle.call(call("nothing")).await), Some((Code::BadRequest, false)));
    assert_eq!(begun(handle.call(call("state")).await), Some((Code::Unsupported, false)));
    assert_eq!(begun(handle.call(open("fake://panic/")).await), Some((Code::Bug, true)));
    let mut late = open("fake://60000/");
    late.flags.timeout = Some(0.0);
    assert_eq!(begun(handle.call(late).await), Some((Code::Timeout, true)));
    let mut key = call("keydown");
    key.args = json!({ "key": "Enter" });
    // The session goes on. The fake can't send it: whether a surface that fails has sent a part, nobody knows.
    assert_eq!(begun(handle.call(key).await), Some((Code::Unsupported, true)));
}

#[tokio::test]
async fn a_panic_does_not_tell_a_secret() {
    let (handle, _) = session();
    let mut request = open("fake://0/");
    let secret = json!({ "name": "pw", "origin": "https://a.example", "value": "as the test" });
    request.args["secrets"] = json!([secret]);
    assert_eq!(handle.call(request).await.status, Status::Ok);
    let response = handle.call(open("fake://panic/")).await;
    let message = response.error.unwrap().message;
    assert!(message.contains("broke off") && message.contains("asks") && !message.contains("as the test"), "{message}");
}

#[tokio::test]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_call_beyond_its_limit_is_cancelled() {
    let (handle, _) = session();
    let mut request = open("fake://60000/");
    request.flags.timeout = Some(0.0);
    let response = handle.call(request).await;
    assert_eq!(code(&response), Some(Code::Timeout));
    assert_eq!(handle.call(open("fake://0/")).await.status, Status::Ok);
}

#[tokio::test]
async fn a_limit_counts_while_a_call_waits_for_its_turn() {
    let (handle, log) = session();
    assert_eq!(handle.call(open("fake://0/")).await.status, Status::Ok);
    let other = handle.clone();
    let running = tokio::spawn(async move { other.call(open("fake://1500/")).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let limited = |seconds| {
        let mut request = open("fake://2/");
        request.flags.timeout = Some(seconds);
        request
    };
    let response = handle.call(limited(0.3)).await;
    assert_eq!(code(&response), Some(Code::Timeout));
    assert!(response.error.unwrap().message.contains("was not begun within its limit of 0.3 s"));
    assert_eq!(running.await.unwrap().status, Status::Ok);
    assert_eq!(handle.call(limited(0.0)).await.status, Status::Ok);
    // It was not done later either.
    assert_eq!(*log.lock().unwrap(), ["browser", "fake://0/", "fake://1500/", "fake://2/"]);
}

#[tokio::test]
async fn the_address_is_told_unless_a_call_runs() {
    let (handle, _) = session();
    assert_eq!(handle.url().await, None);
    handle.call(open("fake://0/")).await;
    assert_eq!(handle.url().await.as_deref(), Some("fake://here/"));
    let running = tokio::spawn({
        let handle = handle.clone();
        async move { handle.call(open("fake://3000/")).await }
    });
    sleep(Duration::from_millis(50)).await;
    let start = Instant::now();
    assert_eq!(handle.url().await, None);
    assert!(start.elapsed() < Duration::from_secs(2), "it waited for the call");
    assert_eq!(running.await.unwrap().status, Status::Ok);
}

#[tokio::test]
async fn after_the_end_calls_are_lost() {
    let (handle, log) = session();
    handle.call(open("fake://0/")).await;
    let close = Request { command: "close".into(), ..Request::default() };
    assert_eq!(handle.call(close).await.status, Status::Ok);
    let response = handle.call(open("fake://0/")).await;
    assert_eq!(code(&response), Some(Code::Lost));
    assert_eq!(log.lock().unwrap().last().map(String::as_str), Some("close"));
}
