//! Prints the page script, as an extension loads it for a content script.

#[allow(clippy::print_stdout)] // printing is what it is for
fn main() {
    print!("{}", handeye_browser::script(false));
}
