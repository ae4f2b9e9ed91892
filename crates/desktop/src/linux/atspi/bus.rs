//! The accessibility bus: calls with limits, and the events that say that something changed.
//!
//! One task reads the connection. It counts every event before it hands out the answer that came after it, so nothing polls
//! and no slow reader holds the others up.

use crate::linux::atspi::change_log::{ChangeLog, Told};
use futures_util::StreamExt;
use handeye_scene::{Code, Problem};
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use zbus::message::{Message, Type};
use zbus::zvariant::{DynamicType, OwnedObjectPath, OwnedValue};
use zbus::{Connection, MessageStream};

/// How long an app may take to answer one call.
pub(crate) const CALL_LIMIT: Duration = Duration::from_millis(2000);
/// The same once it has failed to, until it answers again: one stuck app must not hold a whole look up.
const STUCK_LIMIT: Duration = Duration::from_millis(200);
/// What an app must have been given to count as stuck.
const ENOUGH: Duration = Duration::from_millis(200);
/// How long an app counts as stuck.
const STUCK_FOR: Duration = Duration::from_secs(3);

const REGISTRY: &str = "org.a11y.atspi.Registry";
pub(crate) const ROOT: &str = "/org/a11y/atspi/accessible/root";
pub(crate) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";

/// Events that say that something an agent is shown changed. Bounds flood: an app isn't busy because of them.
const EVENTS: [&str; 14] = [
    "object:children-changed",
    "object:state-changed",
    "object:property-change",
    // Qt tells of numbers those alone that ask for them.
    "object:property-change:accessible-value",
    "object:text-changed",
    "object:selection-changed",
    "object:active-descendant-changed",
    "object:visible-data-changed",
    "object:model-changed",
    "object:row-inserted",
    "object:row-deleted",
    "object:row-reordered",
    "object:bounds-changed",
    "window",
];

/// Why a call wasn't answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// The object or its app is gone, or has no such member.
    Gone,
    /// It took too long.
    Late,
    /// The bus itself is gone.
    Lost,
}

/// One object: its app's name on the bus, and its path there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) bus: Arc<str>,
    pub(crate) path: Arc<str>,
}

impl Place {
    pub(crate) fn new(bus: &str, path: &str) -> Self {
        Self { bus: bus.into(), path: path.into() }
    }

    pub(crate) fn at(&self, path: &str) -> Self {
        Self { bus: self.bus.clone(), path: path.into() }
    }
}

/// What the reading task and the callers share.
#[derive(Default)]
struct Shared {
    waiting: Mutex<HashMap<NonZeroU32, oneshot::Sender<Message>>>,
    events: Mutex<Events>,
    came: Notify,
    stuck: Mutex<HashMap<Arc<str>, Instant>>,
}

