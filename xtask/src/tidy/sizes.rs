//! How much one type holds and does: what keeps too much of its own, and what can do too much, is taken apart.

use super::finding::{Finding, add};
use super::source::File;
use std::collections::BTreeMap;

/// Fields that a type has at most, if it changes itself. Data, which others read, may have more.
const FIELDS: usize = 12;
/// Methods that a type has at most, over all files of its crate. Ports that it implements don't count.
const METHODS: usize = 30;

/// A type of a crate, as far as this rule asks.
struct Type<'a> {
    file: &'a File,
    line: usize,
    name: String,
    is_public: bool,
    fields: usize,
    methods: usize,
    /// Whether it has a method that changes it.
    changes: bool,
}

/// No type holds or does too much.
pub(super) fn sizes(files: &[File], found: &mut Vec<Finding>) {
    let mut crates: BTreeMap<&str, Vec<(&File, Item)>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_crate_source() && !file.is_for_tests()) {
        if let Some(name) = file.crate_name() {
            crates.entry(name).or_default().extend(items(file).into_iter().map(|item| (file, item)));
        }
    }
    for known in crates.into_values().flat_map(types) {
        let Type { file, line, name, .. } = &known;
        if known.changes && known.fields > FIELDS {
            let what =
                format!("`{name}` changes itself and has {} fields, more than {FIELDS}: group them", known.fields);
            add(found, file, *line, "sizes", what);
        }
        if known.methods > METHODS {
            let what =
                format!("`{name}` has {} methods, more than {METHODS}: split it by what they are about", known.methods);
            add(found, file, *line, "sizes", what);
        }
    }
}

/// The types of a crate. An implementation is of the type of its name in the same file, else of a public one in another.
fn types<'a>(items: Vec<(&'a File, Item)>) -> Vec<Type<'a>> {
    let (declared, implemented): (Vec<_>, Vec<_>) =
        items.into_iter().partition(|(_, item)| matches!(item.is, Is::Type));
    let mut types: Vec<Type<'a>> = declared
        .into_iter()
        .map(|(file, Item { line, name, is_public, inside: fields, .. })| Type {
            file,
            line,
            name,
            is_public,
            fields,
            methods: 0,
            changes: false,
        })
        .collect();
    for (file, item) in implemented {
        let is_here = |t: &Type<'_>| t.file.path == file.path;
        let here = types.iter().any(|t| t.name == item.name && is_here(t));
        let mut named = types.iter_mut().filter(|t| t.name == item.name);
        let Some(of) = named.find(|t| if here { is_here(t) } else { t.is_public }) else { continue };
        of.changes |= item.changes;
        if matches!(item.is, Is::Methods) {
            of.methods += item.inside;
        }
    }
    types
}

/// What an item is.
enum Is {
    /// A struct or an enum.
    Type,
    Methods,
    /// The implementation of a trait.
    Port,
}

/// A struct or an implementation.
struct Item {
    is: Is,
    name: String,
    line: usize,
    is_public: bool,
    /// Fields, or functions that take `self`.
    inside: usize,
    /// Whether a function takes `&mut self`.
    changes: bool,
}

/// The structs and implementations of a file that rustfmt has laid out: an item begins at the margin, and ends with a brace there.
fn items(file: &File) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    let mut open: Option<Item> = None;
    let mut head = String::new();
    for (line, text) in file.code_lines() {
        if let Some(item) = &mut open {
            match text.strip_prefix("    ").filter(|inside| !inside.starts_with(' ')) {
                Some(inside) => item.take(inside),
                None if text.starts_with('}') => found.extend(open.take()),
                // The rest of a signature that doesn't fit one line.
                None => item.take_self(text.trim()),
            }
            continue;
        }
        // A head may take several lines.
        if !head.is_empty() || is_head(text) {
            head.push_str(text);
            head.push(' ');
            if text.trim_end().ends_with('{') {
                open = item(&std::mem::take(&mut head), line);
            } else if text.trim_end().ends_with(['}', ';']) {
                found.extend(item(&std::mem::take(&mut head), line));
            }
        }
    }
    found
}

/// What stands between the parentheses of a function's first line, where a line begins one.
fn function(line: &str) -> Option<(&str, &str)> {
    let at = line.find("fn ").filter(|at| *at == 0 || line[..*at].ends_with(' '))?;
    line[at..].split_once('(')
}

fn is_head(text: &str) -> bool {
    let declares = |text: &str| text.starts_with("struct ") || text.starts_with("enum ");
    let public = text.strip_prefix("pub").and_then(|rest| rest.split_once(' ')).map(|(_, rest)| rest);
    declares(text) || public.is_some_and(declares) || text.starts_with("impl ") || text.starts_with("impl<")
}

/// The item that a head declares.
fn item(head: &str, line: usize) -> Option<Item> {
    let (is, named) = match head.strip_prefix("impl").map(without_parameters) {
        Some(rest) => rest.split_once(" for ").map_or((Is::Methods, rest), |(_, name)| (Is::Port, name)),
        None => (Is::Type, head.split_once("struct ").or_else(|| head.split_once("enum "))?.1),
    };
    let path = named.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next()?;
    let name = path.rsplit("::").next()?.to_owned();
    Some(Item { is, name, line, is_public: head.starts_with("pub"), inside: 0, changes: false })
}

/// What follows the generic parameters that a text may begin with.
fn without_parameters(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if c == '>' { &text[at + 1..] } else { text };
        }
    }
    text
}

impl Item {
    /// Takes one line of those that stand directly inside.
    fn take(&mut self, line: &str) {
        match self.is {
            Is::Type => {
                let name = line.trim_start_matches("pub").trim_start_matches("(crate)").trim_start_matches("(super)");
                let is_field = name.trim_start().split_once(':').is_some_and(|(name, _)| {
                    name.trim_start_matches("r#").chars().all(|c| c.is_alphanumeric() || c == '_')
                });
                self.inside += usize::from(is_field);
            }
            Is::Methods | Is::Port => {
                if let Some((_, arguments)) = function(line) {
                    self.take_self(arguments);
                }
            }
        }
    }

    /// Takes arguments of a function, where they begin with `self`.
    fn take_self(&mut self, arguments: &str) {
        let first = arguments.split([',', ')', ':']).next().unwrap_or_default();
        if !matches!(self.is, Is::Type) && matches!(first, "self" | "mut self" | "&self" | "&mut self") {
            self.inside += 1;
            self.changes |= first == "&mut self";
        }
    }
}
