//! The configuration: what it says over what, what a file may set, and files, folders and an environment that are of no use.

use crate::cli::{with, write};
use handeye_testkit::home::{Home, Ran, run};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

/// One setting of `config show --json` with where it comes from.
fn setting(ran: &Ran, section: &str, key: &str) -> (Value, String) {
    let shown = ran.json();
    let dotted = format!("{section}.{key}");
    let sources = shown["sources"].as_array().unwrap();
    let source = sources.iter().find(|s| s[0] == dotted.as_str()).unwrap_or_else(|| panic!("no {dotted}"));
    (shown["settings"][section][key].clone(), source[1].as_str().unwrap().to_owned())
}

#[test]
fn flags_over_environment_over_file_over_defaults() {
    let home = Home::new();
    let show = "config show --json";
    let is = |value: Value, source: &str| (value, source.to_owned());
    assert_eq!(setting(&home.run(show), "waits", "load"), is(json!(30.0), "default"));

    // The user's own file, then a nearer one over it, then one named by the environment, then one named by a flag.
    write(&home.path().join(".config/handeye/handeye.toml"), "[waits]\nload = 1\n");
    assert_eq!(setting(&home.run(show), "waits", "load"), is(json!(1.0), "file"));
    write(&home.path().join("handeye.toml"), "[waits]\nload = 2\n");
    assert_eq!(setting(&home.run(show), "waits", "load"), is(json!(2.0), "file"));
    assert_eq!(setting(&home.run(show), "waits", "ready"), is(json!(5.0), "default"));
    write(&home.path().join("env.toml"), "[waits]\nload = 3\n");
    let env = home.path().join("env.toml");
    let named = with(&home, &[("HANDEYE_CONFIG", env.as_os_str())], show);
    assert_eq!(setting(&named, "waits", "load"), is(json!(3.0), "file"));
    write(&home.path().join("flag.toml"), "[waits]\nload = 4\n");
    let named = with(&home, &[("HANDEYE_CONFIG", env.as_os_str())], "--config ../flag.toml config show --json");
    assert_eq!(setting(&named, "waits", "load"), is(json!(4.0), "file"));

    // Paths in a file are meant from its folder; the environment goes over the file.
    write(&home.path().join(".config/handeye/handeye.toml"), "[waits]\nready = 7\n[browser]\npath = \"bin/web\"\n");
    assert_eq!(setting(&home.run(show), "waits", "ready"), is(json!(7.0), "file"));
    let path = home.path().join(".config/handeye/bin/web");
    assert_eq!(setting(&home.run(show), "browser", "path"), is(json!(path), "file"));
    let over = [
        ("HANDEYE_BROWSER", OsStr::new("./other")),
        ("HANDEYE_HEADED", OsStr::new("0")),
        ("HANDEYE_CDP", OsStr::new("http://h:1")),
    ];
    let over = with(&home, &over, show);
    assert_eq!(setting(&over, "browser", "path"), is(json!(home.work().join("other")), "environment"));
    assert_eq!(setting(&over, "browser", "headed"), is(json!(false), "environment"));
    assert_eq!(setting(&over, "browser", "cdp"), is(json!("http://h:1"), "environment"));
    let bare = with(&home, &[("HANDEYE_BROWSER", OsStr::new("chromium"))], show);
    assert_eq!(setting(&bare, "browser", "path"), is(json!("chromium"), "environment"));

    // Session: flag, environment, default.
    let session = [("HANDEYE_SESSION", OsStr::new("env"))];
    assert!(with(&home, &session, "state").err.contains("session `env`"));
    assert!(with(&home, &session, "state --session flag").err.contains("session `flag`"));
    assert!(home.run("state").err.contains("session `default`"));
    assert!(home.run("config show").exit(0).out.contains("waits.load = 2.0  (file)"));
}

