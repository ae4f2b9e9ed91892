//! Finds the call in the text of a model that has no other way to make one, as the text comes: nothing of the call is handed on as
//! text, wherever the pieces are cut.

use crate::wire::Json;

/// Bytes of a call at most.
const LONGEST: usize = 256 << 10;
/// Bytes within which a call begins, white space included: what takes longer is no beginning of one.
const BEGINNING: usize = 1_024;
/// What a call begins with, after its brace.
const MEMBER: &str = "\"tool_call\"";
/// What a block of code begins with, which may stand around a call.
const BLOCK: &str = "```";

/// A call as it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The tool's name.
    pub tool: String,
    /// The arguments, as the model wrote them.
    pub arguments: String,
}

/// What a text came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// No call.
    Nothing,
    /// A call.
    Call(Written),
    /// Something that was to be one: why it is none, for the model.
    Broken(String),
}

/// Reads a text piece by piece.
#[derive(Debug, Default)]
pub struct Scanner {
    /// What was read and not handed on yet.
    held: String,
    state: State,
}

#[derive(Debug, Default)]
enum State {
    /// Text; it may be about to become a call.
    #[default]
    Text,
    /// Inside a call's object.
    Call(Braces),
    /// The call is over, and with it the text.
    Over,
}

/// Where the object's end is.
#[derive(Debug, Default)]
struct Braces {
    seen: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Where the object ends, once it does.
    end: Option<usize>,
}

impl Braces {
    fn read(&mut self, text: &str) {
        for byte in text.bytes().skip(self.seen) {
            self.seen += 1;
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' if !self.in_string => self.depth += 1,
                b'}' if !self.in_string => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.end = Some(self.seen);
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}

/// What stands at a place of the text.
enum Start {
    /// No call.
    No,
    /// It can't be told yet.
    Maybe,
    /// A call, whose brace stands so far behind.
    Call(usize),
}

impl Scanner {
    /// Reads more, and returns what is text for certain.
    pub fn push(&mut self, piece: &str) -> String {
        if matches!(self.state, State::Over) {
            return String::new();
        }
        self.held.push_str(piece);
        let mut told = String::new();
        if matches!(self.state, State::Text) {
            told = self.text();
        }
        if let State::Call(braces) = &mut self.state {
            braces.read(&self.held);
            if let Some(end) = braces.end {
                self.held.truncate(end);
                self.state = State::Over;
            } else if self.held.len() > LONGEST {
                self.state = State::Over;
            }
        }
        told
    }

    /// What is text up to where a call may begin.
    fn text(&mut self) -> String {
        let mut from = 0;
        while let Some(at) = self.held[from..].find(['`', '{']).map(|at| from + at) {
            match self.start(at) {
                // Of a row of backticks each would be told the same.
                Start::No => from = at + self.held[at..].bytes().take_while(|byte| *byte == b'`').count().max(1),
                Start::Maybe => return self.held.drain(..at).collect(),
                Start::Call(brace) => {
                    let told = self.held[..at].to_owned();
                    self.held.drain(..at + brace);
                    self.state = State::Call(Braces::default());
                    return told;
                }
            }
        }
        std::mem::take(&mut self.held)
    }

    /// Whether a call begins at a place; not where that can't be told by what is long enough for it.
    fn start(&self, at: usize) -> Start {
        let rest = &self.held[at..];
        let near = &rest[..rest.floor_char_boundary(BEGINNING)];
        match start(near) {
            Start::Maybe if near.len() < rest.len() => Start::No,
            found => found,
        }
    }

    /// The end of the text: what was held back of it, and what it came to.
    pub fn finish(self) -> (String, Found) {
        match self.state {
            State::Text => (self.held, Found::Nothing),
            State::Call(_) => (String::new(), Found::Broken("the JSON of the call is cut off".to_owned())),
            State::Over => (String::new(), read(&self.held)),
        }
    }
}

/// Whether a call begins here.
fn start(text: &str) -> Start {
    let mut rest = text;
    if let Some(opened) = after(rest, BLOCK) {
        let Some(opened) = opened else { return Start::Maybe };
        rest = opened.trim_start_matches('`');
        for language in ["json", "JSON"] {
            match after(rest, language) {
                Some(Some(named)) => rest = named,
                // A word that ends here may go on.
                Some(None) => return Start::Maybe,
                None => {}
            }
        }
        rest = rest.trim_start();
    }
    for wanted in ["{", MEMBER, ":"] {
        match after(rest, wanted) {
            Some(Some(next)) => rest = next.trim_start(),
            Some(None) => return Start::Maybe,
            None => return Start::No,
        }
        if wanted == "{" && rest.is_empty() {
            return Start::Maybe;
        }
    }
    Start::Call(text.find('{').unwrap_or(0))
}

/// What follows `wanted`; an inner none where the text ends within it, none where it isn't there.
fn after<'a>(text: &'a str, wanted: &str) -> Option<Option<&'a str>> {
    match text.strip_prefix(wanted) {
        Some(rest) => Some(Some(rest)),
        None => wanted.starts_with(text).then_some(None),
    }
}

