//! The forms in which items are written out. Pure.

use handeye_scene::collect::Item;
use handeye_scene::{Code, Problem};
use std::path::Path;

/// A form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A JSON object in each line.
    JsonLines,
    /// Values separated by commas (RFC 4180), with a head.
    Csv,
}

/// The form that a file's name asks for.
pub fn form(path: &Path) -> Result<Form, Problem> {
    match path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).as_deref() {
        Some("jsonl" | "ndjson") => Ok(Form::JsonLines),
        Some("csv") => Ok(Form::Csv),
        _ => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let text = format!("the form of `{name}` isn't known: its name must end in .jsonl or .csv");
            Err(Problem::new(Code::BadRequest, text).hint("handeye collect --help"))
        }
    }
}

/// Items in a form.
pub fn written(items: &[Item], fields: &[String], form: Form) -> Result<Vec<u8>, Problem> {
    let mut out = String::new();
    match form {
        Form::JsonLines => {
            for item in items {
                let line = serde_json::to_string(item);
                out.push_str(&line.map_err(|e| Problem::new(Code::Bug, format!("an item can't be written: {e}")))?);
                out.push('\n');
            }
        }
        Form::Csv => {
            let more = fields.iter().filter(|name| *name != "title").map(String::as_str);
            let head: Vec<&str> = ["url", "title"].into_iter().chain(more.clone()).chain(["page"]).collect();
            row(&mut out, head.into_iter());
            for item in items {
                let page = item.page.to_string();
                let values =
                    more.clone().map(|name| item.fields.get(name).and_then(Option::as_deref).unwrap_or_default());
                row(&mut out, [item.url.as_str(), &item.title].into_iter().chain(values).chain([page.as_str()]));
            }
        }
    }
    Ok(out.into_bytes())
}

fn row<'a>(out: &mut String, cells: impl Iterator<Item = &'a str>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(',');
        }
        if cell.contains(['"', ',', '\n', '\r']) || cell.starts_with(' ') || cell.ends_with(' ') {
            out.push_str(&format!("\"{}\"", cell.replace('"', "\"\"")));
        } else {
            out.push_str(cell);
        }
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_written_in_the_form_that_the_name_asks_for() {
        let fields = ["date".to_owned(), "title".to_owned()];
        let one = Item {
            url: "http://a/1".into(),
            title: "A \"b\", c\n项目".into(),
            fields: [("date".to_owned(), Some("2024".to_owned()))].into(),
            page: 1,
        };
        let two =
            Item { url: "http://a/2".into(), fields: [("date".to_owned(), None)].into(), page: 2, ..Item::default() };
        let text = |form| String::from_utf8(written(&[one.clone(), two.clone()], &fields, form).unwrap()).unwrap();
        assert_eq!(
            text(Form::JsonLines),
            "{\"url\":\"http://a/1\",\"title\":\"A \\\"b\\\", c\\n项目\",\"date\":\"2024\",\"page\":1}\n{\"url\":\"http://a/2\",\"title\":\"\",\"date\":null,\"page\":2}\n"
        );
        assert_eq!(
            text(Form::Csv),
            "url,title,date,page\r\nhttp://a/1,\"A \"\"b\"\", c\n项目\",2024,1\r\nhttp://a/2,,,2\r\n"
        );
        for (name, wanted) in [
            ("a.jsonl", Some(Form::JsonLines)),
            ("a.CSV", Some(Form::Csv)),
            ("a.xlsx", None),
            ("a.sqlite", None),
            ("a", None),
        ] {
            assert_eq!(form(Path::new(name)).ok(), wanted, "{name}");
        }
    }
}
