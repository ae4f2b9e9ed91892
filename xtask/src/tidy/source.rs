//! A file as the rules see it: its text, and its code without comments, strings and tests.

/// One text file.
pub(crate) struct File {
    /// Path from the root, with slashes.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
    /// Rust only: the lines with the insides of comments and strings and all test code blanked. The line numbers are
    /// those of the text.
    pub(crate) code: Vec<String>,
}

impl File {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let code = if path.ends_with(".rs") {
            let mut bare = without_comments_and_strings(text);
            if is_test_file(path) {
                bare = blank(&bare);
            } else {
                blank_tests(&mut bare);
            }
            bare.iter().collect::<String>().lines().map(str::to_owned).collect()
        } else {
            Vec::new()
        };
        Self { path: path.to_owned(), text: text.to_owned(), code }
    }

    /// Whether it is the Rust source of a crate (not its tests, examples or build script).
    pub(crate) fn is_crate_source(&self) -> bool {
        self.path.starts_with("crates/") && self.path.split('/').nth(2) == Some("src") && self.path.ends_with(".rs")
    }

    /// Whether it holds nothing but tests.
    pub(crate) fn is_for_tests(&self) -> bool {
        is_test_file(&self.path)
    }

    /// The crate it belongs to.
    pub(crate) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/").and_then(|rest| rest.split('/').next())
    }

    /// File name without its ending.
    pub(crate) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    }

    /// Numbered lines of code.
    pub(crate) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.iter().enumerate().map(|(at, line)| (at + 1, line.as_str()))
    }

    /// Numbered lines of text.
    pub(crate) fn text_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(at, line)| (at + 1, line))
    }
}

/// A source file that holds nothing but tests.
fn is_test_file(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    name == "tests.rs"
        || name.ends_with("_tests.rs")
        || parts.iter().any(|part| matches!(*part, "tests" | "examples" | "benches"))
}

fn blank(text: &[char]) -> Vec<char> {
    text.iter().map(|c| if *c == '\n' { '\n' } else { ' ' }).collect()
}

/// The text with the insides of comments and strings blanked.
fn without_comments_and_strings(text: &str) -> Vec<char> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut out = chars.clone();
    let mut hide = |from: usize, to: usize| {
        for c in out.iter_mut().take(to).skip(from).filter(|c| **c != '\n') {
            *c = ' ';
        }
    };
    let mut i = 0;
    while i < chars.len() {
        let word_before = i > 0 && (at(i - 1).is_alphanumeric() || at(i - 1) == '_');
        let start = i;
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
                hide(start, i);
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 || i >= chars.len() {
                        break;
                    }
                }
                hide(start, i);
            }
            'r' | 'b' | 'c' if !word_before && raw_string(&chars, i).is_some() => {
                let (open, hashes) = raw_string(&chars, i).unwrap_or((i, 0));
                i = open + 1;
                while i < chars.len() && !(at(i) == '"' && (1..=hashes).all(|h| at(i + h) == '#')) {
                    i += 1;
                }
                hide(open + 1, i);
                i += 1 + hashes;
            }
            '"' => {
                i += 1;
                while i < chars.len() && at(i) != '"' {
                    i += if at(i) == '\\' { 2 } else { 1 };
                }
                hide(start + 1, i);
                i += 1;
            }
            // A character, and not a lifetime.
            '\'' if at(i + 1) == '\\' || (at(i + 2) == '\'' && at(i + 1) != '\'') => {
                i += 2;
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                hide(start + 1, i);
                i += 1;
            }
            _ => i += 1,
        }
    }
    out
}

/// Where the quote of a raw string that begins at `i` is, and how many hashes it has.
fn raw_string(chars: &[char], i: usize) -> Option<(usize, usize)> {
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut j = i;
    if at(j) != 'r' {
        j += 1;
    }
    if at(j) != 'r' {
        return None;
    }
    j += 1;
    let hashes = (0..).take_while(|h| at(j + h) == '#').count();
    (at(j + hashes) == '"').then_some((j + hashes, hashes))
}

/// Blanks what follows `#[cfg(test)]`, with more conditions or without, or `#[test]`: to the end of its braces, or to its semicolon.
fn blank_tests(code: &mut [char]) {
    let starts: Vec<usize> = (0..code.len())
        .filter(|&i| {
            code[i] == '#' && ["#[cfg(test)]", "#[cfg(all(test,", "#[test]"].iter().any(|mark| begins(&code[i..], mark))
        })
        .collect();
    for start in starts {
        let mut depth = 0;
        for c in &mut code[start..] {
            let was = *c;
            if was != '\n' {
                *c = ' ';
            }
            match was {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 && matches!(was, '}' | ';') {
                break;
            }
        }
    }
}

fn begins(chars: &[char], mark: &str) -> bool {
    let mut have = chars.iter();
    mark.chars().all(|c| have.next() == Some(&c))
}

/// Whether the line has the word, and not as a part of a longer one.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let longer =
            word.starts_with(part) && before.is_some_and(part) || word.ends_with(part) && after.is_some_and(part);
        !longer
    })
}
