//! Script dialogs that open and close.

use crate::model::Model;
use crate::protocol::DialogOpening;
use handeye_scene::{Event, Notice, OpenDialog};

pub(super) fn opened(model: &mut Model, session: &str, dialog: DialogOpening) {
    let (message, default) = match model.is_read_denied(&dialog.url) {
        true => ("(withheld: the policy denies reading its origin)".to_owned(), String::new()),
        false => (dialog.message, dialog.default_prompt.unwrap_or_default()),
    };
    let open = OpenDialog { kind: dialog.kind, message, default };
    let Some(target) = model.pages.tab_target(session) else { return };
    if model.pages.active.as_deref() == Some(target.as_str()) {
        model.happened(Event::Dialog { kind: open.kind.clone(), message: open.message.clone() });
    } else if let Some(id) = model.pages.tab_mut(&target).map(|t| t.id.clone()) {
        let message = model.cut(&open.message, 200);
        let text = format!("tab {id} shows {} {message:?}", open.kind);
        let notice = Notice::new("dialog", text).hint(format!("handeye tabs switch {id}"));
        model.reports.notices.push(notice);
    }
    model.pages.dialogs.insert(target, (session.to_owned(), open));
    model.touch();
}

pub(super) fn closed(model: &mut Model, session: &str) {
    if let Some(target) = model.pages.tab_target(session) {
        model.pages.dialogs.remove(&target);
    }
}
