//! Names of files that come from a site.

use handeye_scene::model::text::is_hidden;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use url::Url;

/// Longest name of a file that a site may suggest, characters.
const NAME: usize = 120;

/// How many files of one name are told apart.
const SAME_NAME: usize = 1000;

/// Gives a file that the browser saved under a number of its own the name that the site suggests, or the next one that is
/// free; never that of a configuration of ours, which commands that run in its folder would go by.
pub(super) fn named(path: String, name: &str) -> String {
    let mut name = safe_name(name);
    if name.eq_ignore_ascii_case("handeye.toml") {
        name.push_str(".download");
    }
    let (stem, ending) = match name.rfind('.').filter(|at| *at > 0) {
        Some(at) => name.split_at(at),
        None => (name.as_str(), ""),
    };
    let saved = Path::new(&path);
    let names = (0..SAME_NAME).map(|i| if i == 0 { name.clone() } else { format!("{stem} ({i}){ending}") });
    for to in names.map(|name| saved.with_file_name(name)) {
        match moved(saved, &to) {
            Ok(()) => return to.to_string_lossy().into_owned(),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(_) => break,
        }
    }
    path
}

/// Gives a file a name that nothing has: by a second link, which is refused where something comes to have it in that moment.
fn moved(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::hard_link(from, to) {
        Ok(()) => std::fs::remove_file(from),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // Not every file system has links.
        Err(_) if std::fs::symlink_metadata(to).is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => std::fs::rename(from, to),
    }
}

/// The start of a name that has no more bytes than file systems take, with its ending.
fn shortened(name: &str) -> String {
    /// Of 255, with room for a number.
    const MOST: usize = 200;
    const ENDING: usize = 40;
    let at = name.rfind('.').filter(|at| *at > 0 && name.len() - at <= ENDING).unwrap_or(name.len());
    let (stem, ending) = name.split_at(at);
    let mut end = stem.len().min(MOST - ending.len());
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{ending}", &stem[..end])
}

/// The name that a server suggests for what it sends.
pub(crate) fn suggested(headers: &BTreeMap<String, Value>, url: &Url) -> String {
    let disposition = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-disposition"));
    let told = disposition.and_then(|(_, value)| value.as_str()).and_then(disposed);
    let last = url.path_segments().and_then(|mut s| s.next_back().map(str::to_owned)).map(|s| percent(&s));
    safe_name(&told.or(last).unwrap_or_default())
}

/// `filename*=UTF-8''…` of a Content-Disposition, else `filename=…`.
fn disposed(value: &str) -> Option<String> {
    let members = || value.split(';').filter_map(|part| part.trim().split_once('='));
    let encoded = members().find(|(key, _)| key.trim().eq_ignore_ascii_case("filename*"));
    let utf8 = encoded.and_then(|(_, v)| {
        let (charset, rest) = v.trim().split_once('\'')?;
        charset.eq_ignore_ascii_case("utf-8").then(|| percent(rest.split_once('\'').map_or(rest, |(_, name)| name)))
    });
    let plain = members().find(|(key, _)| key.trim().eq_ignore_ascii_case("filename"));
    utf8.or_else(|| plain.map(|(_, v)| v.trim().trim_matches('"').to_owned()))
}

