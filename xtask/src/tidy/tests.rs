//! Examples for the rules: what must be found, then what must not.

use super::{rules, source::File};

fn findings(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<File> = files.iter().map(|(path, text)| File::new(path, text)).collect();
    rules::all(&files).iter().map(ToString::to_string).collect()
}

/// One finding, at that place and of that rule.
fn found(path: &str, text: &str, begin: &str) {
    let all = findings(&[(path, text)]);
    assert!(all.len() == 1 && all[0].starts_with(&format!("{path}:{begin}")), "{path}: wanted {begin}, found {all:#?}");
}

fn fine(path: &str, text: &str) {
    assert_eq!(findings(&[(path, text)]), Vec::<String>::new(), "{path}");
}

#[test]
fn the_order_of_the_crates_holds() {
    found("crates/scene/Cargo.toml", "[dependencies]\nhandeye-engine.workspace = true\n", "2: order");
    found("crates/engine/Cargo.toml", "[dev-dependencies]\nhandeye-browser = { path = \"../browser\" }\n", "2: order");
    found("crates/server/Cargo.toml", "[dependencies.handeye-browser]\nworkspace = true\n", "1: order");
    found(
        "crates/commands/Cargo.toml",
        "[target.'cfg(unix)'.dependencies]\nhandeye-browser.workspace = true\n",
        "2: order",
    );
    found("crates/server/Cargo.toml", "[dependencies]\nhandeye = { path = \"../app\" }\n", "2: order");
    found("crates/novel/Cargo.toml", "[package]\nname = \"handeye-novel\"\n", "1: order");
    fine(
        "crates/app/Cargo.toml",
        "[dependencies]\nhandeye-browser.workspace = true\nhandeye-server.workspace = true\n",
    );
    fine(
        "crates/engine/Cargo.toml",
        "[package]\nname = \"handeye-engine\"\n[dependencies]\nhandeye-scene.workspace = true\n",
    );
}

#[test]
fn forbidden_dependencies_are_found() {
    found("crates/scene/Cargo.toml", "[dependencies]\nserde.workspace = true\ntokio.workspace = true\n", "3: never");
    found("crates/engine/Cargo.toml", "[dependencies]\ntime = \"1\"\n", "2: never");
    fine("crates/server/Cargo.toml", "[dependencies]\ntokio.workspace = true\n");
    fine("crates/engine/Cargo.toml", "[dev-dependencies]\ntokio.workspace = true\n");
    fine("crates/scene/Cargo.toml", "[dependencies]\n# tokio = \"1\"\n[features]\ntokio = []\n");
}

#[test]
fn circles_of_files_are_found() {
    let ours = |name: &str, text: &str| (format!("crates/scene/src/{name}.rs"), format!("//! A file.\n{text}\n"));
    let circles = |files: &[(String, String)]| -> Vec<String> {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        findings(&files).into_iter().filter(|f| f.contains("circles:")).collect()
    };
    let direct = [ours("a", "use crate::b::{self, B};"), ours("b", "fn f() -> super::a::A { todo }")];
    assert_eq!(
        circles(&direct),
        ["crates/scene/src/a.rs:1: circles: 2 files import each other: a.rs imports b.rs; b.rs imports a.rs"]
    );
    // By way of the name that the root passes on, and of a third.
    let root = ours("lib", "mod a;\nmod b;\nmod c;\npub use a::A;");
    let round =
        [root, ours("a", "use crate::b::B;"), ours("b", "use crate::c::C;"), ours("c", "use crate::{A, x::Y};")];
    assert_eq!(circles(&round).len(), 1);
    // A folder's own file and what is in it.
    let folder = [ours("f/mod", "mod g;\nuse g::G;\npub struct F;"), ours("f/g", "use super::F;")];
    assert_eq!(circles(&folder).len(), 1);
    let fine = [
        ours("a", "use crate::b::B;\n#[cfg(test)]\nmod tests {\n    use crate::c::C;\n}"),
        ours("b", "// crate::a\nuse std::fmt;"),
        ours("c", "use crate::{a, b};"),
    ];
    assert_eq!(circles(&fine), [""; 0]);
    let page = |name: &str, text: &str| (format!("crates/browser/page/{name}.js"), text.to_owned());
    let scripts = [page("a", "import { b } from \"./b.js\";"), page("b", "import { a } from \"./a.js\";")];
    assert_eq!(circles(&scripts).len(), 1);
}

