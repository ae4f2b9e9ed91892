//! The forms in which items are written out. Pure.

use handeye_scene::collect::Item;
use handeye_scene::{Code, Problem};
use rusqlite::Connection;
use std::path::Path;

/// A form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A JSON object in each line.
    JsonLines,
    /// Values separated by commas (RFC 4180), with a head.
    Csv,
    /// An SQLite database of one table, `items`.
    Sqlite,
}

/// The form that a file's name asks for.
pub fn form(path: &Path) -> Result<Form, Problem> {
    match path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).as_deref() {
        Some("jsonl" | "ndjson") => Ok(Form::JsonLines),
        Some("csv") => Ok(Form::Csv),
        Some("sqlite" | "sqlite3" | "db") => Ok(Form::Sqlite),
        _ => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let text = format!("the form of `{name}` isn't known: its name must end in .jsonl, .csv or .sqlite");
            Err(Problem::new(Code::BadRequest, text).hint("handeye collect --help"))
        }
    }
}

/// Items in a form.
pub fn written(items: &[Item], fields: &[String], form: Form) -> Result<Vec<u8>, Problem> {
    let more: Vec<&str> = fields.iter().filter(|name| *name != "title").map(String::as_str).collect();
    let fault = |e: String| Problem::new(Code::Bug, format!("the items can't be written: {e}"));
    match form {
        Form::JsonLines => json_lines(items).map_err(|e| fault(e.to_string())),
        Form::Csv => Ok(csv(items, &more)),
        Form::Sqlite => sqlite(items, &more).map_err(|e| fault(e.to_string())),
    }
}

fn json_lines(items: &[Item]) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    for item in items {
        serde_json::to_writer(&mut out, item)?;
        out.push(b'\n');
    }
    Ok(out)
}

fn csv(items: &[Item], more: &[&str]) -> Vec<u8> {
    let mut out = String::new();
    row(&mut out, ["url", "title"].into_iter().chain(more.iter().copied()).chain(["page"]));
    for item in items {
        let page = item.page.to_string();
        let values = more.iter().map(|name| value(item, name).unwrap_or_default());
        row(&mut out, [item.url.as_str(), &item.title].into_iter().chain(values).chain([page.as_str()]));
    }
    out.into_bytes()
}

/// One table: `url` (its key), `title`, `page`, and `fields`, a JSON object of what else was asked for, null where an item has
/// none. Columns of their own would have to be named by what a person wrote, of which `url` or `rowid` is possible, too.
fn sqlite(items: &[Item], more: &[&str]) -> rusqlite::Result<Vec<u8>> {
    let mut database = Connection::open_in_memory()?;
    database.execute(
        "CREATE TABLE items (url TEXT PRIMARY KEY, title TEXT NOT NULL, page INTEGER NOT NULL, fields TEXT NOT NULL)",
        [],
    )?;
    let adding = database.transaction()?;
    for item in items {
        let fields: serde_json::Map<_, _> =
            more.iter().map(|name| ((*name).to_owned(), serde_json::json!(value(item, name)))).collect();
        let fields = serde_json::Value::Object(fields).to_string();
        adding.prepare_cached("INSERT INTO items (url, title, page, fields) VALUES (?1, ?2, ?3, ?4)")?.execute((
            &item.url,
            &item.title,
            item.page,
            fields,
        ))?;
    }
    adding.commit()?;
    Ok(database.serialize("main")?.to_vec())
}

fn value<'a>(item: &'a Item, field: &str) -> Option<&'a str> {
    item.fields.get(field).and_then(Option::as_deref)
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
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), written(&[one.clone(), two.clone()], &fields, Form::Sqlite).unwrap()).unwrap();
        let read = Connection::open(file.path()).unwrap();
        let mut all = read.prepare("SELECT url, title, page, fields ->> 'date' FROM items ORDER BY page").unwrap();
        let cells = |row: &rusqlite::Row<'_>| -> rusqlite::Result<(String, String, u32, Option<String>)> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        };
        let rows: Vec<_> = all.query_map([], cells).unwrap().map(Result::unwrap).collect();
        let wanted = |item: &Item, date: Option<&str>| {
            (item.url.clone(), item.title.clone(), item.page, date.map(str::to_owned))
        };
        assert_eq!(rows, [wanted(&one, Some("2024")), wanted(&two, None)]);
        for (name, wanted) in [
            ("a.jsonl", Some(Form::JsonLines)),
            ("a.CSV", Some(Form::Csv)),
            ("a.xlsx", None),
            ("a.sqlite", Some(Form::Sqlite)),
            ("a.DB", Some(Form::Sqlite)),
            ("a", None),
        ] {
            assert_eq!(form(Path::new(name)).ok(), wanted, "{name}");
        }
    }
}
