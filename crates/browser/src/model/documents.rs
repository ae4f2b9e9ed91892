//! Documents: those that live, and of those that were left the last, for the back/forward cache may bring them back. A session
//! may go on for days, so nothing here grows with it.

use handeye_scene::DocumentId;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// How many that were left are kept. The browser keeps a few pages; with them come back the documents in their frames.
const LEFT: usize = 500;
/// Statuses of so many main documents are kept: they are asked for when a page has just arrived.
const STATUSES: usize = 50;
/// So many main documents that answer a POST are known as such: far more than a session shows and the browser's back/forward
/// cache brings back. What gave no document, such as a download, is among them.
const POSTED: usize = 500;

/// One document: our script in one context.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentState {
    pub(crate) frame: String,
    pub(crate) session: String,
    /// Unique id of the context of our world.
    pub(crate) context: String,
    /// Its plain id, for the calls that take no other.
    pub(crate) context_id: i64,
    /// Not navigated away. A document in the back/forward cache is not, and may be again.
    pub(crate) alive: bool,
    /// It didn't answer in time, and hasn't since.
    pub(crate) silent: bool,
    /// The same when the gesture began.
    pub(crate) was_silent: bool,
    /// The look before the gesture left it out, or one since: what differs in it may be as old as the page.
    pub(crate) missed: bool,
    /// Whether the script was there before the page's; asked once.
    pub(crate) at_start: Option<bool>,
    /// The version for which listeners and closed roots were last looked for.
    pub(crate) scanned: Option<u64>,
    /// How many nodes it had then.
    pub(crate) size: usize,
    /// Backend nodes whose listeners are known to the script.
    pub(crate) listening: HashSet<i64>,
    /// Backend nodes of closed roots that the script has.
    pub(crate) roots: HashSet<i64>,
}

/// Every document that is known. What has been forgotten is gone for whoever asks for it; no id is used twice.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    all: BTreeMap<DocumentId, DocumentState>,
    by_context: HashMap<String, DocumentId>,
    /// Those that were left, in that order.
    left: VecDeque<DocumentId>,
    /// How many there have been.
    born: u32,
    /// HTTP status of main documents, by loader, in order of coming.
    statuses: VecDeque<(String, u16)>,
    /// Main documents that answer a POST, by loader: where it was sent. In order of coming.
    posted: VecDeque<(String, String)>,
}

impl Documents {
    /// A gesture begins.
    pub(crate) fn begin(&mut self) {
        for document in self.all.values_mut() {
            document.was_silent = document.silent;
        }
    }

    pub(crate) fn get(&self, id: DocumentId) -> Option<&DocumentState> {
        self.all.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: DocumentId) -> Option<&mut DocumentState> {
        self.all.get_mut(&id)
    }

