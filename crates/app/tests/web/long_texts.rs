//! Of long texts that change, the part that differs is shown, wherever it stands in them.

use handeye_testkit::live::{Live, page};

#[test]
fn what_differs_at_the_end_of_a_long_text_is_shown() {
    let live = Live::open(|_| {
        let words = "word ".repeat(250);
        page(format!(
            "<title>Long</title><button onclick=\"note.firstChild.data = note.firstChild.data.replace('before', 'after')\">Note</button>
             <button onclick=\"hint.title = hint.title.replace('before', 'after')\">Title</button>
             <p id=note>{words}before</p><p id=hint title='{words}before'>Hint</p>"
        ))
    });
    for name in ["Note", "Title"] {
        let said = live.ok(&format!("click --name {name}"));
        assert!(said.contains("word before\"") && said.contains("word after\""), "{name}: {said}");
    }
}
