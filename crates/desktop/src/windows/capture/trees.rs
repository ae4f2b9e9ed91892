//! Both trees, and which one a call goes to: new looks to the one that is asked for, an element to the one that it came from.

use crate::windows::calls::{self, Fault, Missing};
use crate::windows::capture::controls;
use crate::windows::capture::tree::{Done, Hit, Reading, Tree};
use crate::windows::capture::uia::Uia;
use crate::windows::capture::win32::Win32;
use crate::windows::records::classes::{Family, family};
use crate::windows::records::element::Element;
use crate::windows::records::ids::{Key, Place};
use crate::windows::records::window_list::{Handle, Seen};
use handeye_scene::{Backend, Code, Notice, Point, Problem, Rect};
use std::time::Instant;

type Automation = Result<Box<dyn Tree>, Missing>;

/// Both trees.
pub(crate) struct Trees {
    /// UI Automation, once it was asked for; or why it can't start.
    uia: Option<Automation>,
    win32: Box<dyn Tree>,
    /// What looks are made by unless a call says otherwise.
    usual: Backend,
    /// What looks are made by in this call.
    now: Backend,
    start: fn() -> Automation,
}

fn start() -> Automation {
    Uia::start().map(|uia| Box::new(uia) as Box<dyn Tree>)
}

impl Trees {
    /// UI Automation where it can start, unless window messages were asked for; a word about it where it can't.
    pub(crate) fn open(asked: Option<Backend>) -> (Self, Option<Notice>) {
        Self::open_with(asked, Box::new(Win32::default()), start)
    }

    fn open_with(asked: Option<Backend>, win32: Box<dyn Tree>, start: fn() -> Automation) -> (Self, Option<Notice>) {
        let mut trees = Self { uia: None, win32, usual: Backend::Win32, now: Backend::Win32, start };
        if asked == Some(Backend::Win32) {
            return (trees, None);
        }
        let missing = trees.automation().err();
        if missing.is_none() {
            (trees.usual, trees.now) = (Backend::Uia, Backend::Uia);
        }
        let notice = missing.map(|missing| {
            let text = format!(
                "{}: windows are looked into by window messages, which know Win32's own controls only",
                why(missing)
            );
            Notice::new("backend", text)
        });
        (trees, notice)
    }

    /// Makes the looks of this call by `asked`, else by what is usual.
    pub(crate) fn look_by(&mut self, asked: Option<Backend>) -> Result<(), Problem> {
        if asked == Some(Backend::Uia)
            && let Err(missing) = self.automation()
        {
            return Err(Problem::new(Code::Unavailable, why(missing)).hint("handeye state --backend win32"));
        }
        self.now = asked.unwrap_or(self.usual);
        Ok(())
    }

    fn automation(&mut self) -> Result<&mut Box<dyn Tree>, Missing> {
        let start = self.start;
        self.uia.get_or_insert_with(start).as_mut().map_err(|missing| *missing)
    }

    fn by(&mut self, backend: Backend) -> Result<&mut Box<dyn Tree>, Fault> {
        match backend {
            Backend::Win32 => Ok(&mut self.win32),
            Backend::Uia => self.automation().map_err(|missing| Fault::Refused(why(missing))),
        }
    }

    /// The button of Windows' own that an element is, if it is one: whoever told of it, messages reach it.
    pub(crate) fn own_button(&self, key: &Key) -> Option<Handle> {
        let Place::Window(of) = key.place else { return None };
        let told = calls::traits(of).filter(|t| controls::check(t) == key.check)?;
        (family(&told.class) == Family::Button).then_some(of)
    }

    /// The tree that knows an element. A control of its own is known to both.
    fn of(&mut self, key: &Key) -> Result<&mut Box<dyn Tree>, Fault> {
        self.by(match key.place {
            Place::Window(_) => self.now,
            Place::Automation(_) => Backend::Uia,
            Place::Item(..) | Place::Menu(..) | Place::Part(..) => Backend::Win32,
        })
    }
}

fn why(Missing(number): Missing) -> String {
    format!("UI Automation can't start here (the system says {number:#x})")
}

impl Tree for Trees {
    fn read(&mut self, window: &Seen, until: Instant) -> Result<Reading, Fault> {
        self.by(self.now)?.read(window, until)
    }

    fn look(&mut self, window: &Seen, key: &Key) -> Result<Option<Element>, Fault> {
        self.of(key)?.look(window, key)
    }

    fn says(&mut self, window: &Seen, key: &Key, at: Option<Point>) -> Result<Option<String>, Fault> {
        self.of(key)?.says(window, key, at)
    }

    fn is_down(&mut self, key: &Key) -> Result<Option<bool>, Fault> {
        let by_messages = matches!(key.place, Place::Window(_));
        if by_messages { self.win32.is_down(key) } else { self.of(key)?.is_down(key) }
    }

    fn invoke(&mut self, key: &Key) -> Result<Done, Fault> {
        self.of(key)?.invoke(key)
    }

    fn expand(&mut self, key: &Key, on: bool) -> Result<Done, Fault> {
        self.of(key)?.expand(key, on)
    }

    fn set(&mut self, key: &Key, number: f64) -> Result<Done, Fault> {
        self.of(key)?.set(key, number)
    }

    fn replace(&mut self, key: &Key, text: &str) -> Result<Done, Fault> {
        self.of(key)?.replace(key, text)
    }

