//! What is tried on each toolkit in a full run is tried on one of them in a normal run: on another one from test to test.

use handeye_testkit::desk::forms::{FORMS, on_each_form};
use handeye_testkit::desk::{Desk, Panel};
use handeye_testkit::is_full;

/// The toolkits' places in tables of them.
pub(super) const GTK_3: usize = 0;
pub(super) const GTK_4: usize = 1;
pub(super) const QT: usize = 2;

/// Of rows, such as one for each toolkit, all of them or the one at this place.
pub(super) fn tried<T>(rows: impl IntoIterator<Item = T>, one: usize) -> Vec<T> {
    rows.into_iter().enumerate().filter(|(n, _)| is_full() || *n == one).map(|(_, row)| row).collect()
}

/// Tries each form on one desktop, or the one at this place.
pub(super) fn on_a_form(one: usize, case: impl Fn(&Desk, &mut Panel, &str)) {
    if is_full() {
        return on_each_form(case);
    }
    let Some(desk) = Desk::open(&[]) else { return };
    let mut form = desk.fixture(FORMS[one], FORMS[one]);
    case(&desk, &mut form, FORMS[one]);
}
