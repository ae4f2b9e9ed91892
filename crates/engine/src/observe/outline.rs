//! Views, targets and changes as text for people and models.

use crate::observe::diff::words;
use crate::observe::view::{Item, Line, View};
use crate::wording::shown::{ADDRESS, address, hint, line, word};
pub use crate::wording::shown::{cut, quote, quote_apart, quote_own};
use handeye_scene::model::role::known;
use handeye_scene::{Change, DocumentId, Extra, Fold, Notice, Rect, Snapshot, Source, State, States, Target};
use std::fmt::Write;

/// How much to write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Rectangles and XPaths too.
    pub verbose: bool,
    /// Everything at the depth at which it is nested; otherwise only documents indent.
    pub tree: bool,
    /// Characters of one name or text, at most.
    pub text: usize,
    /// The visible area, by which what is above or below it is marked with an arrow; without one, with a word.
    pub viewport: Option<Rect>,
}

impl Default for Style {
    fn default() -> Self {
        Self { verbose: false, tree: false, text: 100, viewport: None }
    }
}

/// Longest line that several texts in a row are put into, characters.
const TEXT_LINE: usize = 160;

/// Characters of a title that are shown.
pub(crate) const TITLE: usize = 200;
/// Characters of a notice that are shown.
pub(crate) const NOTICE: usize = 500;

/// The first line of a state.
pub fn header(view: &View) -> String {
    let snapshot = &view.snapshot;
    let n = snapshot.targets.len();
    let title = quote(&snapshot.title, TITLE);
    let place = match snapshot.surface.as_str() {
        "desktop" => format!("window {title} {} ({})", address(&snapshot.url), word(&snapshot.process, 100)),
        _ => format!("page {title} {}", address(&snapshot.url)),
    };
    let mut line = format!("{place}  {n} target{}", if n == 1 { "" } else { "s" });
    let folded: usize = snapshot.folds.iter().map(|f| f.targets).sum();
    if folded > 0 {
        let _ = write!(line, ", {folded} in folds (--within REF)");
    }
    if snapshot.omitted > folded {
        let _ = write!(line, ", {} more not shown", snapshot.omitted - folded);
    }
    if let Some(page) = snapshot.page {
        let _ = write!(line, ", page {} of {}", page.number, page.of);
    }
    if view.texts_omitted > 0 {
        let _ = write!(line, ", {} texts off-screen", view.texts_omitted);
    }
    line
}

/// A whole state.
pub fn view(view: &View, style: Style) -> String {
    let style = Style { viewport: Some(view.viewport), ..style };
    let mut out = header(view);
    for notice in &view.snapshot.notices {
        let _ = write!(out, "\n{}", notice_line(notice));
    }
    let mut depths = Depths { snapshot: &view.snapshot, last: None };
    let mut texts = Texts::default();
    for line in &view.lines {
        let depth = if style.tree { line.depth } else { depths.of(line.document) };
        match &line.item {
            Item::Text { role, text, level: None } if !style.tree => {
                texts.add(role, text, line, depth, style, &mut out)
            }
            item => {
                texts.end(&mut out);
                new_line(&mut out, depth);
                write_item(&mut out, item, view, &line.extra, style);
            }
        }
    }
    texts.end(&mut out);
    out
}

/// Role of plain text.
pub(crate) const PLAIN: &str = "text";

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