/// Reads the object of a call.
fn read(object: &str) -> Found {
    if object.len() > LONGEST {
        return Found::Broken(format!("the call has more than {LONGEST} bytes"));
    }
    let body = match Json::parse(object.as_bytes()) {
        Ok(body) => body,
        Err(e) => return Found::Broken(format!("the call is no JSON: {e}")),
    };
    let call = body.get("tool_call").cloned().unwrap_or(Json::Null);
    let Some(Json::Text(tool)) = call.get("tool_name") else {
        return Found::Broken("`tool_call.tool_name` is no string".to_owned());
    };
    let arguments = match call.get("arguments") {
        Some(Json::Text(text)) => text.clone(),
        // What should be a string of JSON is taken as the JSON itself.
        Some(object @ Json::Object(_)) => object.python(),
        None | Some(Json::Null) => "{}".to_owned(),
        Some(_) => return Found::Broken("`tool_call.arguments` is no string".to_owned()),
    };
    Found::Call(Written { tool: tool.clone(), arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(pieces: &[&str]) -> (String, Found) {
        let mut scanner = Scanner::default();
        let mut told: String = pieces.iter().map(|piece| scanner.push(piece)).collect();
        let (rest, found) = scanner.finish();
        told.push_str(&rest);
        (told, found)
    }

    fn call(tool: &str, arguments: &str) -> Found {
        Found::Call(Written { tool: tool.into(), arguments: arguments.into() })
    }

    #[test]
    fn a_call_is_found_and_never_told_wherever_the_text_is_cut() {
        let broken = |why: &str| Found::Broken(why.into());
        for (text, told, found) in [
            ("你好，世界", "你好，世界", Found::Nothing),
            ("", "", Found::Nothing),
            (
                "一个 {对象} 和 `代码` 和 ```json\n{\"a\": 1}\n``` 完",
                "一个 {对象} 和 `代码` 和 ```json\n{\"a\": 1}\n``` 完",
                Found::Nothing,
            ),
            ("末尾 ```", "末尾 ```", Found::Nothing),
            ("末尾 {", "末尾 {", Found::Nothing),
            ("末尾 {\"tool_call\"", "末尾 {\"tool_call\"", Found::Nothing),
            ("{\"tool_calls\": 1}", "{\"tool_calls\": 1}", Found::Nothing),
            (
                "好的。\n```json\n{\n    \"tool_call\": {\n        \"tool_name\": \"a\",\n        \"arguments\": \"{\\\"x\\\":\\\"} 京 {\\\"}\"\n    }\n}\n```\n已经完成了！",
                "好的。\n",
                call("a", "{\"x\":\"} 京 {\"}"),
            ),
            ("{\"tool_call\":{\"tool_name\":\"a\",\"arguments\":\"{}\"}}", "", call("a", "{}")),
            ("x{ \"tool_call\" : {\"tool_name\":\"a\"}} {\"tool_call\":{\"tool_name\":\"b\"}}", "x", call("a", "{}")),
            (
                "```\n{\"tool_call\":{\"tool_name\":\"a\",\"arguments\":{\"b\":[1,2]}}}```",
                "",
                call("a", "{\"b\": [1, 2]}"),
            ),
            ("````json {\"tool_call\":{\"tool_name\":\"a\"}}````", "", call("a", "{}")),
            ("{{\"tool_call\":{\"tool_name\":\"a\"}}}", "{", call("a", "{}")),
            ("`{\"tool_call\":{\"tool_name\":\"a\"}}`", "`", call("a", "{}")),
            ("{\"tool_call\":{\"tool_name\":\"a\",\"argu", "", broken("the JSON of the call is cut off")),
            ("{\"tool_call\":{\"tool_name\":5}}", "", broken("`tool_call.tool_name` is no string")),
            ("{\"tool_call\":\"a\"}", "", broken("`tool_call.tool_name` is no string")),
            ("{\"tool_call\":{\"tool_name\":\"a\",\"arguments\":5}}", "", broken("`tool_call.arguments` is no string")),
        ] {
            assert_eq!(scan(&[text]), (told.to_owned(), found.clone()), "{text}");
            let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            for cut in &cuts {
                let (head, tail) = text.split_at(*cut);
                assert_eq!(scan(&[head, tail]), (told.to_owned(), found.clone()), "{head} + {tail}");
            }
            let single: Vec<String> = text.chars().map(String::from).collect();
            let single: Vec<&str> = single.iter().map(String::as_str).collect();
            assert_eq!(scan(&single), (told.to_owned(), found), "{text} by characters");
        }
    }

    #[test]
    fn what_never_becomes_a_call_is_handed_on_in_time() {
        for (begin, part) in
            [("{", " "), ("```", "\n"), ("```json", " "), ("", "`"), ("", "{"), ("", "``"), ("{\"tool_call\"", "\t")]
        {
            let long = part.repeat((1 << 20) / part.len());
            let begun = std::time::Instant::now();
            let mut scanner = Scanner::default();
            let mut told = scanner.push(begin);
            for piece in long.as_bytes().chunks(3) {
                told.push_str(&scanner.push(std::str::from_utf8(piece).expect("it is ASCII")));
                assert!(scanner.held.len() <= BEGINNING + 3, "{begin}{part:?}");
            }
            let (rest, found) = scanner.finish();
            told.push_str(&rest);
            assert_eq!((told.len(), found), (begin.len() + long.len(), Found::Nothing), "{begin}{part:?}");
            // The same at once.
            let (told, _) = scan(&[&format!("{begin}{long}x")]);
            assert_eq!(told.len(), begin.len() + long.len() + 1);
            assert!(begun.elapsed().as_secs() < 10, "{begin}{part:?} took {:?}", begun.elapsed());
        }
    }

    #[test]
    fn what_is_no_json_is_told_to_the_model_and_not_to_the_person() {
        let (told, found) = scan(&["{\"tool_call\": {\"tool_name\": a}}"]);
        assert!(told.is_empty() && matches!(&found, Found::Broken(why) if why.contains("no JSON")), "{found:?}");
        let long = format!("{{\"tool_call\": {{\"x\": \"{}\"}}}}", "y".repeat(LONGEST));
        let (told, found) = scan(&[&long]);
        assert!(told.is_empty() && matches!(&found, Found::Broken(why) if why.contains("more than")), "{found:?}");
    }
}
