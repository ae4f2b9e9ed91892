//! Native selects of very many options: what is chosen is done and told, wherever it stands.

use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;

fn site(path: &str) -> Answer {
    let count = path.trim_start_matches('/').parse::<usize>().unwrap_or(3);
    page(format!(
        r#"<title>Long</title><select id=one aria-label=One></select><select id=many aria-label=Many multiple></select>
        <select id=stays aria-label=Stays></select><script>
        for (const list of [one, many, stays]) {{
          for (let n = 0; n < {count}; n++) list.add(new Option('Item ' + n, 'v' + n));
          list.onchange = () => log([...list.selectedOptions].map((o) => o.index).join('+'));
        }}
        // It is the page that goes back on it.
        stays.addEventListener('change', () => {{ stays.selectedIndex = 1 }});
        </script>"#
    ))
}

#[test]
fn options_far_down_are_chosen_and_confirmed() {
    let live = Live::closed(site);
    let mut amiss = Vec::new();
    for count in [1_200, 6_000].into_iter().take(if is_full() { 2 } else { 1 }) {
        live.ok(&format!("open {}", live.site.at(&format!("/{count}"))));
        live.log();
        let last = count - 1;
        for (id, options, verdict, chosen) in [
            ("one", "'Item 499'".into(), "confirmed", "499".into()),
            ("one", "'Item 500'".into(), "confirmed", "500".into()),
            ("one", "v501".into(), "confirmed", "501".into()),
            ("one", "#502".into(), "confirmed", "502".into()),
            ("one", format!("'Item {last}'"), "confirmed", last.to_string()),
            ("one", format!("v{}", last - 1), "confirmed", (last - 1).to_string()),
            ("one", format!("#{}", last - 2), "confirmed", (last - 2).to_string()),
            // Chosen already.
            ("one", format!("#{}", last - 2), "confirmed", String::new()),
            ("many", format!("'Item 3' v{last} #{}", last - 1), "confirmed", format!("3+{}+{last}", last - 1)),
            ("many", format!("#{}", last - 1), "confirmed", (last - 1).to_string()),
            ("stays", format!("'Item {last}'"), "contradicted", last.to_string()),
        ] {
            let receipt: Value = live.run(&format!("select --css #{id} {options} --json")).json();
            let logged = live.log();
            if receipt["verdict"] != verdict || logged != chosen {
                amiss
                    .push(format!("{count}: {id} {options}: {} {}, {logged:?}", receipt["verdict"], receipt["reason"]));
            }
        }
        // Nothing is chosen where there is nothing.
        let said = live.not(&format!("select --css #one #{count}"));
        assert!(said.contains(&format!("#0 to #{last}")), "{said}");
        live.logged("");
        // All that is told of an option is which it is, and whether it is chosen.
        let told = live.json("inspect --css #one");
        let selected: Vec<&Value> =
            told["options"].as_array().unwrap().iter().filter(|o| o["selected"] == true).collect();
        assert_eq!(selected.len(), 1, "{selected:?}");
        assert_eq!(
            (&selected[0]["index"], &selected[0]["value"]),
            (&(last - 2).into(), &format!("v{}", last - 2).into())
        );
    }
    assert!(amiss.is_empty(), "{}", amiss.join("\n"));
}
