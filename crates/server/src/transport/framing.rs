//! Lines from a connection, bounded.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Bytes of one request: 10 MB of text to `input` fit even with every character escaped.
pub(crate) const LINE_MAX: u64 = 64 * 1024 * 1024;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// A line beyond the bound; it was skipped.
    TooLong,
    /// The other side writes no more.
    End,
}

/// The next line of at most `max` bytes.
pub(crate) async fn next<R: AsyncBufRead + Unpin>(reader: &mut R, max: u64) -> std::io::Result<Line> {
    let mut line = Vec::new();
    // One more than the bound, for the line's end.
    (&mut *reader).take(max + 1).read_until(b'\n', &mut line).await?;
    if line.last() == Some(&b'\n') {
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        return Ok(Line::Whole(line));
    }
    if (line.len() as u64) <= max {
        // The last line may lack its end.
        return Ok(if line.is_empty() { Line::End } else { Line::Whole(line) });
    }
    drop(line);
    loop {
        let chunk = reader.fill_buf().await?;
        if chunk.is_empty() {
            return Ok(Line::TooLong);
        }
        if let Some(end) = chunk.iter().position(|b| *b == b'\n') {
            reader.consume(end + 1);
            return Ok(Line::TooLong);
        }
        let skipped = chunk.len();
        reader.consume(skipped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bounds_and_ends() {
        let mut input: &[u8] = b"ab\r\n\n12345\n123456\n1234567890\nend";
        let mut seen = Vec::new();
        loop {
            match next(&mut input, 5).await.expect("memory doesn't fail") {
                Line::End => break,
                line => seen.push(line),
            }
        }
        let whole = |t: &str| Line::Whole(t.as_bytes().to_vec());
        assert_eq!(seen, [whole("ab"), whole(""), whole("12345"), Line::TooLong, Line::TooLong, whole("end")]);
    }
}
