//! A session: its surfaces, what was seen of them, and what the current call allows.

use crate::core::policy::{AgreedTarget, DESKTOP, Grant};
use crate::core::secrets::Secret;
use crate::core::settings::{Capability, PolicySettings};
use crate::trace::tracing::Tracing;
use crate::{Decision, Effect, Flags, Place, Policy, Settings};
use handeye_engine::recording::Log;
use handeye_engine::{Memory, Origins};
use handeye_scene::{
    Clock, Code, Consent, DesktopConfig, Files, Launch, ModelAccess, Models, Opener, Problem, Reader, Ref, Stores,
    Surface, Web, Windows,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The open surface, what was seen of it, and the clock.
pub type Parts<'a> = (&'a mut dyn Surface, &'a mut Memory, Arc<dyn Clock>);

/// What a surface shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Pages of a browser.
    Pages,
    /// Windows of a desktop.
    Desktop,
}

/// A surface, and what was seen of it.
pub struct Aside {
    /// The surface.
    pub surface: Box<dyn Surface>,
    memory: Memory,
}

/// What commands run on.
pub struct Session {
    /// Its name.
    pub name: String,
    /// Makes surfaces.
    pub opener: Arc<dyn Opener>,
    /// Tells and passes time.
    pub clock: Arc<dyn Clock>,
    /// The tab to turn back to, where a call is about another one: a call that was given up left it here.
    pub(crate) earlier_tab: Option<String>,
    /// Reads text in pictures; none where nothing can.
    pub reader: Option<Arc<dyn Reader>>,
    /// Asks models; none where there are none to ask.
    pub models: Option<Arc<dyn Models>>,
    /// The open surface.
    pub surface: Option<Box<dyn Surface>>,
    /// The one that is open besides: the browser while the desktop is looked at, or the other way round.
    pub aside: Option<Aside>,
    /// What was seen: refs, last view, generation.
    pub memory: Memory,
    /// Of the current call.
    pub flags: Flags,
    /// What it was started with that is off otherwise.
    pub allowed: Vec<Capability>,
    /// The rules that were in force when something was first opened. What a call brings can only add to them.
    pub rules: Option<PolicySettings>,
    /// How its first browser was got: any later one is got the same way.
    pub launch: Option<Launch>,
    /// Which desktop it was opened on.
    pub desk: Option<DesktopConfig>,
    /// A folder of its own, for what it saves without being told where.
    pub folder: Option<PathBuf>,
    /// The browser was started for a page that couldn't be shown, and nothing was done with it since.
    pub unshown: bool,
    /// Where its browsers may go, from the first on.
    pub bounds: Option<Origins>,
    /// What may be put into fields, and is shown nowhere.
    pub secrets: Vec<Secret>,
    /// Whoever can be asked in the current call; the front end says who.
    pub consent: Option<Arc<dyn Consent>>,
    /// What a person agreed to in the current call.
    pub(crate) granted: Vec<Grant>,
    /// What a person agreed to have pressed in it.
    pub(crate) agreed: Vec<AgreedTarget>,
    /// Name and arguments of the current call, for whom is asked about it.
    pub(crate) called: (&'static str, serde_json::Value),
    /// The file that it is recorded to, and what writes there.
    pub(crate) recording: Option<(PathBuf, Log)>,
    /// The trace that it writes.
    pub(crate) trace: Option<Tracing>,
    /// Set by a command that refuses what was asked for by its receipt.
    pub refused: bool,
    /// Set by a command that ends the session; the front end acts on it after answering.
    pub ended: bool,
}

impl Session {
    /// A session with nothing open.
    pub fn new(name: impl Into<String>, opener: Arc<dyn Opener>, clock: Arc<dyn Clock>) -> Self {
        Self {
            name: name.into(),
            opener,
            clock,
            earlier_tab: None,
            reader: None,
            models: None,
            surface: None,
            aside: None,
            memory: Memory::default(),
            flags: Flags::default(),
            allowed: Vec::new(),
            rules: None,
            launch: None,
            desk: None,
            folder: None,
            unshown: false,
            bounds: None,
            secrets: Vec::new(),
            consent: None,
            granted: Vec::new(),
            agreed: Vec::new(),
            called: ("", serde_json::Value::Null),
            recording: None,
            trace: None,
            refused: false,
            ended: false,
        }
    }

