//! What a file input's `accept` attribute says of a file.

/// Endings of names by the kind of content, as far as inputs ask for kinds.
const KINDS: &[(&str, &[&str])] = &[
    ("image/", &["png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "ico", "avif", "heic", "heif", "tif", "tiff"]),
    ("image/png", &["png"]),
    ("image/jpeg", &["jpg", "jpeg"]),
    ("image/gif", &["gif"]),
    ("image/webp", &["webp"]),
    ("image/svg+xml", &["svg"]),
    ("audio/", &["mp3", "wav", "ogg", "oga", "flac", "m4a", "aac", "opus", "weba"]),
    ("video/", &["mp4", "webm", "mov", "avi", "mkv", "ogv", "m4v", "mpeg", "mpg"]),
    ("text/", &["txt", "csv", "html", "htm", "css", "md", "xml", "tsv", "js", "ics", "vcf", "log"]),
    ("text/plain", &["txt", "text", "log"]),
    ("text/csv", &["csv"]),
    ("text/html", &["html", "htm"]),
    ("application/pdf", &["pdf"]),
    ("application/json", &["json"]),
    ("application/zip", &["zip"]),
    ("application/xml", &["xml"]),
];

/// Whether an input that accepts `accept` takes a file of this name. What can't be told is taken: the attribute is advice.
pub fn takes(accept: &str, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file).to_lowercase();
    let ending = name.rsplit_once('.').map(|(_, e)| e.to_owned());
    let mut tokens = accept.split(',').map(|t| t.trim().to_lowercase()).filter(|t| !t.is_empty()).peekable();
    if tokens.peek().is_none() {
        return true;
    }
    tokens.any(|token| {
        if token.starts_with('.') {
            return name.ends_with(&token);
        }
        let Some(endings) = KINDS.iter().find(|(kind, _)| *kind == token.trim_end_matches('*')).map(|(_, e)| e) else {
            return true;
        };
        match &ending {
            Some(ending) => endings.contains(&ending.as_str()),
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::takes;

    #[test]
    fn files_are_taken_by_ending_and_by_kind() {
        for (accept, file, taken) in [
            ("", "/a/b.exe", true),
            (".pdf", "/a/B.PDF", true),
            (".pdf", "/a.pdf/b.png", false),
            (".tar.gz, .zip", "x.tar.gz", true),
            ("image/*", "x.jpeg", true),
            ("image/*", "x.pdf", false),
            ("image/png,image/jpeg", "x.gif", false),
            ("application/pdf,.docx", "x.docx", true),
            ("application/x-unheard-of", "x.bin", true),
            ("text/csv", "页.CSV", true),
            ("image/*", "README", false),
            ("*/*", "x.bin", true),
        ] {
            assert_eq!(takes(accept, file), taken, "{accept} {file}");
        }
    }
}
