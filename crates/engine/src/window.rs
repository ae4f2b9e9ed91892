//! Which window a name means.

use crate::expect::fold;
use crate::outline::quote;
use handeye_scene::{Code, Problem, Window};
use std::fmt::Write;

/// The window that `named` means: by handle, by exact title, else by part of its title or process. Several are refused and
/// listed.
pub fn pick<'a>(windows: &'a [Window], named: &str) -> Result<&'a Window, Problem> {
    if let Some(window) = windows.iter().find(|w| w.id == named || format!("pid:{}", w.pid) == named) {
        return Ok(window);
    }
    let wanted = fold(named);
    if wanted.is_empty() {
        return Err(Problem::new(Code::BadRequest, "the name of a window is missing").hint("handeye windows"));
    }
    let exact: Vec<&Window> = windows.iter().filter(|w| fold(&w.title) == wanted).collect();
    let part = |w: &&Window| fold(&w.title).contains(&wanted) || fold(&w.process).contains(&wanted);
    let found = if exact.is_empty() { windows.iter().filter(part).collect() } else { exact };
    match found[..] {
        [window] => Ok(window),
        [] => Err(Problem::new(
            Code::NotFound,
            format!(
                "no window's title or process contains {}{}",
                quote(named, 80),
                listed(" there is ", windows.iter())
            ),
        )
        .hint("handeye windows")),
        _ => {
            let mut problem = Problem::new(
                Code::Ambiguous,
                format!("{} matches {} windows:{}", quote(named, 80), found.len(), listed(" ", found.iter().copied())),
            );
            problem.hints = found.iter().take(3).map(|w| format!("handeye state --window {}", w.id)).collect();
            Err(problem)
        }
    }
}

fn listed<'a>(begin: &str, windows: impl Iterator<Item = &'a Window>) -> String {
    let names: Vec<String> = windows.take(8).map(words).collect();
    if names.is_empty() { "; there is no window".into() } else { format!("{begin}{}", names.join(", ")) }
}

/// A window in a few words: its handle, title and process.
pub fn words(window: &Window) -> String {
    format!("{} {} ({})", window.id, quote(&window.title, 80), window.process)
}

/// A window in one line of a list.
pub fn line(window: &Window) -> String {
    let r = window.rect;
    let mut line = format!(
        "{} {} {} pid {} rect={},{},{},{}",
        window.id,
        quote(&window.title, 100),
        window.process,
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
        }
    }

    #[test]
    fn a_window_is_named_by_part_of_its_title_or_process() {
        let all = [
            window("0x1", "Notes - Editor", "mousepad"),
            window("0x2", "Ünïted", "kcalc"),
            window("0x3", "Editor", "x"),
        ];
        let named = |name: &str| match pick(&all, name) {
            Ok(window) => window.id.clone(),
            Err(problem) => problem.to_string(),
        };
        assert_eq!(named("notes"), "0x1");
        assert_eq!(named("KCALC"), "0x2");
        assert_eq!(named("ünïted"), "0x2");
        assert_eq!(named("editor"), "0x3", "an exact title comes first");
        assert_eq!(named("0x2"), "0x2");
        assert_eq!(
            named("edit"),
            "ambiguous: \"edit\" matches 2 windows: 0x1 \"Notes - Editor\" (mousepad), 0x3 \"Editor\" (x)"
        );
        assert!(named("zzz").starts_with("not_found: no window's title or process contains \"zzz\" there is 0x1"));
        assert!(pick(&[], "zzz").is_err_and(|p| p.message.ends_with("there is no window")));
    }

    #[test]
    fn a_line_says_all_of_a_window() {
        assert_eq!(line(&window("0x1", "A", "b")), "0x1 \"A\" b pid 7 rect=-5,0,10,10 focused");
    }
}
