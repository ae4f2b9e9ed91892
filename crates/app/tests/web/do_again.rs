//! A task that was done before: where all is shown as it was, nothing is asked of the model; from where anything is shown otherwise,
//! it is. What is proven never done is held to all that was done.

use crate::do_task::{call, finish, on, plan, prove, run, saying};
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer as Page, Live, page};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const TASK: &str = "put Ann's pear into the basket";

const SHOP: &str = r#"<title>Shop</title><label>For <input onchange="log('for', this.value)"></label>
<p>2 EUR <button onclick="log('pear'); n.textContent = +n.textContent + 1">Add pear</button></p><p>Pears: <output id=n>0</output></p>
<button onclick="log('paid')">Pay</button> <button onclick="log('icon')" style="width:30px;height:30px"></button>"#;

/// Notes what happened where no target shows it.
const LOG: &str = "<!doctype html><meta charset=utf-8><script>const log = (...words) => {
  const d = document.documentElement.dataset; d.log = [d.log ?? '', ...words].join(' ').trim() }</script>";

fn route(_: &str) -> Page {
    Page::File("shop.html".into())
}

/// Buys a pear, whatever its button is called.
fn shopper(asked: &Asked) -> Answer {
    let add = if asked.mark("button \"Add pear\"").is_some() { "Add pear" } else { "Buy pear" };
    let is_done = |words: &str| asked.text.contains(words);
    if !is_done("constraints are held") {
        plan(&["a pear is in the basket", "Pay isn't pressed"])
    } else if !is_done("input: confirmed") {
        on(asked, "input", "textbox \"For\"", json!({"expected_text": "For", "text": "Ann"}))
    } else if !is_done("click: confirmed") {
        on(asked, "click", &format!("button \"{add}\""), saying(add))
    } else if !is_done("constraint 1 is proven") {
        prove(1, "page", "Pears: 1")
    } else if !is_done("constraint 2 is proven") {
        prove(2, "never", "Pay")
    } else {
        finish("A pear is in the basket.")
    }
}

struct Stage {
    live: Live,
    server: ModelServer,
}

impl Stage {
    fn new() -> Self {
        let server = ModelServer::new(shopper);
        let live = Live::closed(route);
        live.settings(&format!(
            "[models]\nurl = \"{}\"\nmodel = \"agent-1\"\nkey_env = \"AGENT_KEY\"\nattempts = 1\n",
            server.url()
        ));
        let stage = Self { live, server };
        stage.serve(SHOP);
        stage
    }

    fn serve(&self, html: &str) {
        fs::write(self.live.home.work().join("shop.html"), format!("{LOG}{html}")).unwrap();
    }

    /// What the page has logged since it was opened.
    fn logged(&self) -> String {
        self.live.json("get attr --xpath /html data-log")["value"].as_str().unwrap_or_default().trim().to_owned()
    }

    /// Does the task; its report, and how often the model was asked.
    #[track_caller]
    fn done(&self, more: &[&str]) -> (Value, usize) {
        let before = self.server.asked().len();
        let url = self.live.site.at("/");
        let args = [&[TASK, "--on", url.as_str(), "--json"], more].concat();
        let report = run(&self.live, &args).exit(0).json();
        assert_eq!(self.logged(), "for Ann pear", "{report:#}");
        let asked = self.server.asked().len() - before;
        assert_eq!(report["answers"].as_u64(), Some(asked as u64), "{report:#}");
        (report, asked)
    }
}

