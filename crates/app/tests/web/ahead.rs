//! A page that the browser made ready in advance is the page from the moment it is shown: seen, guarded, acted on.

use handeye_testkit::live::{Live, page};

#[test]
fn a_page_made_ready_in_advance_is_followed_when_it_is_shown() {
    let live = Live::open(|path| {
        match path {
        "/next" => page(
            "<title>Next</title><p id=how></p><button onclick=\"log('clicked')\">Here</button><input aria-label=Field>
             <script>how.textContent = document.prerendering ? 'Made ready' : 'Late'</script>",
        ),
        _ => page(
            "<title>First</title><a href=/next>On</a> <button>Old</button>
             <script type=speculationrules>{\"prerender\": [{\"urls\": [\"/next\"], \"eagerness\": \"immediate\"}]}</script>",
        ),
    }
    });
    let old = live.number("button");
    // It is made ready meanwhile, or not: both must do.
    live.ok("wait 1");
    let said = live.ok("click --name On");
    assert!(said.contains("navigated to ") && said.contains("/next"), "{said}");
    assert_eq!(live.ok("get url"), live.site.at("/next"));
    assert!(live.ok("state").contains("button \"Here\""), "{}", live.ok("state"));
    assert!(live.problem(&format!("click {old}")).starts_with("error[stale]"));
    live.ok("click --name Here");
    live.logged("clicked");
    live.ok("input --css input words");
    assert_eq!(live.ok("get value --css input"), "words");
    assert_eq!(live.json("tabs list")["tabs"].as_array().unwrap().len(), 1);
    live.ok("back");
    assert!(live.ok("state").contains("button \"Old\""), "{}", live.ok("state"));
}
