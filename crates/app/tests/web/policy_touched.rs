//! Rules for an origin hold for what reaches it from a page of another: its storage, cookies, permissions, files.

use handeye_testkit::live::{Answer, Live, page};

fn site(path: &str) -> Answer {
    match path {
        "/file" => Answer::Download("file.txt"),
        _ => page(
            "<title>Here</title><h1>Here</h1><script>localStorage.kept = 'its-own'; document.cookie = 'c=mine'</script>",
        ),
    }
}

/// A policy that names the site's other name.
fn bar(live: &Live, list: &str, effects: &[&str]) {
    let rules: Vec<String> = effects.iter().map(|e| format!("\"{e}@http://localhost:{}\"", live.site.port)).collect();
    let text = format!("[policy]\n{list} = [{}]\n", rules.join(", "));
    std::fs::write(live.home.work().join("handeye.toml"), text).unwrap();
}

fn other(live: &Live) -> String {
    format!("http://localhost:{}", live.site.port)
}

#[test]
fn what_is_kept_for_a_barred_origin_is_not_reached_from_another() {
    let live = Live::open(site);
    let other = other(&live);
    live.ok(&format!("open {other}/"));
    live.ok(&format!("open {}", live.site.at("/")));
    std::fs::write(live.home.work().join("pw.txt"), "hunter22").unwrap();
    live.ok("storage save all.json");
    for list in ["deny", "ask"] {
        bar(&live, list, &["acts", "reads"]);
        for line in [
            format!("storage list --origin {other}"),
            format!("storage get kept --origin {other}/path"),
            format!("storage set kept changed --origin {other}"),
            format!("storage clear --origin {other}"),
            format!("storage clear kept --area session --origin {other}"),
            "storage save some.json".into(),
            "storage load all.json".into(),
            "cookies list --domain localhost".into(),
            "cookies list --domain LOCALHOST --values".into(),
            "cookies set c changed --domain localhost".into(),
            "cookies set c changed --domain .LocalHost".into(),
            "cookies clear --domain localhost".into(),
            "cookies clear".into(),
            "cookies clear c".into(),
            format!("permissions grant geolocation --origin {other}"),
            format!("set credentials ann --password-file pw.txt --origin {other}"),
            format!("download {other}/file"),
            format!("download //localhost:{}/file", live.site.port),
        ] {
            let said = live.problem(&line);
            assert!(
                said.starts_with("error[denied]") && said.to_lowercase().contains("localhost"),
                "{list} {line}: {said}"
            );
        }
        assert!(!live.home.work().join("some.json").exists() && !live.home.work().join("file.txt").exists(), "{list}");
        let listed = live.ok("cookies list");
        assert!(listed.contains("for 127.0.0.1/") && !listed.contains("for localhost"), "{list}: {listed}");
        assert!(listed.contains("notice denied: cookies of hosts that the policy denies are left out: 1"), "{listed}");
        // What is the page's own goes on.
        live.ok("storage get kept");
        live.ok("cookies set d mine");
        live.ok("permissions grant geolocation");
        live.ok(&format!("download /file --to {list}.txt"));
    }
    bar(&live, "deny", &["acts"]);
    assert_eq!(
        live.ok(&format!("storage get kept --origin {other}")),
        "its-own",
        "reading is allowed, and nothing changed"
    );
    assert_eq!(live.json("cookies list --domain localhost")["cookies"][0]["value"], "mine");
    bar(&live, "deny", &["reads"]);
    live.ok(&format!("storage set kept changed --origin {other}"));
    assert!(live.problem(&format!("download {other}/file")).starts_with("error[denied]"), "it is read by that");
    assert!(live.problem(&format!("storage list --origin {other}")).starts_with("error[denied]"));
}
