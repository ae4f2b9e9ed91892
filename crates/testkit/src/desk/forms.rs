//! The same form in several toolkits.

use super::{Desk, Panel};
use crate::home::eventually;
use std::time::Duration;

/// A form of each toolkit.
pub const FORMS: [&str; 3] = ["forms_gtk3.py", "forms_gtk4.py", "forms_qt.py"];

/// Tries each form on one desktop: the desktop, the form's window, and its name.
pub fn on_each_form(case: impl Fn(&Desk, &mut Panel, &str)) {
    let Some(desk) = Desk::open(&[]) else { return };
    for script in FORMS {
        let mut form = desk.fixture(script, script);
        case(&desk, &mut form, script);
        drop(form);
        let gone = || !desk.ok(&["windows"]).contains(script);
        assert!(eventually(Duration::from_secs(5), gone), "{script}");
    }
}
