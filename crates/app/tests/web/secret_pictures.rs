//! No picture and no print shows a secret.

use crate::secrets::{colours, field, open, site};
use handeye_testkit::live::Live;

#[test]
fn pictures_cover_passwords_and_secrets() {
    let live = open();
    let (user, password, foreign) = (field(&live, "User"), field(&live, "Password"), field(&live, "Foreign"));
    live.ok(&format!("input {password} other-text"));
    live.ok(&format!("input {user} --secret pw"));
    live.ok(&format!("input {foreign} --secret code"));
    for (name, line) in [
        ("view.png", "screenshot view.png"),
        ("full.png", "screenshot full.png --full"),
        ("state.png", "state --screenshot state.png"),
    ] {
        live.ok(line);
        for css in ["#p", "#u", "#echo", "#f"] {
            let at = live.json(&format!("get rect --css {css}"))["value"].clone();
            let seen = colours(&live.home.work().join(name), &at, 1);
            assert_eq!(seen.len(), 1, "{name} {css} {at}: {seen:?}");
        }
        let plain = live.json("get rect --css #plain")["value"].clone();
        assert!(colours(&live.home.work().join(name), &plain, 1).len() > 1, "{name}");
    }
    live.ok("screenshot one.jpg --quality 50");
    assert!(std::fs::read(live.home.work().join("one.jpg")).unwrap().starts_with(&[0xff, 0xd8]));
    assert!(live.problem("pdf page.pdf").starts_with("error[denied]"));
}

#[test]
fn a_print_shows_no_password_that_the_page_reveals() {
    let live = Live::open(site);
    let password = field(&live, "Password");
    live.ok(&format!("input {password} other-text"));
    live.ok("pdf dots.pdf");
    live.ok(&format!("open {} --session shown --allow eval", live.site.at("/")));
    live.ok("input --css #p other-text --session shown");
    live.ok("eval p.type=`text` --session shown");
    let said = live.problem("pdf page.pdf --session shown");
    assert!(said.starts_with("error[denied]") && said.contains("what a password field holds"), "{said}");
    assert!(!live.home.work().join("page.pdf").exists());
    live.ok("screenshot page.png --session shown");
}

#[test]
fn a_picture_shows_no_secret_however_it_is_laid_out() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --secret pw=hunter22", live.site.at("/shows")));
    live.ok("screenshot covered.png --full");
    let covered = live.home.work().join("covered.png");
    for css in [
        "#split b",
        "#split i",
        "#lines",
        "#out",
        "#hint",
        "#chosen",
        "#grouped",
        "#spaced",
        "#host",
        "#case",
        "#upper",
        "#before",
        "#after",
        "#attr",
        "#quoted",
        "#named",
        "#data",
        "#svg text",
        "#bg",
    ] {
        let at = live.json(&format!("get rect --css '{css}'"))["value"].clone();
        let seen = colours(&covered, &at, 1);
        assert_eq!(seen.len(), 1, "{css} {at}: {seen:?}");
    }
    // A list's marker hangs out of its item.
    let mut marker = live.json("get rect --css #named")["value"].clone();
    (marker[0], marker[2]) = (serde_json::json!(marker[0].as_f64().unwrap() - 150.0), serde_json::json!(150.0));
    assert_eq!(colours(&covered, &marker, 1).len(), 1, "{marker}");
    let plain = live.json("get rect --css #plain")["value"].clone();
    assert!(colours(&covered, &plain, 1).len() > 1);
    // Nor does a text, however its letters are written.
    for line in ["state --all", "state --json", "get text", "get html", "get attr --css #attr data-x"] {
        let said = live.ok(line).to_lowercase();
        assert!(said.contains("••••") && !said.contains("hunter22"), "{line}: {said}");
    }
    // What has no name is found without its text.
    assert!(!live.ok("find --css #upper").to_lowercase().contains("hunter22"));
}