#[derive(Default)]
struct Events {
    count: u64,
    closed: bool,
    last: Option<Instant>,
    /// How many each app sent, bounds among them.
    by_app: HashMap<String, u64>,
    /// How many each app sent that say that something is shown otherwise.
    shown_by: HashMap<String, u64>,
    /// What changed when.
    log: ChangeLog,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The connection.
pub(crate) struct Bus {
    connection: Connection,
    shared: Arc<Shared>,
    reader: JoinHandle<()>,
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Bus {
    /// Connects to the accessibility bus of the session whose message bus is at `address`.
    pub(crate) async fn connect(address: Option<&str>) -> Result<Self, Problem> {
        let session = session_bus(address).await?;
        let a11y = address_of(&session).await?;
        enable(&session).await;
        let fault = |e: zbus::Error| unavailable(&format!("the accessibility bus at {a11y} can't be used: {e}"));
        let connecting = async { zbus::connection::Builder::address(a11y.as_str())?.build().await };
        let connection = tokio::time::timeout(CALL_LIMIT, connecting)
            .await
            .map_err(|_| unavailable("the accessibility bus doesn't answer"))?
            .map_err(fault)?;
        let shared = Arc::new(Shared::default());
        let reader = tokio::spawn(read(MessageStream::from(&connection), shared.clone()));
        let bus = Self { connection, shared, reader };
        bus.listen().await;
        Ok(bus)
    }

    /// Asks for the events. An app that doesn't send some of them is looked at all the same.
    async fn listen(&self) {
        let daemon = Place::new("org.freedesktop.DBus", "/org/freedesktop/DBus");
        for rule in [
            "type='signal',interface='org.a11y.atspi.Event.Object'",
            "type='signal',interface='org.a11y.atspi.Event.Window'",
        ] {
            let _ = self.call(&daemon, "org.freedesktop.DBus", "AddMatch", &(rule,)).await;
        }
        let registry = Place::new(REGISTRY, "/org/a11y/atspi/registry");
        let calls = EVENTS.iter().map(async |event| self.call(&registry, REGISTRY, "RegisterEvent", &(*event,)).await);
        futures_util::future::join_all(calls).await;
    }

    /// Calls a method, within the limit of one call.
    pub(crate) async fn call<B>(
        &self,
        at: &Place,
        interface: &str,
        member: &str,
        body: &B,
    ) -> Result<Message, Unanswered>
    where
        B: serde::Serialize + DynamicType,
    {
        self.call_within(at, interface, member, body, self.limit_for(at)).await
    }

    /// The same within a limit of its own.
    pub(crate) async fn call_within<B>(
        &self,
        at: &Place,
        interface: &str,
        member: &str,
        body: &B,
        limit: Duration,
    ) -> Result<Message, Unanswered>
    where
        B: serde::Serialize + DynamicType,
    {
        let message = build(at, interface, member, body).map_err(|_| Unanswered::Gone)?;
        let serial = message.primary_header().serial_num();
        let (sender, answer) = oneshot::channel();
        lock(&self.shared.waiting).insert(serial, sender);
        let outcome = tokio::time::timeout(limit, async {
            self.connection.send(&message).await.map_err(|_| Unanswered::Lost)?;
            answer.await.map_err(|_| Unanswered::Lost)
        })
        .await;
        lock(&self.shared.waiting).remove(&serial);
        let mut stuck = lock(&self.shared.stuck);
        match outcome {
            Ok(Ok(answer)) => {
                stuck.remove(&at.bus);
                drop(stuck);
                if answer.message_type() == Type::Error { Err(Unanswered::Gone) } else { Ok(answer) }
            }
            Ok(Err(unanswered)) => Err(unanswered),
            Err(_) => {
                // One that got less time than any other call isn't stuck for that.
                if limit >= ENOUGH {
                    stuck.insert(at.bus.clone(), Instant::now());
                }
                Err(Unanswered::Late)
            }
        }
    }

    /// Takes an app for one that answers, though it didn't in time.
    pub(crate) fn excuse(&self, at: &Place) {
        lock(&self.shared.stuck).remove(&at.bus);
    }

    fn limit_for(&self, at: &Place) -> Duration {
        let stuck = lock(&self.shared.stuck);
        if stuck.get(&at.bus).is_some_and(|since| since.elapsed() < STUCK_FOR) { STUCK_LIMIT } else { CALL_LIMIT }
    }

    /// A property. One at a time: reading all of them at once ends Qt 5 apps.
    pub(crate) async fn property(&self, at: &Place, interface: &str, name: &str) -> Result<OwnedValue, Unanswered> {
        let answer = self.call(at, "org.freedesktop.DBus.Properties", "Get", &(interface, name)).await?;
        answer.body().deserialize().map_err(|_| Unanswered::Gone)
    }

    /// A property that is text.
    pub(crate) async fn text_property(&self, at: &Place, interface: &str, name: &str) -> Result<String, Unanswered> {
        String::try_from(self.property(at, interface, name).await?).map_err(|_| Unanswered::Gone)
    }

    /// The name of an object, within a limit of its own.
    pub(crate) async fn name_within(&self, at: &Place, limit: Duration) -> Result<String, Unanswered> {
        let body = (ACCESSIBLE, "Name");
        let answer = self.call_within(at, "org.freedesktop.DBus.Properties", "Get", &body, limit).await?;
        let name: OwnedValue = answer.body().deserialize().map_err(|_| Unanswered::Gone)?;
        String::try_from(name).map_err(|_| Unanswered::Gone)
    }

    /// A method whose answer is one value.
    pub(crate) async fn ask<B, R>(&self, at: &Place, interface: &str, member: &str, body: &B) -> Result<R, Unanswered>
    where
        B: serde::Serialize + DynamicType,
        R: serde::de::DeserializeOwned + zbus::zvariant::Type,
    {
        let answer = self.call(at, interface, member, body).await?;
        answer.body().deserialize().map_err(|_| Unanswered::Gone)
    }

    /// The apps that are registered.
    pub(crate) async fn apps(&self) -> Result<Vec<Place>, Unanswered> {
        let children: Vec<(String, OwnedObjectPath)> =
            self.ask(&Place::new(REGISTRY, ROOT), ACCESSIBLE, "GetChildren", &()).await?;
        Ok(children.iter().map(|(bus, path)| Place::new(bus, path.as_str())).collect())
    }

    /// Process id of an app.
    pub(crate) async fn pid(&self, app: &str) -> Result<u32, Unanswered> {
        let daemon = Place::new("org.freedesktop.DBus", "/org/freedesktop/DBus");
        self.ask(&daemon, "org.freedesktop.DBus", "GetConnectionUnixProcessID", &(app,)).await
    }

    /// How many events came so far, and when the last did.
    pub(crate) fn events(&self) -> (u64, Option<Instant>) {
        let events = lock(&self.shared.events);
        (events.count, events.last)
    }

    /// How many events an app has sent that say that something changed, a place among them.
    pub(crate) fn told_by(&self, app: &str) -> u64 {
        lock(&self.shared.events).by_app.get(app).copied().unwrap_or(0)
    }

    /// How many events each app has sent that say that something is shown otherwise.
    pub(crate) fn told(&self) -> HashMap<String, u64> {
        lock(&self.shared.events).shown_by.clone()
    }

    /// Asks or tells what changed when.
    pub(crate) fn change_log<R>(&self, what: impl FnOnce(&mut ChangeLog) -> R) -> R {
        what(&mut lock(&self.shared.events).log)
    }

    /// Whether the bus is gone.
    pub(crate) fn is_lost(&self) -> bool {
        lock(&self.shared.events).closed
    }

    /// Waits for the next event.
    pub(crate) async fn next_event(&self, limit: Duration) -> bool {
        self.event_after(self.events().0, limit).await
    }

    /// Waits for an event besides so many, at most `limit`; whether there is one.
    pub(crate) async fn event_after(&self, before: u64, limit: Duration) -> bool {
        let came = self.shared.came.notified();
        if self.events().0 != before {
            return true;
        }
        tokio::time::timeout(limit, came).await.is_ok()
    }
}

fn build<B>(at: &Place, interface: &str, member: &str, body: &B) -> zbus::Result<Message>
where
    B: serde::Serialize + DynamicType,
{
    Message::method_call(&*at.path, member)?.destination(&*at.bus)?.interface(interface)?.build(body)
}

/// Hands answers to their callers, and counts events.
async fn read(mut stream: MessageStream, shared: Arc<Shared>) {
    while let Some(message) = stream.next().await {
        let Ok(message) = message else { break };
        match message.message_type() {
            Type::MethodReturn | Type::Error => {
                let waiting = message.header().reply_serial().and_then(|serial| lock(&shared.waiting).remove(&serial));
                if let Some(sender) = waiting {
                    // A caller that gave up is no longer interested.
                    let _ = sender.send(message);
                }
            }
            Type::Signal => {
                let Some(change) = change(&message) else { continue };
                let mut events = lock(&shared.events);
                if let Some(app) = message.header().sender() {
                    *events.by_app.entry(app.as_str().to_owned()).or_default() += 1;
                }
                if change == Change::Shown {
                    let now = Instant::now();
                    if let Some(app) = message.header().sender() {
                        *events.shown_by.entry(app.as_str().to_owned()).or_default() += 1;
                    }
                    let told = said_otherwise(&message);
                    let is_restless = told.is_some_and(|(app, path, told)| events.log.note(&app, &path, told, now));
                    events.count += 1;
                    // What changes all the time is never waited for.
                    if !is_restless {
                        events.last = Some(now);
                    }
                    drop(events);
                    shared.came.notify_waiters();
                }
            }
            _ => {}
        }
    }
    lock(&shared.events).closed = true;
    lock(&shared.waiting).clear();
    shared.came.notify_waiters();
}

/// What an event says.
#[derive(PartialEq, Eq)]
enum Change {
    /// Something is elsewhere.
    Place,
    /// Something is, says or holds something else.
    Shown,
}

/// What changed, by an event; none where it isn't one.
fn change(message: &Message) -> Option<Change> {
    let header = message.header();
    header.interface().filter(|i| i.as_str().starts_with("org.a11y.atspi.Event."))?;
    match header.member().map(|m| m.as_str().to_owned()).as_deref() {
        Some("TextCaretMoved") => None,
        Some("BoundsChanged") => Some(Change::Place),
        _ => Some(Change::Shown),
    }
}

/// The app and the path of what says or holds something else now, by an event. States come and go with the pointer and the keyboard.
fn said_otherwise(message: &Message) -> Option<(String, String, Told)> {
    const SAYS: [&str; 4] = ["PropertyChange", "TextChanged", "VisibleDataChanged", "ChildrenChanged"];
    let header = message.header();
    let member = header.member().filter(|member| SAYS.contains(&member.as_str()))?;
    let told = if member.as_str() == "ChildrenChanged" { Told::Parts } else { Told::Words };
    Some((header.sender()?.as_str().to_owned(), header.path()?.as_str().to_owned(), told))
}

/// Refuses every address but one of a socket on this machine, whoever gave it: others start programs (`unixexec:`, `autolaunch:`,
/// `launchd:`) or lead elsewhere (`tcp:`).
fn check_local(address: &str) -> Result<(), Problem> {
    let Some(other) = address.split(';').find(|part| !part.starts_with("unix:")) else { return Ok(()) };
    let kind = other.split(':').next().unwrap_or_default();
    let kind: String = kind.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(20).collect();
    let what =
        format!("the message bus can't be used: its address is of the kind `{kind}`, and only `unix` is connected to");
    Err(Problem::new(Code::Denied, what).hint("handeye config show"))
}

async fn session_bus(address: Option<&str>) -> Result<Connection, Problem> {
    let address = match address {
        Some(address) => address.to_owned(),
        // The one that programs go by where they are told of none.
        None => zbus::Address::session()
            .map(|address| address.to_string())
            .map_err(|e| unavailable(&format!("the session's message bus can't be found: {e}")))?,
    };
    check_local(&address)?;
    let connecting = async { zbus::connection::Builder::address(address.as_str())?.build().await };
    match tokio::time::timeout(CALL_LIMIT, connecting).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(e)) => Err(unavailable(&format!("the session's message bus can't be reached: {e}"))),
        Err(_) => Err(unavailable("the session's message bus doesn't answer")),
    }
}

