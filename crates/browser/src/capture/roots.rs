//! Finding closed shadow roots in the browser's description of a tree, which may be nested deeper than a parser that
//! calls itself can go.

/// What a description of a document says of its own nodes (documents inside it left out).
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Roots {
    /// Backend nodes of closed shadow roots.
    pub(crate) closed: Vec<i64>,
    /// How many nodes it has.
    pub(crate) nodes: usize,
}

/// An object or array that is being read.
#[derive(Default)]
struct Level<'a> {
    object: bool,
    key: &'a str,
    /// In a document inside this one, whose own turn comes.
    inner: bool,
    node: Option<i64>,
    closed: bool,
}

/// Reads the text of a `DOM.describeNode` answer.
pub(crate) fn roots(text: &str) -> Roots {
    let bytes = text.as_bytes();
    let mut out = Roots::default();
    let mut stack: Vec<Level<'_>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => {
                let inner = stack.last().is_some_and(|l| l.inner || (l.object && l.key == "contentDocument"));
                stack.push(Level { object: *byte == b'{', inner, ..Level::default() });
            }
            b'}' | b']' => {
                if let Some(Level { inner: false, node: Some(node), closed, .. }) = stack.pop() {
                    out.nodes += 1;
                    if closed {
                        out.closed.push(node);
                    }
                }
            }
            b'"' => {
                let end = string_end(bytes, at + 1);
                let string = text.get(at + 1..end).unwrap_or_default();
                at = end;
                if let Some(level) = stack.last_mut().filter(|l| l.object) {
                    let next = bytes[(at + 1).min(bytes.len())..].iter().find(|b| !b.is_ascii_whitespace());
                    if next == Some(&b':') {
                        level.key = string;
                    } else if level.key == "shadowRootType" {
                        level.closed = string == "closed";
                    }
                }
            }
            b'0'..=b'9' => {
                let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
                if let Some(level) = stack.last_mut().filter(|l| l.object && l.key == "backendNodeId") {
                    level.node = text[at..at + digits].parse().ok();
                }
                at += digits - 1;
            }
            _ => {}
        }
        at += 1;
    }
    out
}

/// Where the string that begins at `from` ends.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_roots_are_found_at_any_depth_but_not_in_other_documents() {
        let deep = format!(
            "{}{}{}",
            r#"{"backendNodeId":1,"nodeValue":"a \"shadowRootType\":\"closed\" \\","children":["#.repeat(5000),
            r#"{"backendNodeId":7,"shadowRoots":[{"backendNodeId":8,"shadowRootType":"closed"}]},{"backendNodeId":2,"shadowRoots":[{"backendNodeId":9,"shadowRootType":"open"}],"contentDocument":{"backendNodeId":3,"shadowRootType":"closed"}}"#,
            "]}".repeat(5000)
        );
        assert_eq!(roots(&deep), Roots { closed: vec![8], nodes: 5004 });
        assert_eq!(roots(r#"{ "backendNodeId" : 4 , "shadowRootType" : "closed" }"#).closed, [4]);
        assert_eq!(roots("{\"broken"), Roots::default());
    }
}