fn write_item(out: &mut String, item: &Item, view: &View, extra: &Extra, style: Style) {
    match item {
        Item::Fold(i) => {
            let fold = &view.snapshot.folds[*i];
            let _ = write!(out, "{} fold {}", fold.r#ref, fold_words(fold));
        }
        Item::Target(i) => out.push_str(&target_line(&view.snapshot.targets[*i], extra, style)),
        Item::Text { role, text, level } => {
            out.push_str(known(role));
            if let Some(level) = level {
                let _ = write!(out, " {level}");
            }
            let _ = write!(out, " {}", quote(text, style.text));
        }
    }
}

/// What a fold holds, in words.
pub(crate) fn fold_words(fold: &Fold) -> String {
    let mut line = fold.place.as_ref().map(|p| format!("{p}: ")).unwrap_or_default();
    if let (Some(parts), Some(role)) = (fold.parts, &fold.role) {
        let _ = write!(line, "{parts} × {role}");
    }
    // Parts that are targets themselves are said already.
    if fold.parts != Some(fold.targets) {
        let comma = if fold.parts.is_some() { ", " } else { "" };
        let _ = write!(line, "{comma}{} target{}", fold.targets, if fold.targets == 1 { "" } else { "s" });
        if !fold.roles.is_empty() {
            let more = if fold.roles.len() > ROLES { ", …" } else { "" };
            let _ = write!(line, " ({}{more})", fold.roles[..fold.roles.len().min(ROLES)].join(", "));
        }
    }
    let _ = write!(line, " {} … {}", quote(&fold.first, TEXT_LINE), quote(&fold.last, TEXT_LINE));
    line
}

/// Roles named of what is in a fold.
const ROLES: usize = 4;

/// Readable things of one kind in a row, on as few lines as hold them. What is a sentence or a row of cells stays on a line
/// of its own.
#[derive(Default)]
struct Texts {
    line: String,
    depth: usize,
    role: String,
    parent: Option<usize>,
}

impl Texts {
    fn add(&mut self, role: &str, text: &str, line: &Line, depth: usize, style: Style, out: &mut String) {
        let full = self.line.chars().count() + text.chars().count() + 3 > TEXT_LINE;
        let other = depth != self.depth || role != self.role || role != PLAIN && line.parent != self.parent;
        if !self.line.is_empty() && (full || other) {
            self.end(out);
        }
        if !self.line.is_empty() {
            self.line.push_str(" · ");
        }
        self.line.push_str(&cut(text, style.text));
        (self.depth, self.parent) = (depth, line.parent);
        if self.role != role {
            role.clone_into(&mut self.role);
        }
    }

    fn end(&mut self, out: &mut String) {
        if !self.line.is_empty() {
            new_line(out, self.depth);
            let _ = write!(out, "{} {}", known(&self.role), quote(&std::mem::take(&mut self.line), usize::MAX));
        }
    }
}

/// Depths by document alone, asked for line by line.
struct Depths<'a> {
    snapshot: &'a Snapshot,
    last: Option<(DocumentId, usize)>,
}

impl Depths<'_> {
    fn of(&mut self, document: DocumentId) -> usize {
        let depth = match self.last {
            Some((last, depth)) if last == document => depth,
            _ => document_depth(self.snapshot, document),
        };
        self.last = Some((document, depth));
        depth
    }
}

/// How deep a document is nested: what an iframe shows stands below it.
fn document_depth(snapshot: &Snapshot, mut document: DocumentId) -> usize {
    let mut depth = 0;
    while let Some(owner) = snapshot.documents.iter().find(|d| d.id == document).and_then(|d| d.parent_ref) {
        depth += 1;
        match snapshot.targets.iter().find(|t| t.r#ref == owner) {
            Some(target) if depth <= 64 => document = target.document,
            _ => break,
        }
    }
    depth
}