#[test]
fn what_was_done_before_is_done_again_without_the_model_while_all_is_shown_as_it_was() {
    let stage = Stage::new();
    let (first, asked) = stage.done(&[]);
    assert_eq!((asked, &first["recalled"]), (6, &json!(0)), "{first:#}");
    let file = stage.live.home.path().join(".local/share/handeye/recalled.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0);
    let kept = fs::read_to_string(&file).unwrap();
    for text in ["Ann", "pear", "basket", "For"] {
        assert!(!kept.contains(text), "{text} stands in {kept}");
    }
    // The same numbers of targets in a new session, others in one that goes on.
    for what in ["in a session that goes on", "in a new session"] {
        let (again, asked) = stage.done(&[]);
        assert_eq!((asked, &again["recalled"]), (4, &json!(2)), "{what}: {again:#}");
        let verdicts = |report: &Value| {
            report["steps"].as_array().unwrap().iter().map(|s| s["verdict"].clone()).collect::<Vec<_>>()
        };
        assert_eq!((verdicts(&again), &again["answer"]), (verdicts(&first), &first["answer"]), "{what}");
        stage.live.ok("close");
    }
    assert_eq!(stage.done(&["--anew"]).1, 6);
    if is_full() {
        // What was answered anew is known, too.
        fs::remove_file(&file).unwrap();
        assert_eq!((stage.done(&["--anew"]).1, stage.done(&[]).1), (6, 4));
    }
    // Another text beside it, another button, one more of them: nothing that was known of another page is done.
    for (what, html) in [
        ("another price", SHOP.replace("2 EUR", "3 EUR")),
        ("another button", SHOP.replace("Add pear", "Buy pear")),
        ("one more", format!("{SHOP}<button onclick=\"log('plum')\">Add plum</button>")),
    ] {
        if !is_full() && what != "another price" {
            continue;
        }
        stage.serve(&html);
        let (report, asked) = stage.done(&[]);
        assert_eq!((asked, &report["recalled"]), (6, &json!(0)), "{what}: {report:#}");
    }
    // From where it differs, the model is asked: here after the text was put in.
    stage.serve(&SHOP.replace("<input ", "<input oninput=\"document.body.append('Hello Ann')\" "));
    let (report, asked) = stage.done(&[]);
    assert_eq!((asked, &report["recalled"]), (5, &json!(1)), "{report:#}");
    // The page of the first time is known all the same.
    stage.serve(SHOP);
    assert_eq!(stage.done(&[]).1, 4);
    // What others may have written isn't used.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(stage.done(&[]).1, 6);
    // What an earlier version kept, with texts in it, goes with the first run, whatever comes of that.
    fs::write(&file, "[{\"key\":\"k\",\"calls\":[{\"name\":\"input\",\"arguments\":{\"text\":\"hunter22\"}}]}]\n")
        .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let url = stage.live.site.at("/");
    let ran = run(&stage.live, &[TASK, "--on", &url, "--max-steps", "1", "--json"]);
    assert!(ran.status == Some(1) && ran.err.contains("was deleted"), "{ran:?}");
    assert!(!file.exists());
}

#[test]
fn what_a_policy_denies_is_denied_to_what_was_known_too() {
    let stage = Stage::new();
    stage.done(&[]);
    stage.live.ok("close");
    stage.live.settings(&format!(
        "[models]\nurl = \"{}\"\nmodel = \"agent-1\"\nkey_env = \"AGENT_KEY\"\nattempts = 1\n[policy]\ndeny = [\"acts:button:Add*\"]\n",
        stage.server.url()
    ));
    let url = stage.live.site.at("/");
    let report = run(&stage.live, &[TASK, "--on", &url, "--max-steps", "8", "--json"]).exit(1).json();
    assert_eq!(report["steps"][1]["verdict"], "denied", "{report:#}");
    assert!(report["recalled"] == 2 && !stage.logged().contains("pear"), "{report:#}");
}

#[test]
fn what_is_proven_never_done_is_held_to_all_that_was_done() {
    let server = ModelServer::new(|asked| {
        let never = |text: &str| prove(1, "never", text);
        match asked.number {
            0 => plan(&["nothing is paid", "nothing is pressed"]),
            // No text that a target was shown with: anything else was never touched either. The constraint's own words name nothing.
            1 => never("paid"),
            2 => never("Pay"),
            3 => call("prove", json!({"constraint": 2, "by": "never", "forbidden": "press"})),
            4 => on(asked, "click", "button \"\"", saying("a coin")),
            // What the icon is for, nobody knows.
            5 => never("Pay"),
            6 => call("prove", json!({"constraint": 2, "by": "never", "forbidden": "press"})),
            _ => finish("Nothing is paid."),
        }
    });
    let live = Live::closed(|_| page(SHOP));
    live.settings(&format!(
        "[models.agent]\nurl = \"{}\"\nmodel = \"agent-1\"\nkey_env = \"AGENT_KEY\"\n",
        server.url()
    ));
    let report = run(&live, &["look, and pay nothing", "--on", &live.site.at("/"), "--json"]).exit(1).json();
    assert_eq!(report["outcome"], "unproven", "{report:#}");
    let proofs = |at: usize| report["ledger"]["constraints"][at]["evidence"].as_array().unwrap().len();
    assert_eq!((proofs(0), proofs(1)), (0, 0), "both were taken back: {report:#}");
    live.logged("icon");
    let asked = server.asked();
    for (number, part) in [
        (2, "no target that was shown says"),
        (3, "constraint 1 is proven"),
        (4, "constraint 2 is proven"),
        (6, "names no text"),
        (7, "is of that kind"),
    ] {
        let given = asked[number].results().join("\n");
        assert!(given.contains(part), "{number}: {given}");
    }
}
