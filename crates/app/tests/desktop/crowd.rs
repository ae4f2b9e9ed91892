//! Apps that are too much, or lie: a hundred thousand nodes, two billion children, children that hold their parents. Each
//! speaks to the real accessibility bus and has a real window; its tree alone is made up.

use super::kits::tried;
use futures_util::StreamExt;
use handeye_testkit::desk::{self, Desk};
use handeye_testkit::home;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, CreateWindowAux, PropMode, WindowClass};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;
use zbus::message::{Message, Type};
use zbus::zvariant::{ObjectPath, Value};
use zbus::{Connection, MessageStream};

const ROOT: &str = "/org/a11y/atspi/accessible/root";
const PREFIX: &str = "/org/a11y/atspi/accessible/";
/// Numbers of roles.
const FRAME: u32 = 23;
const LIST: u32 = 31;
const PANEL: u32 = 39;
const BUTTON: u32 = 43;
const APPLICATION: u32 = 75;
/// Enabled, sensitive, showing, visible.
const SHOWN: [u32; 2] = [1 << 8 | 1 << 24 | 1 << 25 | 1 << 30, 0];
/// How long any of these calls may take.
const LIMIT: Duration = Duration::from_secs(20);

/// What an app says of itself.
#[derive(Clone, Copy)]
struct Tale {
    /// Panels in the window, and buttons in each.
    panels: usize,
    buttons: usize,
    /// Whether all of it can be had at once.
    cached: bool,
    /// Beside them a list that says it has as many children as a number can tell, and never lists them.
    boasts: bool,
    /// Whether the last button of each panel holds the window.
    circular: bool,
}

const PLAIN: Tale = Tale { panels: 1, buttons: 3, cached: false, boasts: false, circular: false };

impl Tale {
    fn children(&self, path: &str) -> Vec<String> {
        let own = path.strip_prefix(PREFIX).unwrap_or_default();
        match own.split_once('_') {
            None if own == "root" => vec!["frame".into()],
            None if own == "frame" => {
                let list = self.boasts.then(|| "list".to_owned());
                list.into_iter().chain((0..self.panels).map(|n| format!("panel_{n}"))).collect()
            }
            Some(("panel", n)) => (0..self.buttons).map(|b| format!("button_{n}_{b}")).collect(),
            Some(("button", n)) if self.circular && n.ends_with(&format!("_{}", self.buttons - 1)) => {
                vec!["frame".into()]
            }
            _ => Vec::new(),
        }
    }

    fn role(path: &str) -> u32 {
        match path.strip_prefix(PREFIX).unwrap_or_default().split('_').next() {
            Some("root") => APPLICATION,
            Some("frame") => FRAME,
            Some("panel") => PANEL,
            Some("list") => LIST,
            _ => BUTTON,
        }
    }

    fn name(path: &str) -> String {
        match path.strip_prefix(PREFIX).unwrap_or_default() {
            "frame" => "Crowd".into(),
            own => own.replace('_', " "),
        }
    }

    fn count(&self, path: &str) -> i32 {
        if path.ends_with("/list") { i32::MAX } else { self.children(path).len().try_into().unwrap() }
    }
}

/// An app on the accessibility bus, with a window.
struct App {
    bus: Connection,
    _display: RustConnection,
}

impl App {
    async fn start(desk: &Desk, tale: Tale) -> Self {
        let address = desk.address();
        let session = connect(address.bus.as_deref().unwrap()).await;
        let answer = session
            .call_method(Some("org.a11y.Bus"), "/org/a11y/bus", Some("org.a11y.Bus"), "GetAddress", &())
            .await
            .unwrap();
        let bus = connect(&answer.body().deserialize::<String>().unwrap()).await;
        let mut calls = MessageStream::from(&bus);
        let (own, answering) = (bus.unique_name().unwrap().to_string(), bus.clone());
        tokio::spawn(async move {
            while let Some(Ok(message)) = calls.next().await {
                if message.message_type() == Type::MethodCall {
                    answer_call(&answering, &own, &message, tale).await;
                }
            }
        });
        let root = (bus.unique_name().unwrap().as_str(), ObjectPath::try_from(ROOT).unwrap());
        bus.call_method(Some("org.a11y.atspi.Registry"), ROOT, Some("org.a11y.atspi.Socket"), "Embed", &(root,))
            .await
            .unwrap();
        Self { bus, _display: window(address.display.as_deref()) }
    }
}

async fn connect(address: &str) -> Connection {
    zbus::connection::Builder::address(address).unwrap().build().await.unwrap()
}

/// A window called `Crowd` of this process.
fn window(display: Option<&str>) -> RustConnection {
    let (connection, screen) = x11rb::connect(display).unwrap();
    let screen = &connection.setup().roots[screen];
    let (id, root) = (connection.generate_id().unwrap(), screen.root);
    let look = CreateWindowAux::new().background_pixel(screen.white_pixel);
    let class = WindowClass::INPUT_OUTPUT;
    connection.create_window(0, id, root, 100, 100, 400, 300, 0, class, 0, &look).unwrap();
    let atom = |name: &[u8]| connection.intern_atom(false, name).unwrap().reply().unwrap().atom;
    let title = b"Crowd";
    connection.change_property8(PropMode::REPLACE, id, AtomEnum::WM_NAME, AtomEnum::STRING, title).unwrap();
    let pid = [std::process::id()];
    connection.change_property32(PropMode::REPLACE, id, atom(b"_NET_WM_PID"), AtomEnum::CARDINAL, &pid).unwrap();
    let list = atom(b"_NET_CLIENT_LIST");
    // A window manager that is just starting may miss the first request.
    let managed = || {
        connection.map_window(id).unwrap();
        let asked = connection.get_property(false, root, list, AtomEnum::WINDOW, 0, 1).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        asked.reply().unwrap().value_len > 0
    };
    assert!(home::eventually(Duration::from_secs(10), managed));
    connection
}