#[test]
fn folders_know_nothing_of_those_above_them() {
    let low = ("crates/engine/src/matching/mod.rs", "//! Low.\nuse crate::act::f;\n");
    let high = ("crates/engine/src/act/mod.rs", "//! High.\npub fn f() {}\n");
    let root = ("crates/engine/src/lib.rs", "//! Root.\nmod act;\nmod matching;\n");
    assert_eq!(findings(&[low, high, root]).len(), 1);
    let low = ("crates/engine/src/matching/mod.rs", "//! Low.\npub fn f() {}\n");
    let high = ("crates/engine/src/act/mod.rs", "//! High.\nuse crate::matching::f;\n");
    assert_eq!(findings(&[low, high, root]), [] as [String; 0]);
    // A crate whose folders have no order, and a folder that has no place in one.
    let two = [("crates/new/src/a/mod.rs", "//! A.\n"), ("crates/new/src/b/mod.rs", "//! B.\n")];
    assert_eq!(findings(&two).len(), 1);
    assert_eq!(findings(&two[..1]), [] as [String; 0]);
    assert_eq!(findings(&[("crates/engine/src/attic/mod.rs", "//! Attic.\n")]).len(), 1);
}

#[test]
fn types_that_hold_or_do_too_much_are_found() {
    let fields =
        |n: usize| (0..n).map(|i| format!("    /// One.\n    pub(crate) f{i}: Vec<u8>,\n")).collect::<String>();
    let functions =
        |n: usize| (0..n).map(|i| format!("    pub fn m{i}(&self) {{\n        f();\n    }}\n")).collect::<String>();
    let changing = "impl<T> Big<T>\nwhere\n    T: Fn() -> u8,\n{\n    pub(crate) async fn add(\n        &mut self,\n        one: u8,\n    ) {}\n}\n";
    let big = |n: usize, more: &str| format!("//! A file.\npub struct Big<T> {{\n{}}}\n{more}", fields(n));
    found("crates/scene/src/big.rs", &big(13, changing), "2: sizes");
    found("crates/scene/src/big.rs", &big(13, "impl Write for Big<u8> {\n    fn write(&mut self) {}\n}\n"), "2: sizes");
    fine("crates/scene/src/big.rs", &big(12, changing));
    fine("crates/scene/src/big.rs", &big(13, &format!("impl Big<u8> {{\n{}}}\n", functions(30))));
    let tests = "#[cfg(test)]\nmod tests {\n    impl Big<u8> {\n        fn set(&mut self) {}\n    }\n}\n";
    fine("crates/scene/src/big.rs", &big(13, tests));
    let other =
        "pub(crate) fn make() {\n    impl_it(|&mut self| {})\n}\nimpl Big<u8> {\n    fn new(n: u8) -> Self {}\n}\n";
    fine("crates/scene/src/big.rs", &big(13, other));
    // Over two files.
    let half = format!("//! A file.\nimpl Big<u8> {{\n{}}}\n", functions(16));
    let (first, second) = (("crates/scene/src/a.rs", half.as_str()), ("crates/scene/src/b.rs", half.as_str()));
    let one = ("crates/scene/src/big.rs", "//! A file.\npub enum Big<T> {\n    One(T),\n}\n");
    let all = findings(&[first, second, one]);
    assert!(all.len() == 1 && all[0].starts_with("crates/scene/src/big.rs:2: sizes"), "{all:?}");
    // Another type of that name, in another crate or for itself in its file, is another.
    let elsewhere = ("crates/engine/src/b.rs", half.as_str());
    assert_eq!(findings(&[first, elsewhere, one]), [] as [String; 0]);
    let own = format!("//! A file.\nstruct Big(u8);\nimpl Big {{\n{}}}\n", functions(16));
    assert_eq!(findings(&[first, ("crates/scene/src/b.rs", &own), one]), [] as [String; 0]);
}

