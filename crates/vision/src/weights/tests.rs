//! Weights that are missing, damaged or not what they should be.

use super::*;
use handeye_scene::{Code, Hint, Problem};
use std::{
    fs,
    ops::ControlFlow,
    path::Path,
    time::{Duration, SystemTime},
};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn refused(folder: &Path) -> (Code, Vec<Hint>, String) {
    let problem = crate::Ocr::load(folder).err().unwrap();
    (problem.code, problem.hints, problem.message)
}

#[test]
fn missing_truncated_and_tampered_weights_are_told_apart_and_say_how_to_install_them() {
    let hint = vec![Hint::from("handeye models install")];
    let folder = folder();
    let (code, hints, message) = refused(folder.path());
    assert_eq!((code, &hints), (Code::Unavailable, &hint));
    assert!(message.contains("missing") && message.contains("PP-OCRv6_det_small.onnx"), "{message}");

    let path = Weight::Detection.path(folder.path());
    for (bytes, says) in [
        (vec![], "has 0 bytes"),
        (vec![7; 1000], "has 1000 bytes"),
        (vec![7; Weight::Detection.size() as usize], "has the SHA-256"),
        (vec![7; Weight::Detection.size() as usize + 5], "has at least"),
    ] {
        fs::write(&path, bytes).unwrap();
        let (code, hints, message) = refused(folder.path());
        assert_eq!((code, &hints), (Code::Unavailable, &hint));
        assert!(message.contains(says), "{message}");
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(refused(folder.path()).0, Code::Unavailable);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_the_weights_does_not_hang() {
    let folder = folder();
    let path = Weight::Detection.path(folder.path());
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let problem: Problem = read(folder.path(), Weight::Detection).unwrap_err().into();
    assert_eq!(problem.code, Code::Unavailable);
}

fn install_from(wheel: &Path, folder: &Path) -> Result<(), Problem> {
    let plan = Plan { from: Origin::Wheel(wheel.to_owned()), ..Plan::default() };
    install(folder, &plan, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn a_wheel_that_is_not_the_pinned_one_leaves_nothing() {
    let folder = folder();
    let file = folder.path().join("some.whl");
    let target = folder.path().join("models");
    let written = |member: &str, bytes: &[u8]| {
        fs::write(&file, wheel::tests::archive(&[(member, bytes, true)])).unwrap();
    };
    let mut faults = Vec::new();
    fs::write(&file, b"no archive").unwrap();
    faults.push(install_from(&file, &target).unwrap_err());
    written("something/else.onnx", b"x");
    faults.push(install_from(&file, &target).unwrap_err());
    written("rapidocr/models/PP-OCRv6_det_small.onnx", b"another model");
    faults.push(install_from(&file, &target).unwrap_err());
    // Unpacked, it is far larger than it should be.
    written("rapidocr/models/PP-OCRv6_det_small.onnx", &vec![0; 40_000_000]);
    faults.push(install_from(&file, &target).unwrap_err());
    for (fault, says) in faults.iter().zip(["it is no wheel", "holds no", "has 13 bytes", "has at least 9929595"]) {
        assert_eq!(fault.code, Code::Unavailable);
        assert!(fault.message.contains(says), "{}", fault.message);
    }
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0, "nothing half done is left");
}

#[test]
fn a_folder_that_can_not_be_made_is_named() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(install_from(&file, &file.join("models")).unwrap_err().code, Code::File);
}

#[test]
fn without_python_nothing_is_fetched() {
    let folder = folder();
    let plan = Plan { python: Some("no-such-python".into()), ..Plan::default() };
    let problem = install(folder.path(), &plan, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(problem.code, Code::Unavailable);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_has_a_scheme_is_an_address_and_all_else_a_file() {
    assert_eq!(Origin::written("https://h/a.whl"), Origin::Address("https://h/a.whl".into()));
    assert_eq!(Origin::written("-r://x"), Origin::Address("-r://x".into()), "pip isn't handed it as an option");
    assert_eq!(Origin::written("c:/a.whl"), Origin::Wheel("c:/a.whl".into()));
}

#[test]
fn an_installation_that_is_stopped_leaves_nothing() {
    let folder = folder();
    let plan = Plan { from: Origin::Wheel("there-is-none.whl".into()), ..Plan::default() };
    let problem = install(folder.path(), &plan, &mut |_| ControlFlow::Break(())).unwrap_err();
    assert_eq!(problem.code, Code::Unavailable);
    assert!(problem.message.ends_with("it was stopped"), "{}", problem.message);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_a_killed_installation_left_is_taken_away_but_not_what_may_still_run() {
    let folder = folder();
    let [old, new] = [".install-old", ".install-new"].map(|name| folder.path().join(name));
    for path in [&old, &new] {
        fs::create_dir(path).unwrap();
    }
    fs::write(old.join("part.whl"), "x").unwrap();
    let ago = SystemTime::now() - Duration::from_secs(3 * 24 * 3600);
    fs::File::open(&old).unwrap().set_modified(ago).unwrap();
    assert!(install_from(Path::new("there-is-none.whl"), folder.path()).is_err());
    assert_eq!((old.exists(), new.exists()), (false, true));
}