#[test]
fn wrong_configuration() {
    let home = Home::new();
    let file = home.work().join("handeye.toml");
    for (text, parts) in [
        ("[browser]\nviewport = [9, 9]\n\n[waits]\nlaod = 3\n", &["handeye.toml:5", "laod"][..]),
        ("colour = true\n", &["handeye.toml:1", "colour"]),
        ("[waits]\nload = \"long\"\n", &["handeye.toml:2", "long"]),
        ("[waits\n", &["handeye.toml:1"]),
        ("[click]\nmethod = \"touch\"\n", &["handeye.toml:2", "touch"]),
    ] {
        write(&file, text);
        for line in ["config show", "state"] {
            let ran = home.run(line).exit(2);
            assert!(ran.err.starts_with("error[bad_request]: "), "{text}: {ran:?}");
            assert!(parts.iter().all(|part| ran.err.contains(part)), "{text}: {ran:?}");
            assert!(!ran.err.contains("try: "), "what reads the file ends with the same: {ran:?}");
        }
    }
    write(&file, "[policy]\ndeny = [\"delete\"]\n");
    let rule = home.run("state").exit(2);
    assert!(rule.err.contains("handeye.toml: the policy rule `delete` names no effect"), "{rule:?}");
    // What helps to mend it works all the same.
    for line in ["version", "sessions list", "completions bash", "--help"] {
        home.run(line).exit(0);
    }
    fs::write(&file, b"[browser]\npath = \"\xff\"\n").unwrap();
    assert!(home.run("config show").exit(2).err.contains("error[file]: the configuration file"));
    // A file that was found and that anyone could have written isn't followed; one that is named is.
    write(&file, "[browser]\npath = \"/tmp/evil\"\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let ran = home.run("config show").exit(2);
    assert!(ran.err.contains("error[denied]") && ran.err.contains("everyone may write to it"), "{ran:?}");
    assert!(!ran.err.contains("--config"), "{ran:?}");
    home.run("config show --config handeye.toml").exit(0);
}

/// What a file that came with a folder must not set: the key that is named, and the file.
const STARTING: [(&str, &str); 20] = [
    ("browser.path", "[browser]\npath = \"/bin/sh\"\n"),
    ("browser.args", "[browser]\nviewport = [800, 600]\nargs = [\"--renderer-cmd-prefix=sh\"]\n"),
    ("browser.args", "browser = { args = [] }\n"),
    ("browser.profile", "browser.profile = \"p\"\n"),
    ("browser.cdp", "[browser]\ncdp = \"http://h:1\"\n"),
    ("browser.proxy", "[browser]\nproxy = \"http://h:1\"\n"),
    ("browser.headed", "[browser]\nheaded = true\n"),
    ("browser.ignore_tls_errors", "[browser]\nignore_tls_errors = true\n"),
    ("desktop.bus", "[desktop]\nbus = \"unixexec:path=/bin/sh,argv1=-c,argv2=id\"\n"),
    ("desktop.bus", "[desktop]\nbus = \"unix:path=/tmp/theirs\"\n"),
    ("desktop.bus", "desktop.bus = \"unix:path=/a\"\n[waits]\nload = 3\n"),
    ("desktop.display", "[desktop]\ndisplay = \"evil.example:0\"\n"),
    ("desktop.wayland", "[desktop]\nwayland = \"wayland-9\"\n"),
    ("desktop.backend", "[desktop]\nbackend = \"win32\"\n"),
    ("click.method", "[click]\nmethod = \"invoke\"\n"),
    ("typing.enter", "[typing]\nenter = true\n"),
    ("policy.allow", "[policy]\nallow = [\"eval\"]\n"),
    ("policy.unverifiable", "[policy]\nunverifiable = \"act\"\n"),
    ("policy.allow", "[policy]\ndeny = [\"acts\"]\nallow = []\n"),
    ("typing.enter", "[typing]\npace_ms = 3\nenter = false\n"),
];

#[test]
fn a_file_in_a_folder_sets_harmless_things_alone() {
    let home = Home::new();
    let file = home.work().join("handeye.toml");
    for (key, text) in STARTING {
        write(&file, text);
        for line in ["config show", "open about:blank", "state"] {
            let ran = home.run(line).exit(2);
            assert!(ran.err.starts_with("error[denied]: "), "{text}: {ran:?}");
            assert!(ran.err.contains(&format!("work/handeye.toml sets {key},")), "{text}: {ran:?}");
            assert!(ran.err.contains(".config/handeye/handeye.toml"), "{text}: {ran:?}");
            assert!(!ran.err.contains("--config"), "the file is not to be trusted for this: {ran:?}");
        }
        home.run("config show --config handeye.toml").exit(0);
    }
    // What it may set goes over the user's own; what that denies stays denied.
    write(
        &home.path().join(".config/handeye/handeye.toml"),
        "[policy]\ndeny = [\"acts\"]\n[browser]\nargs = [\"-a\"]\n",
    );
    write(
        &file,
        "[policy]\ndeny = [\"reads\"]\n[browser]\nviewport = [800, 600]\n[limits]\ntext = 50\n[typing]\npace_ms = 3\n[waits]\nready = 2\n",
    );
    let shown = home.run("config show --json").json();
    assert_eq!(shown["settings"]["policy"]["deny"], json!(["acts", "reads"]));
    assert_eq!(shown["settings"]["browser"]["args"], json!(["-a"]));
    assert_eq!(shown["settings"]["browser"]["viewport"], json!([800, 600]));
    assert_eq!((&shown["settings"]["limits"]["text"], &shown["settings"]["waits"]["ready"]), (&json!(50), &json!(2.0)));
}

#[test]
fn a_bus_that_starts_a_program_is_not_connected_to() {
    let home = Home::new();
    let mark = home.path().join("ran");
    let exec = format!("unixexec:path=/usr/bin/touch,argv1={}", mark.display());
    let doctor = |variables: &[(&str, &OsStr)]| with(&home, variables, "doctor --json");
    let display = ("DISPLAY", OsStr::new(":4711"));
    let nothing = ("HANDEYE_BROWSER", OsStr::new("/nowhere"));
    // By a file of the folder, of one's own, and by the environment: alone, and behind others.
    write(&home.work().join("handeye.toml"), &format!("[desktop]\nbus = \"{exec}\"\n"));
    doctor(&[display, nothing]).exit(1);
    fs::remove_file(home.work().join("handeye.toml")).unwrap();
    for address in [exec.clone(), format!("unix:path=/nowhere;{exec}"), format!("{exec};unix:path=/nowhere")] {
        write(&home.path().join(".config/handeye/handeye.toml"), &format!("[desktop]\nbus = \"{address}\"\n"));
        let own = doctor(&[display, nothing]).exit(1);
        fs::remove_file(home.path().join(".config/handeye/handeye.toml")).unwrap();
        let variable = ("DBUS_SESSION_BUS_ADDRESS", OsStr::new(&address));
        let environment = doctor(&[display, nothing, variable]).exit(1);
        for ran in [own, environment] {
            let checks = ran.json()["checks"].as_array().unwrap().clone();
            let found = checks.iter().find(|c| c["name"] == "accessibility").unwrap_or_else(|| panic!("{checks:?}"));
            assert_eq!(found["ok"], false, "{found}");
            assert!(found["found"].as_str().unwrap().contains("only `unix` is connected to"), "{found}");
        }
    }
    assert!(!mark.exists(), "a program was started");
}

#[test]
fn a_configuration_is_a_plain_file_of_limited_size() {
    let home = Home::new();
    let file = home.work().join("handeye.toml");
    let elsewhere = home.path().join("secret.txt");
    fs::write(&elsewhere, "do not show this").unwrap();
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    type Lay<'a> = &'a dyn Fn(&Path);
    let kinds: [(&str, Lay); 6] = [
        ("a pipe", &pipe),
        ("a folder", &|path| fs::create_dir(path).unwrap()),
        ("a link to a device", &|path| symlink("/dev/zero", path).unwrap()),
        ("a link to nothing", &|path| symlink("/nowhere", path).unwrap()),
        ("a link to a file", &|path| symlink(&elsewhere, path).unwrap()),
        ("a large file", &|path| fs::File::create(path).unwrap().set_len(1 << 40).unwrap()),
    ];
    for (what, make) in kinds {
        make(&file);
        for line in ["config show", "state"] {
            let ran = home.run(line).exit(2);
            assert!(ran.err.contains("handeye.toml") && !ran.err.contains("do not show"), "{what}: {ran:?}");
            assert!(!ran.err.contains("--config"), "{what}: {ran:?}");
        }
        // Named, or one's own, it isn't waited for either.
        if what != "a link to a file" {
            assert!(home.run("config show --config handeye.toml").exit(2).err.contains("error[file]"), "{what}");
        }
        let _ = fs::remove_file(&file).or_else(|_| fs::remove_dir(&file));
    }
    assert!(home.run("config show --config /dev/zero").exit(2).err.contains("is not a plain file"));
    let own = home.path().join(".config/handeye/handeye.toml");
    write(&home.path().join("kept.toml"), "[waits]\nload = 4\n");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    symlink(home.path().join("kept.toml"), &own).unwrap();
    assert_eq!(
        home.run("config show --json").exit(0).json()["settings"]["waits"]["load"],
        4.0,
        "one's own may be a link"
    );
}

#[test]
fn wrong_environment() {
    let home = Home::new();
    let bytes = OsStr::from_bytes(b"a\xffb");
    for (name, value, part) in [
        ("HANDEYE_HEADED", OsStr::new("maybe"), "neither 1 nor 0"),
        ("HANDEYE_TIMEOUT", OsStr::new("soon"), "is no time"),
        ("HANDEYE_BROWSER", bytes, "isn't valid UTF-8"),
        ("HANDEYE_SESSION", bytes, "isn't valid UTF-8"),
        ("HANDEYE_PROFILE", bytes, "isn't valid UTF-8"),
    ] {
        let ran = with(&home, &[(name, value)], "state").exit(2);
        assert!(ran.err.starts_with("error[bad_request]: "), "{ran:?}");
        assert!(ran.err.contains(name) && ran.err.contains(part), "{ran:?}");
    }
    // An empty one counts as absent.
    assert!(with(&home, &[("HANDEYE_SESSION", OsStr::new(""))], "state").err.contains("session `default`"));
}

#[test]
fn paths_that_are_not_utf8() {
    let home = Home::new();
    let name = OsStr::from_bytes(b"f\xff.toml");
    // Where handeye itself reads a file, any path will do.
    write(&home.work().join(name), "[waits]\nload = 9\n");
    let ran = run(home.command([OsStr::new("--config"), name, "config".as_ref(), "show".as_ref(), "--json".as_ref()]))
        .exit(0);
    assert_eq!(ran.json()["settings"]["waits"]["load"], 9.0);
    let mut command = home.command(["state", "--json"]);
    command.env("HANDEYE_RUNTIME_DIR", home.path().join(OsStr::from_bytes(b"r\xffn")));
    assert_eq!(run(command).exit(2).code(), "not_found");
    // Where a path travels to the session it is refused, clearly.
    for args in [&["screenshot"][..], &["upload", "3"], &["open"], &["input", "3"]] {
        let args = args.iter().map(OsStr::new).chain([name, "--json".as_ref()]);
        let ran = run(home.command(args)).exit(2);
        assert!(["bad_request", "file"].contains(&ran.code().as_str()), "{ran:?}");
        assert!(ran.out.to_lowercase().contains("utf-8"), "{ran:?}");
    }
}

#[test]
fn folders_that_are_not_safe() {
    let home = Home::new();
    let folder = home.run_dir();
    #[track_caller]
    fn refused(home: &Home, part: &str) {
        let ran = home.run("state").exit(2);
        assert!(ran.err.starts_with("error[unavailable]: the folder for sockets, "), "{ran:?}");
        assert!(ran.err.contains(part), "{ran:?}");
        assert!(home.run("open about:blank --json").exit(2).code() == "unavailable");
    }
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    refused(&home, "its permissions are 0755");
    fs::remove_dir(&folder).unwrap();
    fs::create_dir(home.path().join("real")).unwrap();
    fs::set_permissions(home.path().join("real"), fs::Permissions::from_mode(0o700)).unwrap();
    symlink(home.path().join("real"), &folder).unwrap();
    refused(&home, "it is a symbolic link");
    fs::remove_file(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    refused(&home, "it is not a folder");
    fs::remove_file(&folder).unwrap();
    // Of another user: for root, one that it gives away; for anyone else, root's.
    let ran = if nix::unistd::geteuid().is_root() {
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::chown(&folder, Some(65534), None).unwrap();
        home.run("state")
    } else {
        with(&home, &[("HANDEYE_RUNTIME_DIR", OsStr::new("/"))], "state")
    };
    assert!(ran.err.contains("error[unavailable]") && ran.err.contains("it belongs to user"), "{ran:?}");
    // Where nothing can be made, not even by root.
    let ran = with(&home, &[("HANDEYE_RUNTIME_DIR", OsStr::new("/proc/handeye"))], "open about:blank").exit(2);
    assert!(ran.err.contains("error[unavailable]") && ran.err.contains("/proc/handeye, can't be made"), "{ran:?}");
    // Too long for the system to address.
    let long = home.path().join("x".repeat(100));
    let ran = with(&home, &[("HANDEYE_RUNTIME_DIR", long.as_os_str())], "state").exit(2);
    assert!(ran.err.contains("error[unavailable]: the socket's path has"), "{ran:?}");
}