#[test]
fn forbidden_words_are_found() {
    found("crates/scene/src/port.rs", "//! Ports.\nuse std::net::TcpStream;\n", "2: never");
    found("crates/engine/src/act/mod.rs", "//! Acts.\nlet t = std::time::Instant::now();\n", "2: never");
    found("crates/engine/src/act/mod.rs", "//! Acts.\nlet home = std::env::home_dir();\n", "2: never");
    found("crates/server/src/client.rs", "//! Client.\nlet d = std::env::var(\"XDG_RUNTIME_DIR\");\n", "2: never");
    found("crates/app/src/main.rs", "//! Main.\nlet d = std::env::var_os(\"HOME\");\n", "2: never");
    found("crates/browser/src/launch.rs", "//! Launch.\nfn f() {\n    eprintln!(\"no\");\n}\n", "3: never");
    fine("crates/app/src/config.rs", "//! Config.\nlet d = std::env::var(\"HOME\");\n");
    fine("crates/app/src/main.rs", "//! Main.\nprintln!(\"{text}\");\n");
    fine("crates/engine/src/act/mod.rs", "//! Acts.\nuse std::time::Duration;\nlet Instantly = 1;\n");
    fine(
        "crates/engine/src/act/mod.rs",
        "//! Acts.\n// Not std::fs, for a reason: \"println!\".\nlet a = \"std::fs\";\n",
    );
    fine("crates/app/tests/live.rs", "println!(\"{}\", std::env::var(\"HOME\").unwrap());\n");
    fine("crates/browser/examples/one.rs", "println!(\"x\");\n");
}

#[test]
fn unwraps_are_found() {
    found("crates/scene/src/model/id.rs", "//! Ids.\nlet a = b.unwrap();\n", "2: unwrap");
    found("crates/scene/src/model/id.rs", "//! Ids.\nlet a = b.expect(\"is there\");\n", "2: unwrap");
    found(
        "crates/scene/src/model/id.rs",
        "//! Ids.\n// invariant: of another statement\nlet c = 1;\nlet a = b.expect(\"x\");\n",
        "4: unwrap",
    );
    found(
        "crates/scene/src/model/id.rs",
        "//! Ids.\n#[cfg(test)]\nmod tests {\n    fn f() { a.unwrap() }\n}\nfn g() { b.unwrap() }\n",
        "6: unwrap",
    );
    fine("crates/scene/src/model/id.rs", "//! Ids.\n// invariant: `b` was set above\nlet a = b.expect(\"x\");\n");
    fine(
        "crates/scene/src/model/id.rs",
        "//! Ids.\n// invariant: `b` was set above,\n// by the caller\nlet a = b\n    .first()\n    .expect(\"x\");\n",
    );
    fine("crates/scene/src/model/id.rs", "//! Ids.\nlet a = b.unwrap_or_default();\nlet c = action.expect(text);\n");
    fine(
        "crates/scene/src/model/id.rs",
        "//! Ids.\n//! let a = b.unwrap();\nlet c = '\"'; // .unwrap()\nlet d = r#\"x.unwrap()\"#;\n",
    );
    fine("crates/scene/src/model/id.rs", "//! Ids.\n#[test]\nfn f() {\n    b.unwrap();\n}\n");
    fine("crates/scene/src/id/tests.rs", "//! Tests.\nfn f() {\n    b.unwrap();\n}\n");
}

#[test]
fn files_open_with_what_they_are() {
    found("crates/scene/src/model/id.rs", "use std::fmt;\n", "1: docs");
    found("crates/app/src/main.rs", "// Main.\n", "1: docs");
    found("xtask/src/main.rs", "fn main() {}\n", "1: docs");
    fine("crates/app/tests/live.rs", "fn main() {}\n");
}

#[test]
fn long_files_are_found() {
    let long = format!("//! Long.\n{}", "fn f() {}\n".repeat(500));
    found("crates/scene/src/model/id.rs", &long, "500: length");
    found("crates/app/tests/web/forms.rs", &long, "500: length");
    found("crates/browser/page/walk.js", &"f();\n".repeat(601), "500: length");
    fine("crates/scene/src/model/id.rs", &format!("//! Long.\n{}", "fn f() {}\n".repeat(499)));
    fine("fixtures/page/long.html", &"<p>\n".repeat(2_000));
}

#[test]
fn empty_names_are_found() {
    found("crates/scene/src/utils.rs", "//! Things.\n", "1: names");
    found("crates/app/tests/common/mod.rs", "fn f() {}\n", "1: names");
    found("crates/browser/page/helpers.js", "f();\n", "1: names");
    found("crates/scene/src/lib.rs", "//! Scene.\npub mod helpers;\n", "2: names");
    found("crates/server/src/lib.rs", "//! Server.\npub struct SessionManager;\n", "2: names");
    fine("crates/scene/src/lib.rs", "//! Scene.\nuse other::common;\nstruct Commonplace;\n");
}

