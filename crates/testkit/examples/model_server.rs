//! A model server to try commands against: it speaks OpenAI's and Anthropic's wire, looks at the pictures it gets, and answers
//! where the element of a colour is, with errors at a stated rate. `fixtures/model-server/README.md` tells how to use it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a tool for trying things out says what is wrong and ends

use handeye_testkit::models::{Answer, Asked, Eye, ModelServer, Truth};
use std::time::Duration;

const USAGE: &str = "usage: model_server [--port N] [--colour RRGGBB] [--error RATE] [--seed N] [--key KEY] [--fail STATUS | --cut | --stall SECONDS | --html | --refuse] [--newest]";

fn main() {
    let mut args = std::env::args().skip(1);
    let (mut port, mut error, mut seed, mut key, mut truth, mut fault) = (0, 0.0, 1, None, Truth::Absent, None);
    let mut newest = false;
    while let Some(option) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{option} wants a value; {USAGE}"));
        match option.as_str() {
            "--port" => port = value().parse().expect("a port is a number"),
            "--error" => error = value().parse().expect("a rate is a number from 0 to 1"),
            "--seed" => seed = value().parse().expect("a seed is a number"),
            "--key" => key = Some(value()),
            "--colour" => {
                let colour = u32::from_str_radix(&value(), 16).expect("a colour is RRGGBB");
                let [_, red, green, blue] = colour.to_be_bytes();
                truth = Truth::Colour([red, green, blue]);
            }
            "--fail" => {
                let status = value().parse().expect("a status is a number");
                fault = Some(Answer::Fail(status, "", r#"{"error":{"message":"as asked for"}}"#.into()));
            }
            "--cut" => fault = Some(Answer::Cut("this is cut off in the middle".into())),
            "--stall" => {
                fault = Some(Answer::Stall(Duration::from_secs(value().parse().expect("seconds are a number"))));
            }
            "--html" => fault = Some(Answer::Raw("text/html", "<html><body>502 Bad Gateway</body></html>".into())),
            "--refuse" => fault = Some(Answer::Refuse("I can't help with that.".into())),
            "--newest" => newest = true,
            _ => panic!("{USAGE}"),
        }
    }
    let eye = Eye::new(truth, error, seed);
    let refused = move |asked: &Asked| if newest { Answer::of_the_newest(asked) } else { None };
    let server = ModelServer::on(port, move |asked: &Asked| match (&key, &fault, refused(asked)) {
        (Some(key), ..) if asked.key.as_ref() != Some(key) => {
            Answer::Fail(401, "", r#"{"error":{"message":"wrong key"}}"#.into())
        }
        (_, Some(fault), _) => fault.clone(),
        (.., Some(refused)) => refused,
        _ if asked.pictures.is_empty() => Answer::Say("ready".into()),
        _ => eye.look(asked),
    });
    println!("{}", server.url());
    loop {
        std::thread::park();
    }
}