/// A target in one line.
pub fn target_line(target: &Target, extra: &Extra, style: Style) -> String {
    let says = extra.says.as_ref().filter(|_| target.name.is_empty()).unwrap_or(&target.name);
    let mut line = format!("{} {} {}", target.r#ref, known(&target.role), quote(says, style.text));
    if let Some(value) = target.value.as_ref().filter(|v| !v.is_empty()) {
        let _ = write!(line, " value={}", quote(value, style.text));
    }
    if let Some(n) = extra.options {
        let _ = write!(line, " {n} option{}", if n == 1 { "" } else { "s" });
    }
    if let Some(said) = &extra.hint {
        let _ = write!(line, " ({})", hint(said, 40));
    }
    if let Some(placeholder) = extra.placeholder.as_ref().filter(|p| **p != target.name) {
        let _ = write!(line, " placeholder={}", quote(placeholder, style.text));
    }
    if let Some(kind) = field_kind(&target.role, extra) {
        let _ = write!(line, " type={kind}");
    }
    if target.role == "iframe"
        && let Some(href) = &target.href
    {
        let _ = write!(line, " {}", address(href));
    }
    let arrow = style.viewport.and_then(|v| arrow(target, v));
    let states = shown_states(target.states);
    let states = words(if arrow.is_some() { states.without(State::Offscreen) } else { states });
    if !states.is_empty() {
        let _ = write!(line, " {states}");
    }
    line.extend(arrow);
    if let Some(reads) = &target.reads {
        let _ = write!(line, " reads={}", quote(reads, style.text));
    }
    // What has no element is known by its place alone.
    if style.verbose || target.native.is_none() && target.source != Source::Native {
        let r = target.rect;
        let _ = write!(line, " rect={},{},{},{}", round(r.x), round(r.y), round(r.width), round(r.height));
    }
    if target.source != Source::Native {
        let _ = write!(line, " ({}", target.source.word());
        if let Some(confidence) = target.confidence.filter(|c| *c < 1.0) {
            let _ = write!(line, " {}", round(confidence));
        }
        if let Some(reason) = &target.reason {
            let _ = write!(line, ": {}", crate::wording::shown::line(reason, 160));
        }
        line.push(')');
    }
    if style.verbose {
        if let Some(xpath) = &target.xpath {
            let _ = write!(line, " xpath={}", word(xpath, ADDRESS));
        }
        if target.role != "iframe"
            && let Some(href) = &target.href
        {
            let _ = write!(line, " href={}", address(href));
        }
    }
    line
}

/// What a field takes, where it isn't any text and its role doesn't tell.
pub(crate) fn field_kind<'a>(role: &str, extra: &'a Extra) -> Option<&'a str> {
    const KINDS: [&str; 10] =
        ["password", "email", "tel", "url", "date", "time", "datetime-local", "month", "week", "file"];
    extra.kind.as_deref().filter(|kind| KINDS.contains(kind) && *kind != role)
}

/// Where to scroll for a target that is off-screen.
fn arrow(target: &Target, viewport: Rect) -> Option<&'static str> {
    if !target.states.has(State::Offscreen) || viewport.height <= 0.0 {
        return None;
    }
    if target.rect.y + target.rect.height <= viewport.y {
        return Some(" ↑");
    }
    (target.rect.y >= viewport.y + viewport.height).then_some(" ↓")
}

/// States worth a word in text: editable shows by its role.
fn shown_states(states: States) -> States {
    states.without(State::Haspopup).without(State::Multiple)
}

/// A coordinate with at most two decimals.
pub fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A notice in one line.
pub fn notice_line(notice: &Notice) -> String {
    format!("notice {}: {}", notice.kind, line(&notice.text, NOTICE))
}

/// Changes, each in one line. A long text that came in place of one that begins alike is shown, as that one is, from shortly
/// before they differ.
pub fn change_lines(changes: &[Change], style: Style) -> Vec<String> {
    let mut lines: Vec<String> = changes.iter().map(|change| change_line(change, style)).collect();
    let start = |text: &str| text.chars().nth(style.text).is_some().then(|| text.chars().take(style.text).collect());
    let gone = changes.iter().enumerate().filter_map(|(i, change)| match change {
        Change::TextRemoved { text } => Some((i, text, start(text)?)),
        _ => None,
    });
    let mut gone: Vec<(usize, &String, String)> = gone.collect();
    for (i, change) in changes.iter().enumerate() {
        let Change::TextAdded { text: to } = change else { continue };
        let Some(at) = start(to).and_then(|start: String| gone.iter().position(|(.., other)| *other == start)) else {
            continue;
        };
        let (was_at, from, _) = gone.remove(at);
        let (from, to) = quote_apart(from, to, style.text);
        (lines[was_at], lines[i]) = (format!("- text {from}"), format!("+ text {to}"));
    }
    lines
}

/// A change in one line.
fn change_line(change: &Change, style: Style) -> String {
    match change {
        Change::Added { target } => format!("+ {}", target_line(target, &Extra::default(), style)),
        Change::Removed { r#ref, role, name } => format!("- {} {} {}", r#ref, known(role), quote(name, style.text)),
        Change::Changed { r#ref, property, from, to } => {
            let (from, to) = quote_apart(from, to, style.text);
            format!("~ {} {property} {from} → {to}", r#ref)
        }
        Change::TextAdded { text } => format!("+ text {}", quote(text, style.text)),
        Change::TextRemoved { text } => format!("- text {}", quote(text, style.text)),
    }
}
