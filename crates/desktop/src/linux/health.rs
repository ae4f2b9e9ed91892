//! What a Linux desktop needs: a display with its extensions, a window manager, and the accessibility bus.
//!
//! Nothing is changed by looking: no key is taken back, and no app is told that someone looks.

use crate::health::Finding;
use crate::linux::x11::display::LIMIT;
use handeye_scene::DesktopConfig;
use tokio::sync::oneshot;
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Window};
use x11rb::protocol::{composite, xtest};
use x11rb::rust_connection::RustConnection;

/// What a display has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Facts {
    size: (u16, u16),
    xtest: bool,
    composite: bool,
    /// Name of its window manager.
    manager: Option<String>,
}

/// Looks at everything that the surface needs, in the order in which it is needed.
pub async fn examine(desk: &DesktopConfig) -> Vec<Finding> {
    let mut findings: Vec<Finding> = wayland(desk).into_iter().collect();
    let Some(display) = &desk.display else {
        if findings.is_empty() {
            let found = "none: DISPLAY isn't set; pages need none, and `handeye open desktop:` does";
            findings.push(good("desktop", found));
        }
        return findings;
    };
    match look(display.clone()).await {
        Ok(facts) => findings.extend(of_display(display, &facts)),
        Err(why) => findings.push(bad(
            "display",
            format!("the X display {display} can't be reached: {why}"),
            "set DISPLAY to one that runs (ls /tmp/.X11-unix), and XAUTHORITY where it wants that; or start one: Xvfb :99 -screen 0 1280x1024x24",
        )),
    }
    findings.push(accessibility(desk.bus.as_deref()).await);
    findings
}

fn good(name: &'static str, found: impl Into<String>) -> Finding {
    Finding { name, found: found.into(), remedy: None }
}

fn bad(name: &'static str, found: impl Into<String>, remedy: &str) -> Finding {
    Finding { name, found: found.into(), remedy: Some(remedy.to_owned()) }
}

/// What a Wayland desktop lets be reached.
fn wayland(desk: &DesktopConfig) -> Option<Finding> {
    let wayland = desk.wayland.as_ref()?;
    Some(match desk.display {
        Some(_) => good(
            "wayland",
            format!(
                "{wayland}: only windows that run under XWayland are listed and take input; start apps with GDK_BACKEND=x11 or QT_QPA_PLATFORM=xcb"
            ),
        ),
        None => bad(
            "wayland",
            format!("{wayland} without XWayland: windows have no global places there, and no input can be sent"),
            "start the desktop's Xorg session, or XWayland, so that DISPLAY is set",
        ),
    })
}

fn of_display(name: &str, facts: &Facts) -> Vec<Finding> {
    let (width, height) = facts.size;
    let input = if facts.xtest {
        good("input", "pointer and keys can be sent (XTEST)")
    } else {
        bad(
            "input",
            "no input can be sent, since the display has no XTEST extension",
            "start the X server with it: Xvfb and Xorg have it unless told `-tst` or `-extension XTEST`",
        )
    };
    let pictures = if facts.composite {
        good("pictures", "windows under others are pictured, too (Composite)")
    } else {
        bad(
            "pictures",
            "a picture of a window shows what lies over it, since the display has no Composite extension",
            "start the X server with `+extension Composite`",
        )
    };
    let manager = match &facts.manager {
        Some(manager) => good("window manager", manager.clone()),
        None => bad(
            "window manager",
            "none: windows can't be minimised, maximised or restored, and some never get the keyboard",
            "start one on this display, such as openbox",
        ),
    };
    vec![good("display", format!("{name}, {width}×{height}")), input, pictures, manager]
}

async fn accessibility(bus: Option<&str>) -> Finding {
    const NAME: &str = "accessibility";
    match crate::linux::atspi::bus::registered(bus).await {
        Ok(1) => good(NAME, "its bus answers; 1 app is registered"),
        Ok(apps) => good(NAME, format!("its bus answers; {apps} apps are registered")),
        Err(problem) => bad(
            NAME,
            format!("{}: no control of any window can be told", problem.message),
            "install at-spi2-core (and dbus-x11), and run the desktop and handeye on one message bus: dbus-run-session, or DBUS_SESSION_BUS_ADDRESS",
        ),
    }
}

/// Looks at a display. One that hangs holds up a thread and nothing else.
async fn look(display: String) -> Result<Facts, String> {
    let (done, outcome) = oneshot::channel();
    let looking = std::thread::Builder::new().name("x-look".into()).spawn(move || {
        // Nobody may wait for it any more.
        let _ = done.send(facts(&display).map_err(|e| e.to_string()));
    });
    looking.map_err(|e| e.to_string())?;
    match tokio::time::timeout(LIMIT, outcome).await {
        Ok(Ok(facts)) => facts,
        _ => Err(format!("it didn't answer within {} s", LIMIT.as_secs())),
    }
}

fn facts(display: &str) -> Result<Facts, Box<dyn std::error::Error>> {
    let (connection, screen) = x11rb::connect(Some(display))?;
    let screen = connection.setup().roots.get(screen).ok_or("it has no screen")?;
    let (root, size) = (screen.root, (screen.width_in_pixels, screen.height_in_pixels));
    let has = |name: &'static str| connection.extension_information(name).map(|found| found.is_some());
    Ok(Facts {
        size,
        xtest: has(xtest::X11_EXTENSION_NAME)?,
        composite: has(composite::X11_EXTENSION_NAME)?,
        manager: manager(&connection, root)?,
    })
}

/// The name of the window manager. The window that stands for it names itself, which one that is left over doesn't.
fn manager(connection: &RustConnection, root: Window) -> Result<Option<String>, Box<dyn std::error::Error>> {
    let atom =
        |name: &str| Ok::<_, Box<dyn std::error::Error>>(connection.intern_atom(false, name.as_bytes())?.reply()?.atom);
    let (stands, name) = (atom("_NET_SUPPORTING_WM_CHECK")?, atom("_NET_WM_NAME")?);
    let own = |of: Window| -> Result<Option<Window>, Box<dyn std::error::Error>> {
        let reply = connection.get_property(false, of, stands, AtomEnum::WINDOW, 0, 1)?.reply();
        // A window that is gone has no properties.
        Ok(reply.ok().and_then(|reply| reply.value32()?.next()))
    };
    let Some(window) = own(root)? else { return Ok(None) };
    if own(window)? != Some(window) {
        return Ok(None);
    }
    let told = connection.get_property(false, window, name, AtomEnum::ANY, 0, 64)?.reply()?.value;
    let told = String::from_utf8_lossy(&told).trim_matches(['\0', ' ']).to_owned();
    Ok(Some(if told.is_empty() { "one without a name".to_owned() } else { told }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_display_lacks_is_said_with_its_remedy() {
        let bad = |facts: &Facts| -> Vec<&str> {
            of_display(":1", facts).iter().filter(|f| f.remedy.is_some()).map(|f| f.name).collect()
        };
        let all = Facts { size: (9, 9), xtest: true, composite: true, manager: Some("Openbox".into()) };
        assert_eq!(bad(&all), Vec::<&str>::new());
        assert_eq!(bad(&Facts::default()), ["input", "pictures", "window manager"]);
        assert_eq!(of_display(":1", &all)[0].found, ":1, 9×9");
    }
}