/// Where the accessibility bus is; asking for it starts it.
async fn address_of(session: &Connection) -> Result<String, Problem> {
    let asked = session.call_method(Some("org.a11y.Bus"), "/org/a11y/bus", Some("org.a11y.Bus"), "GetAddress", &());
    let answer = tokio::time::timeout(Duration::from_secs(10), asked)
        .await
        .map_err(|_| unavailable("org.a11y.Bus doesn't answer"))?
        .map_err(|e| unavailable(&format!("there is no accessibility bus: {e}")))?;
    let address: String =
        answer.body().deserialize().map_err(|e| unavailable(&format!("org.a11y.Bus gives no address: {e}")))?;
    check_local(&address)?;
    Ok(address)
}

/// Tells apps that someone looks: Qt and Chromium show their trees only then.
async fn enable(session: &Connection) {
    let value = zbus::zvariant::Value::from(true);
    let body = ("org.a11y.Status", "IsEnabled", value);
    let set = session.call_method(
        Some("org.a11y.Bus"),
        "/org/a11y/bus",
        Some("org.freedesktop.DBus.Properties"),
        "Set",
        &body,
    );
    // Without it GTK apps are reached all the same.
    let _ = tokio::time::timeout(CALL_LIMIT, set).await;
}

/// How many apps are registered at the accessibility bus of the session whose message bus is at `address`.
pub(crate) async fn registered(address: Option<&str>) -> Result<usize, Problem> {
    let session = session_bus(address).await?;
    let a11y = address_of(&session).await?;
    let asking = async {
        let connection = zbus::connection::Builder::address(a11y.as_str())?.build().await?;
        let answer = connection.call_method(Some(REGISTRY), ROOT, Some(ACCESSIBLE), "GetChildren", &()).await?;
        answer.body().deserialize::<Vec<(String, OwnedObjectPath)>>()
    };
    match tokio::time::timeout(CALL_LIMIT, asking).await {
        Ok(Ok(apps)) => Ok(apps.len()),
        Ok(Err(e)) => Err(unavailable(&format!("the accessibility bus at {a11y} can't be used: {e}"))),
        Err(_) => Err(unavailable("the accessibility bus doesn't answer")),
    }
}

fn unavailable(what: &str) -> Problem {
    Problem::new(Code::Unavailable, what).hint("handeye doctor")
}

#[cfg(test)]
mod tests {
    use super::check_local;

    #[test]
    fn only_sockets_of_this_machine_are_connected_to() {
        for address in ["unix:path=/run/user/0/bus", "unix:abstract=/tmp/x,guid=1", "unix:path=/a;unix:path=/b"] {
            assert!(check_local(address).is_ok(), "{address}");
        }
        for address in [
            "",
            "/run/user/0/bus",
            "unixexec:path=/bin/sh",
            "unix:path=/a;unixexec:path=/bin/sh",
            "unixexec:path=/bin/sh;unix:path=/a",
            "tcp:host=127.0.0.1,port=1",
            "nonce-tcp:host=h,port=1,noncefile=/f",
            "autolaunch:",
            "launchd:env=X",
            "systemd:",
            " unix:path=/a",
            "UNIX:path=/a",
            "unix:path=/a;",
        ] {
            assert!(check_local(address).is_err(), "{address}");
        }
    }
}