    /// What a call brings, under the rules of the session: whoever calls can't loosen them.
    pub(crate) fn take_flags(&mut self, flags: Flags) {
        self.granted.clear();
        self.agreed.clear();
        self.flags = flags;
        if let Some(rules) = &self.rules {
            self.flags.settings.policy.narrow(rules);
        }
    }

    /// Something is open: from here on the rules of this call are the session's.
    pub(crate) fn begin_rules(&mut self) {
        self.rules.get_or_insert_with(|| self.flags.settings.policy.clone());
    }

    /// A folder inside its own for what is saved without being told where, closed to others; none where it has none.
    pub(crate) fn folder_for(&self, what: &str) -> Option<std::io::Result<PathBuf>> {
        let folder = self.folder.as_ref()?.join(what);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        Some(builder.recursive(true).create(&folder).map(|()| folder))
    }

    /// Lets the surface go. What was seen of it must not be taken for what the next one shows.
    pub fn drop_surface(&mut self) {
        self.surface = None;
        self.memory.replace_surface();
    }

    /// What the open surface shows.
    pub fn kind(&mut self) -> Option<Kind> {
        self.surface.as_mut().map(|surface| kind(surface.as_mut()))
    }

    /// Takes note of what is looked at.
    pub(crate) fn mark(&mut self) -> Option<Kind> {
        self.refused = false;
        if let Some(desktop) = self.desktop() {
            desktop.mark();
        }
        self.kind()
    }

    /// Looks again at what was noted: what is refused changes nothing.
    pub(crate) fn go_back(&mut self, to: Option<Kind>) {
        if let Some(desktop) = self.desktop() {
            desktop.go_back();
        }
        if let Some(kind) = to {
            self.turn_to(kind);
        }
    }

    /// The desktop, whether it is looked at or open besides.
    fn desktop(&mut self) -> Option<&mut dyn Windows> {
        let aside = self.aside.as_mut().map(|aside| &mut aside.surface);
        self.surface.iter_mut().chain(aside).find_map(|surface| surface.windows())
    }

    /// Looks, from here on, at the surface of this kind, if one is open besides. The numbers of each stay its own.
    pub fn turn_to(&mut self, wanted: Kind) {
        if self.kind() == Some(wanted) {
            return;
        }
        if let Some(mut other) = self.aside.take_if(|aside| kind(aside.surface.as_mut()) == wanted) {
            other.memory.go_on_after(&self.memory);
            let memory = std::mem::replace(&mut self.memory, other.memory);
            let surface = self.surface.replace(other.surface);
            self.aside = surface.map(|surface| Aside { surface, memory });
        }
    }

    /// Turns to the surface that these numbers were given out for: all of them for one.
    pub fn turn_to_numbers(&mut self, numbers: &[Ref]) -> Result<(), Problem> {
        let Some(aside) = &mut self.aside else { return Ok(()) };
        let other = kind(aside.surface.as_mut());
        let there: Vec<&Ref> = numbers.iter().filter(|n| aside.memory.refs.has(**n)).collect();
        match (&there[..], numbers.iter().find(|n| self.memory.refs.has(**n))) {
            ([], _) => Ok(()),
            (_, None) => {
                self.turn_to(other);
                Ok(())
            }
            ([first, ..], Some(here)) => Err(Problem::new(
                Code::BadRequest,
                format!("{first} and {here} are not of one surface: the one is in a page, the other in a window"),
            )
            .hint(format!("handeye inspect {}", first.0))
            .hint(format!("handeye inspect {}", here.0))),
        }
    }

