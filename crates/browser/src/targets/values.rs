//! Values as the console shows them.

use crate::protocol::json::parse;
use crate::protocol::{Preview, RemoteObject};
use handeye_scene::Mask;

/// The arguments as the console shows them.
pub(super) fn formatted(args: &[RemoteObject], mask: &Mask) -> String {
    let Some((first, rest)) = args.split_first() else { return String::new() };
    let template = first.value.as_ref().filter(|_| first.kind == "string").and_then(|v| text_of(v.get()));
    let mut rest = rest.iter();
    let mut out = match template {
        Some(template) if template.contains('%') && rest.len() > 0 => {
            let mut out = String::new();
            let mut letters = template.chars().peekable();
            while let Some(c) = letters.next() {
                match (c, letters.peek().copied()) {
                    ('%', Some('%')) => {
                        letters.next();
                        out.push('%');
                    }
                    ('%', Some('s' | 'd' | 'i' | 'f' | 'o' | 'O')) if rest.len() > 0 => {
                        letters.next();
                        out.push_str(&rest.next().map(|one| shown(one, mask)).unwrap_or_default());
                    }
                    // A style.
                    ('%', Some('c')) if rest.len() > 0 => {
                        letters.next();
                        rest.next();
                    }
                    _ => out.push(c),
                }
            }
            out
        }
        _ => shown(first, mask),
    };
    for more in rest {
        out.push(' ');
        out.push_str(&shown(more, mask));
    }
    out
}

fn text_of(json: &str) -> Option<String> {
    parse(json).ok()
}

fn shown(object: &RemoteObject, mask: &Mask) -> String {
    if let Some(value) = &object.value {
        return text_of(value.get()).unwrap_or_else(|| value.get().to_owned());
    }
    if object.kind == "undefined" {
        return "undefined".into();
    }
    if object.subtype.as_deref() == Some("null") {
        return "null".into();
    }
    match &object.preview {
        Some(preview) if object.subtype.as_deref() != Some("error") => previewed(preview, mask),
        _ => object.description.clone().or_else(|| object.unserializable_value.clone()).unwrap_or_default(),
    }
}

/// Characters of what the browser cuts a part out of, and where it does.
const ABBREVIATED: (usize, usize) = (100, 50);

/// A text as previews of objects hold it: of a long one the browser shows but both ends.
fn abbreviated(text: &str, mask: &Mask) -> String {
    let (length, middle) = ABBREVIATED;
    match text.split_once('…') {
        Some((start, end)) if start.chars().count() == middle && text.chars().count() == length => {
            format!("{}…{}", mask.start(start), mask.end(end))
        }
        _ => text.to_owned(),
    }
}

fn previewed(preview: &Preview, mask: &Mask) -> String {
    let list = preview.subtype.as_deref() == Some("array");
    let members = preview.properties.iter().map(|p| {
        let value = match (&p.value_preview, &p.value) {
            (Some(nested), _) => previewed(nested, mask),
            (None, Some(value)) if p.kind == "string" => format!("{:?}", abbreviated(value, mask)),
            (None, Some(value)) => value.clone(),
            (None, None) => p.kind.clone(),
        };
        if list { value } else { format!("{}: {value}", p.name) }
    });
    let members = members.chain(preview.overflow.then(|| "…".to_owned())).collect::<Vec<_>>().join(", ");
    if members.is_empty() && !list {
        return preview.description.clone().unwrap_or_else(|| "{}".into());
    }
    if list { format!("[{members}]") } else { format!("{{{members}}}") }
}
