//! `doctor` on a desktop: each thing that it needs, with what to do where it lacks.

use handeye_testkit::desk::Desk;
use handeye_testkit::home;
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

/// What `doctor` says: of each thing whether it is fine, and what was found with the remedy.
struct Said(Vec<Value>);

impl Said {
    fn by(desk: &Desk, changed: impl FnOnce(&mut Command)) -> Self {
        let mut command = desk.command(&["doctor", "--json"]);
        // The browser is no part of this.
        command.env("HANDEYE_BROWSER", "/nowhere/chromium");
        changed(&mut command);
        Self(home::run(command).exit(1).json()["checks"].as_array().unwrap().clone())
    }

    fn of(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|check| check["name"] == name)
    }

    #[track_caller]
    fn good(&self, name: &str, part: &str) {
        let check = self.of(name).unwrap_or_else(|| panic!("no check of {name}: {:?}", self.0));
        assert!(check["ok"] == true && check["found"].as_str().unwrap().contains(part), "{part}: {check}");
    }

    #[track_caller]
    fn bad(&self, name: &str, part: &str, remedy: &str) {
        let check = self.of(name).unwrap_or_else(|| panic!("no check of {name}: {:?}", self.0));
        assert!(check["ok"] == false && check["found"].as_str().unwrap().contains(part), "{part}: {check}");
        assert!(check["remedy"].as_str().unwrap().contains(remedy), "{remedy}: {check}");
    }
}

#[test]
fn what_a_desktop_has_and_lacks_is_said() {
    let Some(mut desk) = Desk::unmanaged(&[], &[]) else { return };
    let said = Said::by(&desk, |_| {});
    said.good("display", "1280×1024");
    said.good("input", "XTEST");
    said.good("pictures", "Composite");
    said.good("accessibility", "its bus answers; 0 apps are registered");
    said.bad("window manager", "none", "openbox");
    assert!(said.of("wayland").is_none());
    desk.manage();
    let managed = || Said::by(&desk, |_| {}).of("window manager").unwrap()["found"] == "Openbox";
    assert!(home::eventually(Duration::from_secs(10), managed));

    let said = Said::by(&desk, |command| {
        command.env("WAYLAND_DISPLAY", "wayland-0");
    });
    said.good("wayland", "only windows that run under XWayland");
    let said = Said::by(&desk, |command| {
        command.env_remove("DISPLAY").env("WAYLAND_DISPLAY", "wayland-0");
    });
    said.bad("wayland", "wayland-0 without XWayland", "Xorg session");
    assert!(said.of("display").is_none());
    let said = Said::by(&desk, |command| {
        command.env("DISPLAY", ":4711");
    });
    said.bad("display", "the X display :4711 can't be reached", "/tmp/.X11-unix");
    assert!(said.of("input").is_none());
    let said = Said::by(&desk, |command| {
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus");
    });
    said.bad("accessibility", "the session's message bus can't be reached", "dbus-run-session");
    let said = Said::by(&desk, |command| {
        command.env_remove("DISPLAY");
    });
    said.good("desktop", "DISPLAY isn't set");
}

#[test]
fn a_display_without_its_extensions_is_told_of() {
    let Some(desk) = Desk::unmanaged(&[], &["-extension", "XTEST", "-extension", "Composite"]) else { return };
    let said = Said::by(&desk, |_| {});
    said.bad("input", "no XTEST extension", "-tst");
    said.bad("pictures", "no Composite extension", "+extension Composite");
}
