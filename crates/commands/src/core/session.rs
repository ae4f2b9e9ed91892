//! A session: its surfaces, what was seen of them, and what the current call allows.

use crate::core::aims::Aims;
use crate::core::policy::{AgreedTarget, DESKTOP, Grant};
use crate::core::progress::Progress;
use crate::core::secrets::Secret;
use crate::core::settings::{Capability, PolicySettings};
use crate::trace::tracing::Tracing;
use crate::{Decision, Effect, Flags, Place, Policy, Settings};
use handeye_engine::recording::Log;
use handeye_engine::{Memory, Origins};
use handeye_scene::{
    Clock, Code, Consent, DeniedOrigins, DesktopConfig, Files, Interrupts, Launch, ModelAccess, Models, Opener,
    Problem, Reader, Ref, Stores, Surface, Web, Windows,
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

/// A surface that isn't looked at, and what was seen of it.
pub struct OtherSurface {
    /// The surface.
    pub surface: Box<dyn Surface>,
    memory: Memory,
}

/// What a session reaches the world by.
pub struct Means {
    /// Makes surfaces.
    pub opener: Arc<dyn Opener>,
    /// Reads text in pictures; none where nothing can.
    pub reader: Option<Arc<dyn Reader>>,
    /// Asks models; none where there are none to ask.
    pub models: Option<Arc<dyn Models>>,
    /// Finds what serves an aim in words; none where nothing can.
    pub aims: Option<Arc<dyn Aims>>,
    /// A folder of its own, for what it saves without being told where.
    pub folder: Option<PathBuf>,
}

/// What was settled when something was first opened, and holds from then on.
#[derive(Default)]
pub struct Terms {
    /// What the session was started with that is off otherwise.
    pub allowed: Vec<Capability>,
    /// The rules that were in force. What a call brings can only add to them.
    pub rules: Option<PolicySettings>,
    /// How its first browser was got: any later one is got the same way.
    pub launch: Option<Launch>,
    /// Which desktop it was opened on.
    pub desktop: Option<DesktopConfig>,
    /// Where its browsers may go.
    pub bounds: Option<Origins>,
    /// The browser was started for a page that couldn't be shown, and nothing was done with it since.
    pub unshown: bool,
}

/// The call that runs.
#[derive(Default)]
pub struct Current {
    /// Its flags.
    pub flags: Flags,
    /// Whoever can be asked in it; the front end says who.
    pub consent: Option<Arc<dyn Consent>>,
    /// Tells when its caller wants to end it.
    pub interrupts: Option<Arc<dyn Interrupts>>,
    /// What a person agreed to in it.
    pub(crate) granted: Vec<Grant>,
    /// What a person agreed to have pressed in it.
    pub(crate) agreed: Vec<AgreedTarget>,
    /// Its name and arguments, for whom is asked about it.
    pub(crate) called: (&'static str, serde_json::Value),
    /// The tab to turn back to, where it is about another one: a call that was given up left it here.
    pub(crate) earlier_tab: Option<String>,
    /// What is known of how far it got.
    pub progress: Progress,
}

/// What is written of a session.
#[derive(Default)]
pub(crate) struct Written {
    /// The file that it is recorded to, and what writes there.
    pub(crate) recording: Option<(PathBuf, Log)>,
    /// Its trace.
    pub(crate) trace: Option<Tracing>,
}

/// What commands run on.
pub struct Session {
    /// Its name.
    pub name: String,
    /// What it reaches the world by.
    pub means: Means,
    /// Tells and passes time.
    pub clock: Arc<dyn Clock>,
    /// The open surface.
    pub surface: Option<Box<dyn Surface>>,
    /// The one that is open besides: the browser while the desktop is looked at, or the other way round.
    pub other_surface: Option<OtherSurface>,
    /// What was seen: refs, last view, generation.
    pub memory: Memory,
    /// What it was opened with.
    pub terms: Terms,
    /// What may be put into fields, and is shown nowhere.
    pub secrets: Vec<Secret>,
    /// The call that runs.
    pub call: Current,
    /// What is written of it.
    pub(crate) written: Written,
    /// Set by a command that refuses what was asked for by its receipt.
    pub refused: bool,
    /// Set by a command that ends the session; the front end acts on it after answering.
    pub ended: bool,
}

impl Means {
    /// What reads text in pictures.
    pub fn reader(&self) -> Result<Arc<dyn Reader>, Problem> {
        self.reader.clone().ok_or_else(|| {
            Problem::new(Code::Unsupported, "this session can't read pictures").hint("handeye models list")
        })
    }

    /// What asks models.
    pub fn models(&self) -> Result<Arc<dyn Models>, Problem> {
        self.models.clone().ok_or_else(|| {
            Problem::new(Code::Unsupported, "this session has no models to ask").hint("handeye models list")
        })
    }

    /// A folder inside its own for what is saved without being told where, closed to others; none where it has none.
    pub(crate) fn folder_for(&self, what: &str) -> Option<std::io::Result<PathBuf>> {
        let folder = self.folder.as_ref()?.join(what);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        Some(builder.recursive(true).create(&folder).map(|()| folder))
    }
}

impl Session {
    /// A session with nothing open.
    pub fn new(name: impl Into<String>, opener: Arc<dyn Opener>, clock: Arc<dyn Clock>) -> Self {
        Self {
            name: name.into(),
            means: Means { opener, reader: None, models: None, aims: None, folder: None },
            clock,
            surface: None,
            other_surface: None,
            memory: Memory::default(),
            terms: Terms::default(),
            secrets: Vec::new(),
            call: Current::default(),
            written: Written::default(),
            refused: false,
            ended: false,
        }
    }

    /// What a call brings, under the rules of the session: whoever calls can't loosen them.
    pub(crate) fn take_flags(&mut self, flags: Flags) {
        self.call.granted.clear();
        self.call.agreed.clear();
        self.call.flags = flags;
        if let Some(rules) = &self.terms.rules {
            self.call.flags.settings.policy.narrow(rules);
        }
    }

    /// Something is open: from here on the rules of this call are the session's.
    pub(crate) fn begin_rules(&mut self) {
        self.terms.rules.get_or_insert_with(|| self.call.flags.settings.policy.clone());
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
        let aside = self.other_surface.as_mut().map(|aside| &mut aside.surface);
        self.surface.iter_mut().chain(aside).find_map(|surface| surface.windows())
    }

    /// Looks, from here on, at the surface of this kind, if one is open besides. The numbers of each stay its own.
    pub fn turn_to(&mut self, wanted: Kind) {
        if self.kind() == Some(wanted) {
            return;
        }
        if let Some(mut other) = self.other_surface.take_if(|aside| kind(aside.surface.as_mut()) == wanted) {
            other.memory.go_on_after(&self.memory);
            let memory = std::mem::replace(&mut self.memory, other.memory);
            let surface = self.surface.replace(other.surface);
            self.other_surface = surface.map(|surface| OtherSurface { surface, memory });
        }
    }

    /// Turns to the surface that these numbers were given out for: all of them for one.
    pub fn turn_to_numbers(&mut self, numbers: &[Ref]) -> Result<(), Problem> {
        let Some(aside) = &mut self.other_surface else { return Ok(()) };
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
            self.other_surface = Some(OtherSurface { surface, memory });
        }
    }

    /// Looks at what is open besides, if anything is, in place of what is closed.
    pub fn turn_back(&mut self) {
        if let Some(mut aside) = self.other_surface.take() {
            aside.memory.go_on_after(&self.memory);
            self.surface = Some(aside.surface);
            self.memory = aside.memory;
        }
    }

    /// What asks models, and what the current call brings for that.
    pub fn models(&self) -> Result<(Arc<dyn Models>, ModelAccess), Problem> {
        Ok((self.means.models()?, self.call.flags.model_access()))
    }

    /// Settings of the current call.
    pub fn settings(&self) -> &Settings {
        &self.call.flags.settings
    }

    /// The limit of the current call: `--timeout`, else `default_seconds` from the settings.
    pub fn limit(&self, default_seconds: f64) -> Duration {
        seconds(self.call.flags.timeout.unwrap_or(default_seconds))
    }

    /// The rules of the current call, with what a person agreed to.
    pub(crate) fn policy(&self) -> Result<Policy, Problem> {
        Ok(Policy::parse(&self.settings().policy)?.granting(&self.call.granted).agreeing(&self.call.agreed))
    }

    /// Origins whose documents must not be acted on. All windows are of one place, about which the call itself was decided.
    pub fn denied(&mut self) -> Result<DeniedOrigins, Problem> {
        match self.policy()?.denied(Effect::Acts) {
            DeniedOrigins::AllBut(_) if self.kind() == Some(Kind::Desktop) => Ok(DeniedOrigins::default()),
            denied => Ok(denied),
        }
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
        if self.policy()?.denies_host(effect, domain) { Err(denied(action, domain)) } else { Ok(()) }
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

    /// Emulation: screen, place, language, network.
    pub fn emulate(&mut self) -> Result<&mut dyn handeye_scene::Emulate, Problem> {
        self.web()?.emulate().ok_or_else(unsupported)
    }

    /// Scripts in the page's own world.
    pub fn scripts(&mut self) -> Result<&mut dyn handeye_scene::Scripts, Problem> {
        self.web()?.scripts().ok_or_else(unsupported)
    }

    /// Whether the session's first browser was opened with this.
    pub fn check_allowed(&self, capability: Capability) -> Result<(), Problem> {
        if self.terms.allowed.contains(&capability) {
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
