//! Which window a name means.

use crate::matching::normalize;
use crate::observe::outline::{quote, quote_own};
use crate::wording::shown::word;
use handeye_scene::Mask;
use handeye_scene::{Code, Problem, Window};
use std::fmt::Write;

/// The window that `named` means: by handle, by exact title, else by part of its title or process. Several are refused and
/// listed.
pub fn pick<'a>(windows: &'a [Window], named: &str, mask: &Mask) -> Result<&'a Window, Problem> {
    if let Some(window) = by_handle(windows, named) {
        return window;
    }
    let wanted = normalize(named);
    if wanted.is_empty() {
        return Err(Problem::new(Code::BadRequest, "the name of a window is missing").hint("handeye windows"));
    }
    let title = |w: &Window| normalize(&mask.of(&w.title));
    let exact: Vec<&Window> = windows.iter().filter(|w| title(w) == wanted).collect();
    let part = |w: &&Window| title(w).contains(&wanted) || normalize(&w.process).contains(&wanted);
    let found = if exact.is_empty() { windows.iter().filter(part).collect() } else { exact };
    match found[..] {
        [window] => Ok(window),
        [] => Err(Problem::new(
            Code::NotFound,
            format!(
                "no window's title or process contains {}{}",
                quote_own(named, 80),
                listed(" there is ", windows.iter())
            ),
        )
        .hint("handeye windows")),
        _ => Err(ambiguous(&found, named)),
    }
}

/// The window that a handle (`0x1400003`) or a process id (`pid:123`) means; none where `named` is neither.
fn by_handle<'a>(windows: &'a [Window], named: &str) -> Option<Result<&'a Window, Problem>> {
    let named = named.trim();
    if let Some(pid) = named.strip_prefix("pid:").and_then(|pid| pid.trim().parse::<u32>().ok()) {
        let of_it: Vec<&Window> = windows.iter().filter(|w| w.pid == pid).collect();
        return Some(match of_it[..] {
            [window] => Ok(window),
            [] => Err(Problem::new(
                Code::NotFound,
                format!("process {pid} has no window{}", listed("; there is ", windows.iter())),
            )
            .hint("handeye windows")),
            _ => Err(ambiguous(&of_it, named)),
        });
    }
    let number =
        |text: &str| u64::from_str_radix(text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?, 16).ok();
    let handle = number(named)?;
    let found = windows.iter().find(|w| number(&w.id) == Some(handle));
    Some(found.ok_or_else(|| {
        Problem::new(Code::NotFound, format!("there is no window {named}{}", listed("; there is ", windows.iter())))
            .hint("handeye windows")
    }))
}

fn ambiguous(found: &[&Window], named: &str) -> Problem {
    let mut problem = Problem::new(
        Code::Ambiguous,
        format!("{} matches {} windows:{}", quote_own(named, 80), found.len(), listed(" ", found.iter().copied())),
    );
    problem.hints = found.iter().take(3).map(|w| format!("handeye state --window {}", w.id).into()).collect();
    problem
}

fn listed<'a>(begin: &str, windows: impl Iterator<Item = &'a Window>) -> String {
    let names: Vec<String> = windows.take(8).map(words).collect();
    if names.is_empty() { "; there is no window".into() } else { format!("{begin}{}", names.join(", ")) }
}

/// A window in a few words: its handle, title and process.
pub fn words(window: &Window) -> String {
    format!("{} {} ({})", window.id, quote(&window.title, 80), word(&window.process, 60))
}

/// A window in one line of a list.
pub fn line(window: &Window) -> String {
    let r = window.rect;
    let mut line = format!(
        "{} {} {} pid {} rect={},{},{},{}",
        window.id,
        quote(&window.title, 100),
        word(&window.process, 60),
        window.pid,
        r.x,
        r.y,
        r.width,
        r.height
    );
    for (word, is) in [("focused", window.focused), ("minimised", window.minimised)] {
        if is {
            let _ = write!(line, " {word}");
        }
    }
    if let Some(workspace) = window.workspace {
        let _ = write!(line, " on workspace {workspace}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Rect;

    fn window(id: &str, title: &str, process: &str) -> Window {
        Window {
            id: id.into(),
            title: title.into(),
            process: process.into(),
            pid: 7,
            rect: Rect::new(-5.0, 0.0, 10.0, 10.0),
            focused: id == "0x1",
            minimised: false,
            workspace: None,
        }
    }

    #[test]
    fn a_window_is_named_by_part_of_its_title_or_process() {
        let all = [
            window("0x1", "Notes - Editor", "mousepad"),
            window("0x2", "Ünïted", "kcalc"),
            window("0x3", "Editor", "x"),
        ];
        let named = |name: &str| match pick(&all, name, &Mask::default()) {
            Ok(window) => window.id.clone(),
            Err(problem) => problem.to_string(),
        };
        assert_eq!(named("notes"), "0x1");
        assert_eq!(named("KCALC"), "0x2");
        assert_eq!(named("ünïted"), "0x2");
        assert_eq!(named("editor"), "0x3", "an exact title comes first");
        assert_eq!(named("0x2"), "0x2");
        assert_eq!(named("0X02"), "0x2");
        assert!(named("0x9").starts_with("not_found: there is no window 0x9; there is 0x1"));
        assert!(named("pid:7").starts_with("ambiguous: \"pid:7\" matches 3 windows: 0x1"));
        assert!(named("pid:8").starts_with("not_found: process 8 has no window; there is 0x1"));
        assert_eq!(pick(&all[..1], "pid:7", &Mask::default()).map(|w| w.id.as_str()), Ok("0x1"));
        assert_eq!(
            named("edit"),
            "ambiguous: \"edit\" matches 2 windows: 0x1 \"Notes - Editor\" (mousepad), 0x3 \"Editor\" (x)"
        );
        assert!(named("zzz").starts_with("not_found: no window's title or process contains \"zzz\" there is 0x1"));
        // As its title is shown: what is masked is not found by its parts.
        let mask = Mask::new(|title| title.replace("Notes", "••••"), 5);
        assert!(pick(&all, "Note", &Mask::default()).is_ok() && pick(&all, "Note", &mask).is_err());
        assert_eq!(pick(&all, "•••• - Editor", &mask).map(|w| w.id.as_str()), Ok("0x1"));
        assert!(pick(&[], "zzz", &Mask::default()).is_err_and(|p| p.message.ends_with("there is no window")));
    }

    #[test]
    fn a_line_says_all_of_a_window() {
        assert_eq!(line(&window("0x1", "A", "b")), "0x1 \"A\" b pid 7 rect=-5,0,10,10 focused");
        let away = Window { focused: false, workspace: Some(3), ..window("0x2", "A", "b") };
        assert_eq!(line(&away), "0x2 \"A\" b pid 7 rect=-5,0,10,10 on workspace 3");
    }
}