    fn choose(&mut self, key: &Key, option: usize, says: &str) -> Result<Done, Fault> {
        self.of(key)?.choose(key, option, says)
    }

    fn focus(&mut self, key: &Key) -> Result<bool, Fault> {
        self.of(key)?.focus(key)
    }

    fn reveal(&mut self, key: &Key) -> Result<(), Fault> {
        self.of(key)?.reveal(key)
    }

    fn text(&mut self, key: &Key) -> Result<Option<String>, Fault> {
        self.of(key)?.text(key)
    }

    fn visible(&mut self, window: &Seen, key: &Key, rect: Rect) -> Result<Option<Rect>, Fault> {
        self.of(key)?.visible(window, key, rect)
    }

    fn hit(&mut self, window: &Seen, key: &Key, at: Point) -> Result<Hit, Fault> {
        self.of(key)?.hit(window, key, at)
    }

    fn scrolled(&mut self, at: Point) -> Option<(f64, f64)> {
        self.by(self.now).ok()?.scrolled(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree that only tells its name.
    struct Named(&'static str);

    impl Tree for Named {
        fn read(&mut self, _: &Seen, _: Instant) -> Result<Reading, Fault> {
            Ok(Reading { partial: Some(self.0.to_owned()), ..Reading::default() })
        }
        fn look(&mut self, _: &Seen, _: &Key) -> Result<Option<Element>, Fault> {
            Ok(None)
        }
        fn says(&mut self, _: &Seen, _: &Key, _: Option<Point>) -> Result<Option<String>, Fault> {
            Ok(None)
        }
        fn is_down(&mut self, _: &Key) -> Result<Option<bool>, Fault> {
            Ok(None)
        }
        fn invoke(&mut self, _: &Key) -> Result<Done, Fault> {
            Ok(Done::By(self.0))
        }
        fn expand(&mut self, _: &Key, _: bool) -> Result<Done, Fault> {
            Ok(Done::By(self.0))
        }
        fn set(&mut self, _: &Key, _: f64) -> Result<Done, Fault> {
            Ok(Done::By(self.0))
        }
        fn replace(&mut self, _: &Key, _: &str) -> Result<Done, Fault> {
            Ok(Done::By(self.0))
        }
        fn choose(&mut self, _: &Key, _: usize, _: &str) -> Result<Done, Fault> {
            Ok(Done::By(self.0))
        }
        fn focus(&mut self, _: &Key) -> Result<bool, Fault> {
            Ok(false)
        }
        fn reveal(&mut self, _: &Key) -> Result<(), Fault> {
            Ok(())
        }
        fn text(&mut self, _: &Key) -> Result<Option<String>, Fault> {
            Ok(Some(self.0.to_owned()))
        }
        fn visible(&mut self, _: &Seen, _: &Key, rect: Rect) -> Result<Option<Rect>, Fault> {
            Ok(Some(rect))
        }
        fn hit(&mut self, _: &Seen, _: &Key, _: Point) -> Result<Hit, Fault> {
            Ok(Hit::Own)
        }
        fn scrolled(&mut self, _: Point) -> Option<(f64, f64)> {
            None
        }
    }

    fn there() -> Automation {
        Ok(Box::new(Named("automation")))
    }

    fn absent() -> Automation {
        Err(Missing(0x8004_0154))
    }

    fn says(trees: &mut Trees, place: Place) -> String {
        trees.text(&Key { place, check: String::new() }).unwrap().unwrap()
    }

    fn looks_by(trees: &mut Trees) -> String {
        trees.read(&Seen::default(), Instant::now()).unwrap().partial.unwrap()
    }

    #[test]
    fn an_element_goes_to_the_tree_that_it_came_from() {
        let (mut trees, notice) = Trees::open_with(None, Box::new(Named("messages")), there);
        assert!(notice.is_none());
        for (asked, looks) in [(None, "automation"), (Some(Backend::Win32), "messages"), (None, "automation")] {
            trees.look_by(asked).unwrap();
            assert_eq!(looks_by(&mut trees), looks);
            assert_eq!(says(&mut trees, Place::Automation(vec![42, 7])), "automation");
            assert_eq!(says(&mut trees, Place::Item(Handle(4), 0)), "messages");
            assert_eq!(says(&mut trees, Place::Menu(Handle(4), vec![1])), "messages");
            assert_eq!(says(&mut trees, Place::Window(Handle(9))), looks, "a control of its own is known to both");
        }
    }

    #[test]
    fn what_cannot_start_is_said_and_changes_nothing() {
        let (mut trees, notice) = Trees::open_with(None, Box::new(Named("messages")), absent);
        assert!(
            notice.unwrap().text.starts_with("UI Automation can't start here (the system says 0x80040154): windows")
        );
        let problem = trees.look_by(Some(Backend::Uia)).unwrap_err();
        assert_eq!((problem.code, problem.hints.len()), (Code::Unavailable, 1));
        assert_eq!(looks_by(&mut trees), "messages");
        let key = Key { place: Place::Automation(vec![1]), check: String::new() };
        assert!(matches!(trees.text(&key), Err(Fault::Refused(_))));
        let (mut told, notice) = Trees::open_with(Some(Backend::Win32), Box::new(Named("messages")), there);
        assert!(notice.is_none());
        assert_eq!(looks_by(&mut told), "messages");
        told.look_by(Some(Backend::Uia)).unwrap();
        assert_eq!(looks_by(&mut told), "automation");
    }
}
