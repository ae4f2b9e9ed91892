//! Prints the page script, as an extension loads it for a content script.

fn main() {
    print!("{}", handeye_browser::script(false));
}
