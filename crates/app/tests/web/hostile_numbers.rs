//! Pages that give numbers out of every bound: they are shown and clicked all the same, and so is what frames of them hold.

use handeye_testkit::live::{Answer, Live, page};

/// What a page may give as the level of an `<h4>`, and the level that it is told with.
const LEVELS: [(&str, u32); 11] = [
    ("1", 1),
    ("7", 7),
    ("2147483647", 2_147_483_647),
    ("1.5", 4),
    ("0x3", 4),
    ("2147483648", 4),
    ("99999999999", 4),
    ("1e999", 4),
    ("0", 4),
    ("-1", 4),
    ("deep", 4),
];

/// The picture that an image map is about.
const PICTURE: &str =
    "<img usemap=#m width=80 height=40 src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>\">";

const KINDS: [&str; 9] = ["levels", "far", "endless", "both", "greatest", "many", "scaled", "moved", "drawn"];

fn content(kind: &str) -> String {
    let area = |shape: &str, coords: &str| {
        format!("{PICTURE}<map name=m><area shape={shape} href=/x alt=Area coords='{coords}'></map>")
    };
    match kind {
        "levels" => LEVELS.map(|(given, _)| format!("<h4 aria-level='{given}'>at {given}.</h4>")).concat(),
        "far" => area("rect", "0,0,1e20,40"),
        "endless" => area("rect", "0,0,Infinity,40"),
        "both" => area("circle", "1e400,-Infinity,1e400"),
        "greatest" => area("poly", "1e308,1e308,-1e308,-1e308,0,1e308"),
        "many" => area("poly", &"1,2,".repeat(150_000)),
        "scaled" => "<button style='transform: scale(1e18)'>Scaled</button>".to_owned(),
        "moved" => "<p style='transform: translate(-1e30px, 1e30px)'><button>Moved</button> and text".to_owned(),
        "drawn" => "<svg><path role=img aria-label=Trend d='M0 0h1e18v9'/></svg>".to_owned(),
        _ => unreachable!(),
    }
}

fn route(path: &str) -> Answer {
    let kind = path.trim_start_matches('/');
    match KINDS.contains(&kind) {
        true => page(format!(
            "<title>{kind}</title><button id=plain style='position: relative; z-index: 9' onclick=\"log('{kind}')\">Plain {kind}</button>{}",
            content(kind)
        )),
        false => page(KINDS.map(|kind| format!("<iframe src=/{kind} width=300 height=60></iframe>")).concat()),
    }
}

#[test]
fn a_page_of_numbers_out_of_bounds_is_shown_and_clicked() {
    let live = Live::closed(route);
    for kind in KINDS {
        live.ok(&format!("open {}", live.site.at(&format!("/{kind}"))));
        for look in ["state", "state --via ax"] {
            let state = live.json(look);
            let wanted = format!("Plain {kind}");
            assert!(
                state["targets"].as_array().unwrap().iter().any(|t| t["name"] == wanted),
                "{kind}: {look}: {state}"
            );
        }
        live.ok("inspect --css #plain");
        live.ok("click --css #plain");
        live.logged(kind);
    }
}

#[test]
fn a_level_that_is_no_positive_integer_is_none() {
    let live = Live::open(|_| page(content("levels")));
    let said = live.ok("state");
    for (given, told) in LEVELS {
        let line = format!("heading {told} \"at {given}.\"");
        assert!(said.lines().any(|l| l == line), "{line} in {said}");
    }
}

#[test]
fn frames_of_numbers_out_of_bounds_are_looked_into() {
    let live = Live::open(route);
    for look in ["state --all", "state --all --via ax"] {
        let state = live.json(look);
        for kind in KINDS {
            let wanted = format!("Plain {kind}");
            assert!(
                state["targets"].as_array().unwrap().iter().any(|t| t["name"] == wanted),
                "{kind}: {look}: {state}"
            );
        }
    }
}
