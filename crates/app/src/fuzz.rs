//! Generated configuration: none may panic or hang. `cargo xtask fuzz` makes many of them.

use crate::source::{lay, parse};
use handeye_commands::Settings;
use handeye_scene::Code;
use handeye_testkit::fuzz::survive;
use handeye_testkit::trials;
use std::collections::BTreeMap;
use std::path::Path;

const SAMPLE: &str = include_str!("../../../fixtures/fuzz/config.toml");

#[test]
fn configuration() {
    let own = parse(SAMPLE, Path::new("own.toml"), &mut BTreeMap::new()).unwrap();
    let take = move |text: &str| {
        let mut keys = BTreeMap::new();
        match parse(text, Path::new("handeye.toml"), &mut keys) {
            Ok(settings) => {
                let _ = lay(Settings::default(), settings.clone(), &keys);
                let _ = lay(own.clone(), settings, &keys);
            }
            Err(problem) => assert_ne!(problem.code, Code::Bug, "{}", problem.message),
        }
    };
    survive("configuration", 31, trials(1500, 100_000), |m| m.text(&[SAMPLE]), take);
}
