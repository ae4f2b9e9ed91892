//! The kinds of targets of each toolkit.

/// When a kind acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    Press,
    Release,
}

/// A kind of targets.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    pub id: &'static str,
    /// From which event on nothing can be stopped any more.
    pub on: On,
    /// Whether it acts on the release all the same, wherever that is.
    pub is_kept: bool,
    /// Whether its text is that of an option of a list, which has to be opened first.
    pub option: bool,
}

const fn acts(on: On, id: &'static str) -> Kind {
    Kind { id, on, is_kept: false, option: false }
}

/// What acts on the release wherever that is: once it is pressed, nothing stops it.
const fn keeps(id: &'static str) -> Kind {
    Kind { id, on: On::Press, is_kept: true, option: false }
}

const fn option(id: &'static str) -> Kind {
    Kind { id, on: On::Release, is_kept: false, option: true }
}

/// A toolkit, and the window of its kinds.
#[derive(Debug)]
pub struct Toolkit {
    pub name: &'static str,
    pub script: &'static str,
    pub kinds: &'static [Kind],
}

impl Toolkit {
    /// The kind of this name.
    pub fn kind(&self, id: &str) -> Option<&'static Kind> {
        self.kinds.iter().find(|kind| kind.id == id)
    }
}

/// All of them.
pub static TOOLKITS: [Toolkit; 3] = [
    Toolkit {
        name: "GTK 3",
        script: "kinds_gtk3.py",
        kinds: &[
            acts(On::Release, "button"),
            acts(On::Release, "toggle"),
            acts(On::Release, "check"),
            acts(On::Release, "radio"),
            acts(On::Release, "link"),
            acts(On::Press, "menuitem"),
            acts(On::Release, "menubutton"),
            acts(On::Release, "row"),
            keeps("cell"),
            acts(On::Press, "tab"),
            acts(On::Release, "expander"),
            keeps("label"),
            option("combo"),
            acts(On::Press, "entry"),
        ],
    },
    Toolkit {
        name: "GTK 4",
        script: "kinds_gtk4.py",
        kinds: &[
            acts(On::Release, "button"),
            acts(On::Release, "toggle"),
            acts(On::Release, "check"),
            acts(On::Release, "radio"),
            acts(On::Release, "link"),
            keeps("menubutton"),
            keeps("row"),
            keeps("item"),
            keeps("cell"),
            acts(On::Press, "tab"),
            keeps("expander"),
            keeps("label"),
            acts(On::Press, "entry"),
        ],
    },
    Toolkit {
        name: "Qt",
        script: "kinds_qt.py",
        kinds: &[
            acts(On::Release, "button"),
            acts(On::Release, "toggle"),
            acts(On::Release, "check"),
            acts(On::Release, "radio"),
            acts(On::Release, "link"),
            acts(On::Release, "menuitem"),
            acts(On::Press, "menubutton"),
            keeps("row"),
            acts(On::Release, "cell"),
            keeps("branch"),
            acts(On::Press, "tab"),
            keeps("label"),
            option("combo"),
            acts(On::Press, "entry"),
        ],
    },
];
