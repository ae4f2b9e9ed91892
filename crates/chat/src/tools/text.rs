//! The words of an HTML page, roughly: without tags, scripts and styles, a line for each block.

/// Elements whose content isn't shown.
const HIDDEN: [&str; 6] = ["script", "style", "noscript", "template", "svg", "head"];
/// Elements in the middle of a line.
const INLINE: [&str; 14] =
    ["a", "b", "i", "em", "strong", "span", "code", "small", "sub", "sup", "mark", "u", "label", "abbr"];

/// The words.
pub(super) fn text_of(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    // Beyond this no tag ends: what follows isn't searched through for each `<` in it.
    let last = html.rfind('>').map_or(0, |at| html.len() - at);
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let inside = &rest[1..];
        let is_tag = inside.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let may_end = is_tag && inside.len() >= last && last > 0;
        let Some(end) = may_end.then(|| inside.find('>')).flatten() else {
            out.push('<');
            rest = inside;
            continue;
        };
        let name: String = inside
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        rest = &inside[end + 1..];
        if HIDDEN.contains(&name.as_str()) && !inside.starts_with('/') {
            rest = after_end(rest, &name);
        }
        if !INLINE.contains(&name.as_str()) {
            out.push('\n');
        }
    }
    out.push_str(rest);
    let decoded = decode(&out);
    let lines = decoded.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What follows the end of an element.
fn after_end<'a>(text: &'a str, name: &str) -> &'a str {
    let mut from = 0;
    while let Some(at) = text[from..].find("</").map(|at| from + at) {
        let tail = &text[at + 2..];
        if tail.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name)) {
            return tail.split_once('>').map_or("", |(_, after)| after);
        }
        from = at + 2;
    }
    ""
}

/// The references that texts are full of.
fn decode(text: &str) -> String {
    let named = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&apos;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    named.iter().fold(text.to_owned(), |text, (reference, character)| text.replace(reference, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_without_what_is_around_them() {
        for (html, wanted) in [
            ("<html><head><title>t</title></head><body><h1>京都</h1><p>晴 <b>天</b></p></body>", "京都\n晴 天"),
            ("a<script>if (1 < 2) { '</p>' }</script>b<STYLE>x</style >c", "a\nb\nc"),
            ("1 < 2 &amp;&lt;b&gt; <!-- <p>no</p> -->x", "1 < 2 &<b> x"),
            ("<p>open", "open"),
            ("<script>never closed", ""),
            ("<", "<"),
            ("", ""),
        ] {
            assert_eq!(text_of(html), wanted, "{html}");
        }
    }

    #[test]
    fn a_page_of_beginnings_is_read_in_time() {
        for part in ["<", "<a", "<1", "</", "<!", "<!-", "<a<1 ", "&", "<script", "<svg><"] {
            for (before, after) in [("", ""), ("", ">"), ("<p>", ""), ("<script>", "")] {
                let page = format!("{before}{}{after}", part.repeat((2 << 20) / part.len()));
                let begun = std::time::Instant::now();
                let told = text_of(&page).len();
                assert!(begun.elapsed().as_secs() < 5, "{before}{part}…{after}: {told} in {:?}", begun.elapsed());
            }
        }
    }
}