fn percent(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// One component of a path on every system, whatever a site says: no folders, no hidden file, no device, nothing that a
/// terminal would obey.
pub(crate) fn safe_name(name: &str) -> String {
    let is_taken = |c: char| c.is_control() || is_hidden(c) || "/\\:<>\"|?*".contains(c);
    let kept: String = name.chars().map(|c| if is_taken(c) { '_' } else { c }).collect();
    let kept = kept.trim_start_matches(|c: char| c == '.' || c.is_whitespace());
    let kept: String = kept.chars().take(NAME).collect();
    let kept = shortened(bare_end(&kept));
    match bare_end(&kept) {
        "" => "download".into(),
        device if is_device(device) => format!("_{device}"),
        kept => kept.into(),
    }
}

/// A name without the dots and spaces at its end, which Windows takes away.
fn bare_end(name: &str) -> &str {
    name.trim_end_matches(|c: char| c == '.' || c.is_whitespace())
}

/// Whether Windows takes a name for a device, whatever its ending.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered =
        |rest: &str| rest.chars().count() == 1 && rest.chars().all(|c| c.is_ascii_digit() || "¹²³".contains(c));
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$")
        || ["COM", "LPT"].iter().any(|port| stem.strip_prefix(port).is_some_and(numbered))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_taken_from_the_head_then_the_address_and_are_one_component() {
        let check = |disposition: &str, url: &str, want: &str| {
            let headers = [("Content-Disposition".to_owned(), json!(disposition))].into_iter().collect();
            assert_eq!(suggested(&headers, &Url::parse(url).unwrap()), want, "{disposition} {url}");
        };
        check("attachment; filename=report.pdf", "http://x/a", "report.pdf");
        check("attachment; filename=\"a b.pdf\"; size=3", "http://x/a", "a b.pdf");
        check("attachment; filename=x; filename*=UTF-8''%E9%A1%B5.pdf", "http://x/a", "页.pdf");
        check("attachment; filename*=UTF-8''100%+f %zz%4", "http://x/a", "100%+f %zz%4");
        check("inline", "http://x/b/%E9%A1%B5.csv?q=1", "页.csv");
        check("attachment; filename=\"../../.bashrc\"", "http://x/a", "_.._.bashrc");
        check("", "http://x/", "download");
        // File systems count bytes.
        let long = "页".repeat(110);
        let kept = format!("{}.pdf", "页".repeat(65));
        check(&format!("attachment; filename*=UTF-8''{long}.pdf"), "http://x/a", &kept);
    }

    #[test]
    fn a_name_is_one_that_every_system_takes() {
        for (told, safe) in [
            ("report.pdf", "report.pdf"),
            ("a<b>?.pdf", "a_b__.pdf"),
            ("\"q\"|*.txt", "_q___.txt"),
            ("name:stream", "name_stream"),
            ("..\\..\\x.bat", "_.._x.bat"),
            ("line\nbreak\u{202e}fdp.exe", "line_break_fdp.exe"),
            ("CON", "_CON"),
            ("con", "_con"),
            ("NUL.txt", "_NUL.txt"),
            ("nul.tar.gz", "_nul.tar.gz"),
            ("NUL .txt", "_NUL .txt"),
            ("AUX. ", "_AUX"),
            ("prn.", "_prn"),
            ("COM1", "_COM1"),
            ("lpt9.log", "_lpt9.log"),
            ("COM¹.txt", "_COM¹.txt"),
            ("CONIN$", "_CONIN$"),
            ("conout$.x", "_conout$.x"),
            ("COM10", "COM10"),
            ("COM", "COM"),
            ("CONTRACT.pdf", "CONTRACT.pdf"),
            ("null.txt", "null.txt"),
            ("my CON.txt", "my CON.txt"),
            ("report.pdf.", "report.pdf"),
            ("report.pdf . .", "report.pdf"),
            ("report.pdf\u{a0}\u{3000}", "report.pdf"),
            (" . .bashrc", "bashrc"),
            ("handeye.toml.", "handeye.toml"),
            ("...", "download"),
            (" ", "download"),
            ("", "download"),
            ("页 面.csv", "页 面.csv"),
        ] {
            assert_eq!(safe_name(told), safe, "{told:?}");
        }
        // Where it is cut off, too.
        let cut = safe_name(&format!("{}. {}", "a".repeat(118), "b".repeat(9)));
        assert_eq!(cut, "a".repeat(118));
    }

    #[test]
    fn files_of_one_name_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_string_lossy().into_owned()
        };
        let last = |path: String| Path::new(&path).file_name().unwrap().to_string_lossy().into_owned();
        file("report.pdf", "there before");
        assert_eq!(last(named(file("guid-1", "one"), "report.pdf")), "report (1).pdf");
        assert_eq!(last(named(file("guid-2", "two"), "report.pdf")), "report (2).pdf");
        assert_eq!(last(named(file("guid-3", "three"), "handeye.toml")), "handeye.toml.download");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read("report.pdf"), read("report (1).pdf")), ("there before".into(), "one".into()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
