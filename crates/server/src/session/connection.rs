//! One client's connection: lines in, lines out, and an eye on whether the client is still there.

use crate::process::runtime_dir::SessionName;
use crate::session::consent::{QuestionLine, Questions};
use crate::session::handle::{SessionHandle, becomes};
use crate::transport::framing::{self, LINE_MAX, Line};
use crate::transport::system::{self, Reading, Writing};
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use handeye_commands::{Request, Response, Status};
use handeye_scene::{Code, Consent, Problem};
use serde::Serialize;
use serde_json::{Value, json};
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};

/// How long whoever watches may have something waited for.
const WATCH: Duration = Duration::from_secs(10);

/// What every connection of a daemon shares.
pub(crate) struct Shared {
    pub(crate) handle: SessionHandle,
    pub(crate) name: SessionName,
    pub(crate) version: String,
    /// Set to end the daemon.
    pub(crate) stop: watch::Sender<bool>,
    /// True once everything is tidied up and only answers are left to give.
    pub(crate) tidied: watch::Receiver<bool>,
    /// Requests that came and weren't answered yet.
    pub(crate) due: watch::Sender<usize>,
}

/// Counts something for as long as it lives.
pub(crate) struct Counted(watch::Sender<usize>);

impl Counted {
    pub(crate) fn new(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|n| *n += 1);
        Self(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|n| *n -= 1);
    }
}

#[derive(Serialize)]
struct Pong<'a> {
    status: Status,
    result: &'a str,
    session: &'a str,
    pid: u32,
    version: &'a str,
    url: Option<String>,
}

/// Serves one client until it goes away.
pub(crate) async fn serve(reading: Reading, mut writing: Writing, shared: Arc<Shared>) {
    let (sender, mut requests) = mpsc::channel(1);
    let (questions, mut asked) = Questions::new();
    let mut reader = tokio::spawn(read(reading, sender, questions.clone()));
    while let Some(line) = requests.recv().await {
        let _due = Counted::new(&shared.due);
        let mut answer = pin!(answer(&shared, line, &questions));
        let answer = loop {
            tokio::select! {
                biased;
                answer = &mut answer => break answer,
                // Nobody is left to answer: dropping the call cancels it.
                _ = &mut reader => return,
                Some(question) = asked.recv() => {
                    if send(&mut writing, &question).await.is_err() {
                        return;
                    }
                }
            }
        };
        // Without an answer the call never began; the client may take it elsewhere.
        let Some(mut answer) = answer else { return };
        answer.push(b'\n');
        if writing.write_all(&answer).await.is_err() {
            return;
        }
    }
    if *shared.tidied.borrow() {
        // The connection stays until the process is gone, so that the client knows when nothing is left.
        pending::<()>().await;
    }
    reader.abort();
}

async fn send(writing: &mut Writing, question: &QuestionLine) -> std::io::Result<()> {
    let mut line = encode(question);
    line.push(b'\n');
    writing.write_all(&line).await
}

/// Passes on lines, but for answers to questions; ends once the client is gone, not when it merely writes no more.
async fn read(reading: Reading, lines: mpsc::Sender<Line>, questions: Questions) {
    let mut reader = BufReader::with_capacity(64 * 1024, reading);
    loop {
        match framing::next(&mut reader, LINE_MAX).await {
            Ok(Line::End) => break,
            Err(_) => return,
            Ok(Line::Whole(line)) if questions.take(&line) => {}
            Ok(line) => {
                if lines.send(line).await.is_err() {
                    return;
                }
            }
        }
    }
    drop(lines);
    system::gone(reader.get_ref()).await;
}

async fn answer(shared: &Shared, line: Line, questions: &Questions) -> Option<Vec<u8>> {
    let request = match line {
        Line::Whole(line) => serde_json::from_slice::<Request>(&line)
            .map_err(|e| Problem::new(Code::BadRequest, format!("the line is no request: {e}")).hint("handeye help")),
        Line::TooLong => {
            Err(Problem::new(Code::BadRequest, format!("the request is larger than {} MB", LINE_MAX / (1024 * 1024))))
        }
        Line::End => return None,
    };
    match request {
        Err(problem) => Some(encode(&Response::from(problem))),
        Ok(request) if request.command == "_ping" => Some(encode(&Pong {
            status: Status::Ok,
            result: "pong",
            session: shared.name.as_str(),
            pid: std::process::id(),
            version: &shared.version,
            url: shared.handle.url().await,
        })),
        Ok(request) if request.command == "_interrupt" => {
            shared.handle.interrupted.interrupt(request.args.get("call").and_then(Value::as_str).unwrap_or_default());
            Some(encode(&told(json!({ "taken": true }))))
        }
        Ok(request) if request.command.starts_with("_watch") => Some(encode(&watched(shared, &request).await)),
        Ok(request) if request.command == "_shutdown" => {
            shared.stop.send_replace(true);
            becomes(&mut shared.tidied.clone(), |tidied| *tidied).await;
            let text = format!("ended session {}", shared.name);
            Some(encode(&Response {
                status: Status::Ok,
                result: Some("ended".into()),
                text: Some(text),
                hints: Vec::new(),
                state: None,
                error: None,
            }))
        }
        Ok(request) => {
            let consent = request.flags.answers.then(|| Arc::new(questions.clone()) as Arc<dyn Consent>);
            shared.handle.submit(request, consent).await.map(|response| encode(&response))
        }
    }
}

/// What is asked by whoever watches. `_watch` waits for what happens after an event, `_watch_answer` answers a question,
/// `_watch_hold` stops the session or lets it go on, `_watch_picture` has it pictured.
async fn watched(shared: &Shared, request: &Request) -> Response {
    let watchers = &shared.handle.watchers;
    let number = |name: &str| request.args.get(name).and_then(Value::as_u64).unwrap_or_default();
    let is = |name: &str| request.args.get(name).and_then(Value::as_bool).unwrap_or_default();
    told(match request.command.as_str() {
        "_watch" => watchers.since(number("since"), WATCH.min(Duration::from_millis(number("wait")))).await,
        "_watch_answer" => json!({ "taken": watchers.answer(number("id"), is("consent")) }),
        "_watch_hold" => {
            watchers.hold(is("held"));
            json!({ "held": is("held") })
        }
        "_watch_picture" => match shared.handle.picture().await {
            Ok(Some(shot)) => json!({ "png": BASE64.encode(&shot.bytes), "area": shot.area }),
            Ok(None) => json!({ "png": null, "why": "nothing is open" }),
            Err(problem) => json!({ "png": null, "why": problem.message }),
        },
        other => return Problem::new(Code::BadRequest, format!("there is no command `{other}`")).into(),
    })
}

fn told(value: Value) -> Response {
    Response { status: Status::Ok, result: Some(value), text: None, hints: Vec::new(), state: None, error: None }
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    // Every member has string keys and plain values, so this can't fail; if it did, an empty line is still an answer.
    serde_json::to_vec(value).unwrap_or_default()
}
