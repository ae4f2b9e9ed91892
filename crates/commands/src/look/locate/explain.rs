//! A page that shows a search step by step, in one file.

use super::result::{answer, percent, word};
use crate::Session;
use handeye_engine::locate::sight::Sighted;
use handeye_engine::locate::sight::asking::{Asked, Step};
use handeye_scene::{Code, ModelKeys, Problem};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Pages in one folder at most.
const MOST: u32 = 10_000;

const HEAD: &str = "<!doctype html>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">
<title>handeye locate</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
img { max-width: 100%; border: 1px solid #bbb }
pre { white-space: pre-wrap; background: #f4f4f4; padding: .6em; overflow-wrap: anywhere }
table { border-collapse: collapse } td { padding: .1em .8em .1em 0 }
.bar { display: inline-block; height: .7em; background: #27c }
</style>
";

/// Makes the folder, before anything is asked that costs money.
pub(super) fn prepare(folder: &Path) -> Result<(), Problem> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Problem::new(Code::File, format!("can't make the folder {}: {e}", folder.display())))
}

/// Writes the page, without secrets or keys, under a name that is free.
pub(super) fn write(
    folder: &Path,
    session: &Session,
    keys: &ModelKeys,
    description: &str,
    sighted: &Sighted,
) -> Result<PathBuf, Problem> {
    let shown = |text: &str| escaped(&keys.redact(&session.memory.mask.of(text)));
    let page = page(&shown, description, sighted);
    let mut free = (1..MOST).map(|number| folder.join(format!("locate-{number}.html")));
    let path = free
        .find(|path| path.symlink_metadata().is_err())
        .ok_or_else(|| Problem::new(Code::File, format!("{} is full of pages", folder.display())))?;
    crate::core::saved::save(&path, page.as_bytes())?;
    Ok(path)
}

/// `shown`: how a text is written into markup.
fn page(shown: &dyn Fn(&str) -> String, description: &str, sighted: &Sighted) -> String {
    let mut out = HEAD.to_owned();
    let _ = write!(
        out,
        "<h1>{}</h1>\n<p><b>{}</b>, confidence {}",
        shown(description),
        word(sighted.reason),
        percent(sighted.confidence)
    );
    if let Some(rect) = sighted.found.as_ref().map(|target| target.rect) {
        let _ = write!(out, ", at {:.0},{:.0} {:.0}×{:.0}", rect.x, rect.y, rect.width, rect.height);
    }
    let _ = writeln!(
        out,
        "; {} questions, {} + {} tokens</p>",
        sighted.steps.len(),
        sighted.usage.input,
        sighted.usage.output
    );
    if let Some(problem) = &sighted.problem {
        let _ = writeln!(out, "<p>It went no further: {}</p>", shown(&problem.message));
    }
    for (number, each) in (1..).zip(&sighted.steps) {
        step(&mut out, shown, number, each);
    }
    out
}

fn step(out: &mut String, shown: &dyn Fn(&str) -> String, number: usize, step: &Step) {
    let what = match &step.asked {
        Asked::Crosshair { x, y } => format!("crosshair at {x:.0},{y:.0}"),
        Asked::Marks(called) => format!("{} marks", called.len()),
    };
    let _ = writeln!(out, "<h2>{number}. {what}: {}</h2>", answer(step));
    if !step.picture.is_empty() {
        let data = crate::core::secrets::spellings::base64(&step.picture, false);
        let _ = writeln!(out, "<img alt=\"what the model was shown\" src=\"data:image/png;base64,{data}\">");
    }
    let _ = writeln!(out, "<table>");
    for (what, probability) in &step.believed {
        let width = (probability.clamp(0.0, 1.0) * 300.0).round();
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td><span class=\"bar\" style=\"width: {width}px\"></span></td></tr>",
            shown(what),
            percent(*probability)
        );
    }
    let _ = writeln!(out, "<tr><td>none of the candidates</td><td>{}</td></tr></table>", percent(step.absent));
    for said in &step.answers {
        let _ = writeln!(out, "<pre>{}</pre>", shown(said));
    }
    let _ = writeln!(
        out,
        "<details><summary>question ({}), {:.2} s, {} + {} tokens</summary><pre>{}</pre></details>",
        shown(&step.prompt),
        step.seconds,
        step.usage.input,
        step.usage.output,
        shown(&step.text)
    );
}

/// A text as markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_engine::locate::crosshair::Reply;
    use handeye_engine::locate::crosshair::search::Reason;
    use handeye_scene::Rect;
    use handeye_scene::chat::Usage;

    #[test]
    fn what_comes_from_a_page_or_a_model_is_text_there() {
        let evil = "<script>alert(1)</script>\"'&";
        let one = Step {
            asked: Asked::Marks(vec![evil.into()]),
            prompt: "locate/marks 1".into(),
            text: evil.into(),
            answers: vec![evil.into()],
            reply: Reply::Mark(0),
            is_late: false,
            believed: vec![(evil.into(), 0.5)],
            absent: 0.1,
            usage: Usage::default(),
            seconds: 0.0,
            area: Rect::default(),
            picture: b"png".to_vec(),
        };
        let sighted = Sighted {
            found: None,
            reason: Reason::Undecided,
            confidence: 0.5,
            steps: vec![one],
            usage: Usage::default(),
            scrolled: false,
            problem: Some(Problem::new(Code::Denied, evil)),
            notices: Vec::new(),
        };
        let page = page(&escaped, evil, &sighted);
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;alert(1)"), "{page}");
        assert!(page.contains("data:image/png;base64,cG5n") && page.contains("undecided"));
    }
}