#[test]
fn unfinished_work_is_found() {
    found("crates/scene/src/model/id.rs", "//! Ids.\n// TODO later\n", "2: unfinished");
    found("crates/scene/src/model/id.rs", "//! Ids.\nfn f() { unimplemented!() }\n", "2: unfinished");
    found("crates/app/tests/live.rs", "#[test]\n#[ignore]\nfn f() {}\n", "2: unfinished");
    found("crates/app/tests/live.rs", "#[test]\n#[ignore = \"long\"]\nfn f() {}\n", "2: unfinished");
    let long = "#[test]\n#[ignore = \"long: runs with cargo xtask test --full\"]\nfn f() {}\n";
    fine("crates/app/tests/live.rs", long);
    found("crates/scene/src/model/id.rs", &format!("//! Ids.\n{long}"), "3: unfinished");
    found("crates/browser/page/walk.js", "// FIXME\n", "1: unfinished");
    fine("STYLE.md", "- No `TODO` in the code.\n");
    fine("crates/scene/src/model/id.rs", "//! Ids.\nlet autodo = METODO;\n");
}

#[test]
fn paths_of_one_machine_are_found() {
    for folder in ["work", "root"] {
        found("README.md", &format!("Run /{folder}/main/x.\n"), "1: paths");
        found("crates/app/tests/live.rs", &format!("let p = \"/{folder}/.cache\";\n"), "1: paths");
        fine("README.md", &format!("See http://localhost/{folder}/list and $HOME/{folder}/x.\n"));
    }
}

#[test]
fn commands_without_a_live_test_are_found() {
    let command = (
        "crates/commands/src/act/click.rs",
        "//! Click.\nimpl Command for Click {\n    const NAME: &'static str = \"click\";\n}\n",
    );
    assert_eq!(findings(&[command]).len(), 1);
    let other = ("crates/app/tests/live.rs", "run([\"click-at\", \"dblclick\", \"1\"]); // click\n");
    assert_eq!(findings(&[command, other]).len(), 1, "parts of other words and comments do not count");
    for line in ["run([\"click\", \"1\"]);\n", "run(\"click 1 --expect Next\");\n", "run(\"--json click 1\");\n"] {
        assert_eq!(findings(&[command, ("crates/app/tests/live.rs", line)]), Vec::<String>::new(), "{line}");
    }
    let listed = ("docs/commands.md", "# Commands\n\n### click\n\n### back\n");
    let all = findings(&[command, listed, ("crates/app/tests/live.rs", "run([\"click\", \"1\"]);\n")]);
    assert!(all.len() == 1 && all[0].starts_with("docs/commands.md:5: tested"), "{all:?}");
}

#[test]
fn citations_of_tests_that_do_not_exist_are_found() {
    let test = ("crates/app/tests/refusals.rs", "#[test]\nfn a_relabelled_button_is_refused() {}\n");
    let cite = |name: &str, file: &str| format!("# Security\n\nHeld: [`{name}`](crates/app/tests/{file}).\n");
    let all = |text: &str| findings(&[test, ("SECURITY.md", text)]);
    assert_eq!(all(&cite("a_relabelled_button_is_refused", "refusals.rs")), Vec::<String>::new());
    for (name, file) in [("a_relabelled_button", "refusals.rs"), ("a_relabelled_button_is_refused", "gone.rs")] {
        let found = all(&cite(name, file));
        assert!(found.len() == 1 && found[0].starts_with("SECURITY.md:3: cited"), "{found:?}");
    }
}

#[test]
fn a_path_that_a_document_names_exists() {
    let files =
        [("crates/engine/src/act/mod.rs", "//! Acts.\npub struct Act {\n    aim: u8,\n}\n"), ("docs/a.md", "text")];
    let named = |text: &str| {
        let found = findings(&[files[0], files[1], ("ARCHITECTURE.md", text)]);
        found.into_iter().filter(|finding| finding.starts_with("ARCHITECTURE.md")).collect::<Vec<_>>()
    };
    for right in [
        "see `engine/src/act`, `engine/src/act/mod.rs`, `docs/a.md`",
        "`engine/src/NAME.rs`",
        "`cargo xtask tidy`",
        "`act/mod.rs`, `mod.rs`, `Act::aim`, `clap::Args`",
    ] {
        assert_eq!(named(right), Vec::<String>::new(), "{right}");
    }
    for wrong in
        ["`engine/src/judge.rs`", "`crates/engine/src/act.rs`", "`docs/b.md`", "`od.rs`", "`Act::told`", "`Gone::aim`"]
    {
        let found = named(wrong);
        assert!(found.len() == 1 && found[0].starts_with("ARCHITECTURE.md:1: cited"), "{wrong}: {found:?}");
    }
}
