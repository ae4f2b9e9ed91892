//! A small Win32 program with one of each control, which the live tests on Windows drive.
//!
//! `panel LOG [TITLE]`: what was really done to it is written to LOG, a line each. Lines on its standard input change it:
//! `relabel TEXT`, `remove`, `disable`, `cover`, `uncover`, `move X Y`, `hang MILLISECONDS`, `close`; `reset TEXT` puts the button
//! anew, `place X Y WIDTH HEIGHT` puts it elsewhere, `fill COUNT` makes the list longer, `parts` and `no-parts` open and close a
//! window of compound controls, `row TEXT` puts a row into its list, `kinds` and `panes` open windows of their own (`kinds.rs`), and `later MILLISECONDS LINE` has a line done then, while
//! something else is going on.

#[cfg(windows)]
#[path = "panel/kinds.rs"]
mod kinds;
#[cfg(windows)]
#[path = "panel/parts.rs"]
mod parts;
#[cfg(windows)]
#[path = "panel/window.rs"]
mod window;

fn main() {
    #[cfg(windows)]
    window::run();
}