async fn answer_call(bus: &Connection, own: &str, call: &Message, tale: Tale) {
    let header = call.header();
    let path = header.path().map(ToString::to_string).unwrap_or_default();
    let member = header.member().map(ToString::to_string).unwrap_or_default();
    let object = |name: &str| (own.to_owned(), ObjectPath::try_from(format!("{PREFIX}{name}")).unwrap());
    let asked: (String, String) = call.body().deserialize().unwrap_or_default();
    let done = match (member.as_str(), asked.1.as_str()) {
        ("Get", "Name") => bus.reply(&header, &Value::from(Tale::name(&path))).await,
        ("Get", "Description") => bus.reply(&header, &Value::from("")).await,
        ("Get", "ChildCount") => bus.reply(&header, &Value::from(tale.count(&path))).await,
        ("Get", "ToolkitName") => bus.reply(&header, &Value::from("Crowd")).await,
        ("Get", "Version") => bus.reply(&header, &Value::from("1.0")).await,
        ("GetRole", _) => bus.reply(&header, &Tale::role(&path)).await,
        ("GetState", _) => bus.reply(&header, &SHOWN.to_vec()).await,
        ("GetInterfaces", _) => bus.reply(&header, &interfaces()).await,
        ("GetExtents", _) => bus.reply(&header, &((110, 110, 60, 20),)).await,
        ("GetChildren", _) if path.ends_with("/list") => return,
        ("GetChildren", _) => {
            let children: Vec<_> = tale.children(&path).iter().map(|name| object(name)).collect();
            bus.reply(&header, &children).await
        }
        ("GetItems", _) if tale.cached => bus.reply(&header, &items(own, tale)).await,
        _ => bus.reply_error(&header, "org.freedesktop.DBus.Error.UnknownMethod", &("not here",)).await,
    };
    // Whoever asked may be gone.
    drop(done);
}

fn interfaces() -> Vec<String> {
    ["org.a11y.atspi.Accessible", "org.a11y.atspi.Component"].map(str::to_owned).to_vec()
}

type Object = (String, ObjectPath<'static>);
type Item = (Object, Object, Object, i32, i32, Vec<String>, String, u32, String, Vec<u32>);

/// All of it at once.
fn items(own: &str, tale: Tale) -> Vec<Item> {
    let object = |path: &str| (own.to_owned(), ObjectPath::try_from(path.to_owned()).unwrap());
    let mut items = Vec::new();
    let mut open = vec![(ROOT.to_owned(), ROOT.to_owned(), 0)];
    while let Some((path, parent, index)) = open.pop() {
        let children = tale.children(&path).into_iter().map(|name| format!("{PREFIX}{name}"));
        let below = children.enumerate().filter(|(_, child)| !child.ends_with("/frame") || path == ROOT);
        open.extend(below.map(|(i, child)| (child, path.clone(), i32::try_from(i).unwrap())));
        items.push((
            object(&path),
            object(ROOT),
            object(&parent),
            index,
            tale.count(&path),
            interfaces(),
            Tale::name(&path),
            Tale::role(&path),
            String::new(),
            SHOWN.to_vec(),
        ));
    }
    items
}

/// Looks at the window of an app that tells this; the look must end in time, and the session must go on.
async fn look(tale: Tale) -> Option<String> {
    let desk = Desk::open(&[])?;
    let app = App::start(&desk, tale).await;
    let there = || desk.run(&["windows"]).out.contains("\"Crowd\"");
    assert!(home::eventually(Duration::from_secs(10), there), "{:?}", desk.run(&["windows"]));
    let begun = Instant::now();
    let ran = desk.run(&["state", "--all", "--window", "Crowd"]);
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    desk::say(&format!("a crowd of {} by {}: {:?}", tale.panels, tale.buttons, begun.elapsed()));
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
    let panel = desk.panel("Beside it");
    let begun = Instant::now();
    let keep = desk.number("checkbox", "Keep a copy");
    desk.ok(&["check", &keep]);
    panel.logs("keep True");
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    app.bus.close().await.unwrap();
    let gone = desk.run(&["state", "--window", "Crowd"]);
    assert!(gone.status.is_some(), "{gone:?}");
    Some(ran.out)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_small_app_of_our_own_is_seen_whole() {
    for cached in [false, true] {
        let Some(said) = look(Tale { cached, ..PLAIN }).await else { return };
        assert!(said.contains("button \"button 0 0\"") && said.contains("button \"button 0 2\""), "{said}");
        assert!(!said.contains("notice"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
#[ignore = "long: runs with cargo xtask test --full"]
async fn of_a_hundred_thousand_nodes_as_many_are_shown_as_can_be_read_in_time() {
    for cached in [true, false] {
        let Some(said) = look(Tale { panels: 100, buttons: 1000, cached, ..PLAIN }).await else { return };
        assert!(said.contains("notice partial: of \"Crowd\", "), "{}", &said[..said.len().min(600)]);
        assert!(said.contains("panel 0") || said.contains("button \"button 0 0\""), "{}", &said[..said.len().min(600)]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn two_billion_children_that_are_never_listed_hide_no_others() {
    for cached in tried([true, false], 0) {
        let Some(said) = look(Tale { boasts: true, cached, ..PLAIN }).await else { return };
        assert!(said.contains("button \"button 0 2\""), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn what_holds_its_own_window_is_not_followed_for_ever() {
    for cached in tried([true, false], 1) {
        let Some(said) = look(Tale { circular: true, cached, ..PLAIN }).await else { return };
        assert!(said.contains("button \"button 0 0\""), "{}", &said[..said.len().min(600)]);
    }
}