    /// Puts the open surface aside, to make room for the first of another kind.
    pub fn make_room(&mut self) {
        if let Some(surface) = self.surface.take() {
            let mut memory = Memory::default();
            memory.go_on_after(&self.memory);
            let memory = std::mem::replace(&mut self.memory, memory);
            self.aside = Some(Aside { surface, memory });
        }
    }

    /// Looks at what is open besides, if anything is, in place of what is closed.
    pub fn turn_back(&mut self) {
        if let Some(mut aside) = self.aside.take() {
            aside.memory.go_on_after(&self.memory);
            self.surface = Some(aside.surface);
            self.memory = aside.memory;
        }
    }

    /// What reads text in pictures.
    pub fn reader(&self) -> Result<Arc<dyn Reader>, Problem> {
        self.reader.clone().ok_or_else(|| {
            Problem::new(Code::Unsupported, "this session can't read pictures").hint("handeye models list")
        })
    }

    /// What asks models, and what the current call brings for that.
    pub fn models(&self) -> Result<(Arc<dyn Models>, ModelAccess), Problem> {
        let models = self.models.clone().ok_or_else(|| {
            Problem::new(Code::Unsupported, "this session has no models to ask").hint("handeye models list")
        })?;
        Ok((models, ModelAccess { config: self.flags.settings.models.clone(), keys: self.flags.keys.clone() }))
    }

    /// Settings of the current call.
    pub fn settings(&self) -> &Settings {
        &self.flags.settings
    }

    /// The limit of the current call: `--timeout`, else `default_seconds` from the settings.
    pub fn limit(&self, default_seconds: f64) -> Duration {
        seconds(self.flags.timeout.unwrap_or(default_seconds))
    }

    /// The rules of the current call, with what a person agreed to.
    pub(crate) fn policy(&self) -> Result<Policy, Problem> {
        Ok(Policy::parse(&self.settings().policy)?.granting(&self.granted).agreeing(&self.agreed))
    }

    /// Origins whose documents must not be acted on.
    pub fn denied(&self) -> Result<Vec<String>, Problem> {
        Ok(self.policy()?.denied(Effect::Acts))
    }

    /// Refuses what reaches an origin other than the page's, where the rules name it.
    pub fn permit_origin(&self, effect: Effect, origin: &str, action: &str) -> Result<(), Problem> {
        match self.policy()?.decide(effect, Place::Origin(origin)) {
            Decision::Allow => Ok(()),
            _ => Err(denied(action, origin)),
        }
    }

    /// Refuses what reaches the cookies of a host, or with a dot before it of those below, where the rules name an origin of
    /// theirs: cookies are sent whatever the scheme and the port.
    pub fn permit_host(&self, effect: Effect, domain: &str, action: &str) -> Result<(), Problem> {
        if self.bars_host(effect, domain)? { Err(denied(action, domain)) } else { Ok(()) }
    }

    /// Whether the rules name an origin that cookies of this host are sent to.
    pub fn bars_host(&self, effect: Effect, domain: &str) -> Result<bool, Problem> {
        let denied = self.policy()?.denied(effect);
        let (dot, name) = domain.strip_prefix('.').map_or(("", domain), |name| (".", name));
        let written =
            handeye_engine::policy::origin::host(&format!("http://{name}/")).unwrap_or_else(|| name.to_owned());
        let domain = format!("{dot}{written}");
        let mut hosts = denied.iter().filter_map(|origin| handeye_engine::policy::origin::host(origin));
        Ok(hosts.any(|host| crate::core::domain::is_sent(&domain, &host)))
    }

    /// Refuses raw input of which nobody can say where it goes, while some origins are barred; so on a desktop while rules name
    /// targets.
    pub fn permit_anywhere(&mut self) -> Result<(), Problem> {
        let named = self.policy()?.targets().iter().any(|rule| rule.holds_at(Some(DESKTOP)));
        if named && self.kind() == Some(Kind::Desktop) {
            let what = "the policy names targets that aren't pressed, so raw input is refused: what it would press can't be told";
            return Err(Problem::new(Code::Denied, what).hint("handeye click REF").hint("handeye config show"));
        }
        if self.denied()?.is_empty() {
            return Ok(());
        }
        let what =
            "the policy denies an origin, so raw input is refused: which document it would reach can't be checked";
        Err(Problem::new(Code::Denied, what).hint("handeye click-at X Y").hint("handeye config show"))
    }