    /// In order of coming.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (DocumentId, &DocumentState)> {
        self.all.iter().map(|(id, document)| (*id, document))
    }

    /// The document that has this context.
    pub(crate) fn of_context(&self, context: &str) -> Option<DocumentId> {
        self.by_context.get(context).copied()
    }

    /// One is there: a new one, or one that has come back.
    pub(crate) fn enter(&mut self, frame: &str, session: &str, context: &str, context_id: i64) -> DocumentId {
        let id = match self.of_context(context) {
            Some(id) => id,
            None => {
                self.born += 1;
                let id = DocumentId(self.born);
                self.by_context.insert(context.to_owned(), id);
                id
            }
        };
        let document = self.all.entry(id).or_default();
        if !document.alive {
            self.left.retain(|left| *left != id);
        }
        document.frame = frame.to_owned();
        document.session = session.to_owned();
        document.context = context.to_owned();
        document.context_id = context_id;
        document.alive = true;
        id
    }

    /// One was left, for good or not.
    pub(crate) fn leave(&mut self, id: DocumentId) {
        let Some(document) = self.all.get_mut(&id) else { return };
        if !std::mem::replace(&mut document.alive, false) {
            return;
        }
        self.left.push_back(id);
        if self.left.len() > LEFT
            && let Some(oldest) = self.left.pop_front()
            && let Some(forgotten) = self.all.remove(&oldest)
        {
            self.by_context.remove(&forgotten.context);
        }
    }

    /// A main document was answered.
    pub(crate) fn answered(&mut self, loader: &str, status: u16) {
        if self.statuses.len() == STATUSES {
            self.statuses.pop_front();
        }
        self.statuses.push_back((loader.to_owned(), status));
    }

    /// HTTP status of a main document that has just come, by its loader.
    pub(crate) fn status(&self, loader: &str) -> Option<u16> {
        self.statuses.iter().rev().find(|(of, _)| of == loader).map(|(_, status)| *status)
    }

    /// A main document is asked for. Of a redirect the last request counts: it is what loading the page again repeats.
    pub(crate) fn asked(&mut self, loader: &str, method: &str, url: &str) {
        self.gets_when_reloaded(loader);
        if method != "POST" {
            return;
        }
        if self.posted.len() == POSTED {
            self.posted.pop_front();
        }
        self.posted.push_back((loader.to_owned(), url.to_owned()));
    }

    /// Loading this main document again sends no form, or no longer does.
    pub(crate) fn gets_when_reloaded(&mut self, loader: &str) {
        self.posted.retain(|(of, _)| of != loader);
    }

    /// Where a form was sent for this main document, if loading it again sends it once more.
    pub(crate) fn posted_to(&self, loader: &str) -> Option<&str> {
        self.posted.iter().find(|(of, _)| of == loader).map(|(_, url)| url.as_str())
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Model;

    impl super::Documents {
        fn sizes(&self) -> [usize; 5] {
            [self.all.len(), self.by_context.len(), self.left.len(), self.statuses.len(), self.posted.len()]
        }
    }

    #[test]
    fn a_tab_that_goes_from_page_to_page_for_days_keeps_the_last() {
        let mut model = Model::default();
        let mut ids = Vec::new();
        for n in 0..20_000 {
            ids.push(model.pages.enter("main", "s", &format!("c{n}"), n));
            model.pages.documents.asked(&format!("l{n}"), "POST", "http://a/order");
            model.pages.documents.answered(&format!("l{n}"), 200);
            model.pages.leave(&format!("c{n}"));
        }
        let most = [super::LEFT, super::LEFT, super::LEFT, super::STATUSES, super::POSTED];
        assert_eq!(model.pages.documents.sizes(), most);
        assert_eq!((model.pages.documents.status("l19999"), model.pages.documents.status("l0")), (Some(200), None));
        // The last ones come back as what they were, the first as new ones; no number is used again.
        assert_eq!(model.pages.enter("main", "s", "c19990", 7), ids[19_990]);
        assert!(model.pages.document(ids[0]).is_none() && model.pages.document(ids[19_999]).is_some_and(|d| !d.alive));
        let again = model.pages.enter("main", "s", "c0", 8);
        assert!(!ids.contains(&again), "{again:?}");
    }

    #[test]
    fn frames_that_come_and_go_leave_nothing_that_grows() {
        let mut model = Model::default();
        let main = model.pages.enter("main", "s", "main context", 1);
        for n in 0..20_000 {
            let (frame, context) = (format!("f{n}"), format!("c{n}"));
            model.pages.frame(&frame, "s").parent = Some("main".into());
            model.pages.enter(&frame, "s", &context, n);
            model.remove_frame(&frame);
        }
        assert_eq!(model.pages.documents.sizes()[..3], [super::LEFT + 1, super::LEFT + 1, super::LEFT]);
        assert_eq!(model.pages.frames.len(), 1);
        assert!(model.pages.document(main).is_some_and(|d| d.alive));
    }

    #[test]
    fn what_comes_and_goes_again_is_kept_by_when_it_was_left_last() {
        let mut model = Model::default();
        let kept = model.pages.enter("main", "s", "kept", 0);
        for n in 0..5_000 {
            model.pages.leave("kept");
            model.pages.enter("main", "s", &format!("c{n}"), n);
            model.pages.leave(&format!("c{n}"));
            assert_eq!(model.pages.enter("main", "s", "kept", 0), kept);
        }
        assert_eq!(model.pages.documents.sizes()[..3], [super::LEFT, super::LEFT, super::LEFT - 1]);
        // All of a session's at once.
        model.pages.leave_all("s");
        assert!(model.pages.documents.iter().all(|(_, d)| !d.alive));
        assert_eq!(model.pages.documents.sizes()[0], super::LEFT);
        assert!(model.pages.document(kept).is_some());
    }
}
