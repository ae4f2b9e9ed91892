//! `do` with pictures: icons judged by what they show, marks that are chosen in a picture, and what the model thought of them in
//! the trace.

use crate::do_task::{agent_alone, call, check_requests, finish, live, on, plan, prove, run, saying};
use handeye_testkit::is_full;
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};

const THOUGHT: &str = "The box around Add pear bears that number.";

/// The same model for everything: what it is asked as a judge tells by the form of the answer.
fn is_judge(asked: &Asked) -> bool {
    asked.text.contains("[shown]")
}

/// How often it was asked for something to do before this.
fn turn(asked: &Asked) -> usize {
    asked.body["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|message| message["role"] == "assistant")
        .count()
        .saturating_sub(1)
}

#[test]
fn an_icon_is_judged_by_its_picture_where_a_model_sees() {
    for answer in ["yes", "no", "unsure"].into_iter().take(if is_full() { 3 } else { 2 }) {
        let server = ModelServer::new(move |asked| match turn(asked) {
            _ if is_judge(asked) => Answer::Say(format!("[shown]\n{answer}")),
            0 => plan(&["the plums are gone"]),
            1 => on(asked, "click", "button \"\"", saying("a bin")),
            2 => prove(1, "page", "The plums are gone"),
            _ => call("finish", json!({"success": answer != "no", "answer": "That is how it is."})),
        });
        let live = live(&server, "openai", "");
        let ran = run(&live, &["throw the plums away", "--on", &live.site.at("/"), "--json"]);
        let report = ran.json();
        let (outcome, verdict, log) = match answer {
            "no" => ("failed", "contradicted", ""),
            _ => ("done", "confirmed", "bin"),
        };
        assert_eq!(
            (&report["outcome"], &report["steps"][0]["verdict"]),
            (&outcome.into(), &verdict.into()),
            "{report:#}"
        );
        live.logged(log);
        let asked = server.asked();
        let judged: Vec<&Asked> = asked.iter().filter(|asked| is_judge(asked)).collect();
        assert!(judged.len() == 1 && judged[0].pictures.len() == 1 && judged[0].text.contains("a bin"), "{answer}");
        let told =
            asked.iter().filter(|asked| !is_judge(asked)).nth(2).map(|asked| asked.results().join("\n")).unwrap();
        let part = match answer {
            "yes" => "was judged by its picture",
            "no" => "its picture isn't",
            _ => "compared with nothing",
        };
        assert!(told.contains(part), "{answer}: {told}");
    }
}

/// Buys a pear by the marks of a picture.
fn seer(asked: &Asked) -> Answer {
    let add = "button \"Add pear\"";
    match turn(asked) {
        0 => plan(&["one pear is in the basket"]),
        // A mark that stands elsewhere than the model thinks.
        1 => on(asked, "click", "button \"Pay\"", json!({"expected_text": "Add pear", "thinking": THOUGHT})),
        2 => on(asked, "click", add, json!({"expected_text": "Add pear", "thinking": THOUGHT})),
        3 => call("state", json!({})),
        4 => prove(1, "page", "Pears: 1"),
        _ => finish("One pear."),
    }
}

#[test]
fn marks_are_chosen_in_a_picture_where_that_is_asked_for_and_what_was_thought_is_in_the_trace() {
    for wire in ["anthropic", "openai"].into_iter().take(if is_full() { 2 } else { 1 }) {
        let server = ModelServer::new(seer);
        let live = live(&server, wire, "");
        live.ok(&format!("open {} --trace t", live.site.at("/")));
        run(&live, &["put a pear into the basket", "--annotated"]).exit(0);
        live.logged("pear");
        check_requests(&server, "Add plum");
        // One picture goes with each request: the last.
        for asked in server.asked() {
            let pictures =
                asked.body.to_string().matches(if wire == "openai" { "image_url\":{" } else { "base64\"" }).count();
            assert_eq!(pictures, 1, "{wire} {}: {}", asked.number, asked.text);
        }
        let first = &server.asked()[0].pictures[0];
        assert!(first.starts_with(b"\x89PNG"), "{wire}");
        let tool = |name: &str| {
            let tools = server.asked()[0].body["tools"].as_array().cloned().unwrap();
            let named = |tool: &&Value| tool["name"] == name || tool["function"]["name"] == name;
            tools.iter().find(named).unwrap().to_string()
        };
        assert!(tool("click").contains("\"thinking\"") && !tool("state").contains("annotated"), "{wire}");
        // What models say is written at the end.
        live.ok("close");
        let trace = std::fs::read_to_string(live.home.work().join("t/trace.jsonl")).unwrap();
        assert!(trace.contains(THOUGHT), "{wire}: what it thinks of a mark is kept");
    }
}

#[test]
fn without_being_asked_for_no_picture_is_taken_and_what_a_server_tells_of_thoughts_is_kept() {
    let raw = |name: &str, args: Value| {
        let call = json!({"id": "a", "type": "function", "function": {"name": name, "arguments": args.to_string()}});
        let message = json!({"role": "assistant", "content": null, "reasoning_content": THOUGHT, "tool_calls": [call]});
        Answer::Raw(
            "application/json",
            json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).to_string(),
        )
    };
    let server = ModelServer::new(move |asked| match turn(asked) {
        0 => plan(&["one pear is in the basket"]),
        1 => raw("click", json!({"ref": asked.mark("button \"Add pear\""), "expected_text": "Add pear"})),
        2 => prove(1, "page", "Pears: 1"),
        _ => finish("One pear."),
    });
    let live = live(&server, "openai", "");
    live.ok(&format!("open {} --trace t", live.site.at("/")));
    run(&live, &["put a pear into the basket"]).exit(0);
    live.logged("pear");
    for asked in server.asked() {
        let body = asked.body.to_string();
        assert!(!body.contains("image_url") && !body.contains("\"thinking\"") && !body.contains(THOUGHT), "{body}");
    }
    live.ok("close");
    let trace = std::fs::read_to_string(live.home.work().join("t/trace.jsonl")).unwrap();
    assert!(trace.contains(&format!("\"thinking\":\"{THOUGHT}\"")), "{trace}");
}

#[test]
fn a_judge_is_asked_only_where_one_is_set() {
    let server = ModelServer::new(|asked| match turn(asked) {
        0 => plan(&["the plums are gone"]),
        1 => on(asked, "click", "button \"\"", saying("a bin")),
        2 => prove(1, "page", "The plums are gone"),
        _ => finish("They are gone."),
    });
    let live = agent_alone(&server);
    run(&live, &["throw the plums away", "--on", &live.site.at("/")]).exit(0);
    live.logged("bin");
    assert!(server.asked().iter().all(|asked| !is_judge(asked) && asked.pictures.is_empty()));
    assert!(server.asked()[2].text.contains("compared with nothing"), "the model is told");
}