    /// The open surface.
    pub fn surface(&mut self) -> Result<&mut dyn Surface, Problem> {
        match self.surface.as_deref_mut() {
            Some(surface) => Ok(surface),
            None => Err(nothing_open(&self.name)),
        }
    }

    /// The open surface and what was seen of it, for calls that need both.
    pub fn parts(&mut self) -> Result<Parts<'_>, Problem> {
        let clock = self.clock.clone();
        match self.surface.as_deref_mut() {
            Some(surface) => Ok((surface, &mut self.memory, clock)),
            None => Err(nothing_open(&self.name)),
        }
    }

    /// What only a web surface can do.
    pub fn web(&mut self) -> Result<&mut dyn Web, Problem> {
        self.surface()?
            .web()
            .ok_or_else(|| Problem::new(Code::Unsupported, "only web pages can do this").hint("handeye open URL"))
    }

    /// Downloads and file choosers of the surface.
    pub fn files(&mut self) -> Result<&mut dyn Files, Problem> {
        self.web()?.files().ok_or_else(unsupported)
    }

    /// What consoles say.
    pub fn console(&mut self) -> Result<&mut dyn handeye_scene::Console, Problem> {
        self.web()?.console().ok_or_else(unsupported)
    }

    /// Requests of the surface.
    pub fn traffic(&mut self) -> Result<&mut dyn handeye_scene::Traffic, Problem> {
        self.web()?.traffic().ok_or_else(unsupported)
    }

    /// What pages are made to believe.
    pub fn emulate(&mut self) -> Result<&mut dyn handeye_scene::Emulate, Problem> {
        self.web()?.emulate().ok_or_else(unsupported)
    }

    /// Scripts in the page's own world.
    pub fn scripts(&mut self) -> Result<&mut dyn handeye_scene::Scripts, Problem> {
        self.web()?.scripts().ok_or_else(unsupported)
    }

    /// Whether the session's first browser was opened with this.
    pub fn check_allowed(&self, capability: Capability) -> Result<(), Problem> {
        if self.allowed.contains(&capability) {
            return Ok(());
        }
        let Capability::Eval = capability;
        Err(Problem::new(Code::Denied, "this session doesn't run scripts: that is allowed when it is started")
            .hint(format!("handeye sessions stop {}", self.name))
            .hint("handeye open URL --allow eval"))
    }

    /// Cookies and web storage of the surface.
    pub fn stores(&mut self) -> Result<&mut dyn Stores, Problem> {
        self.web()?.stores().ok_or_else(unsupported)
    }

    /// What only a desktop can do.
    pub fn windows(&mut self) -> Result<&mut dyn Windows, Problem> {
        self.surface()?
            .windows()
            .ok_or_else(|| Problem::new(Code::Unsupported, "only a desktop has windows").hint("handeye open desktop:"))
    }
}

fn kind(surface: &mut dyn Surface) -> Kind {
    if surface.windows().is_some() { Kind::Desktop } else { Kind::Pages }
}

fn nothing_open(session: &str) -> Problem {
    Problem::new(Code::NotFound, format!("nothing is open in session `{session}`"))
        .hint("handeye open URL")
        .hint("handeye sessions list")
}

fn denied(action: &str, place: &str) -> Problem {
    Problem::new(Code::Denied, format!("the policy refuses to {action} {place}")).hint("handeye config show")
}

fn unsupported() -> Problem {
    Problem::new(Code::Unsupported, "this surface can't do this").hint("handeye open URL")
}

/// Seconds as a duration, kept within a day so that no limit is endless.
pub fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(if seconds.is_finite() { seconds.clamp(0.0, 86_400.0) } else { 86_400.0 })
}
