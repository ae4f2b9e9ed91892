//! Takes files out of a wheel, which is a ZIP archive (APPNOTE.TXT of PKWARE, 6.3.10): as much of the format as wheels use.

use super::pinned::Weight;
use crate::VisionError;
use flate2::read::DeflateDecoder;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// The record at the end: its signature, its size without the comment, and the longest comment.
const END: (&[u8], usize, usize) = (b"PK\x05\x06", 22, 65_535);
/// An entry of the directory: signature, size of its fixed part.
const ENTRY: (&[u8], usize) = (b"PK\x01\x02", 46);
/// The head of a file: signature, size of its fixed part.
const HEAD: (&[u8], usize) = (b"PK\x03\x04", 30);
/// Largest directory; a wheel's has some 10 kB.
const MOST_DIRECTORY: u64 = 1_000_000;
/// How a file is kept.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// The bytes of a file of the weights, checked.
pub(super) fn take(wheel: &Path, weight: Weight) -> Result<Vec<u8>, VisionError> {
    let failed = |what: String| VisionError::Install(format!("{}: {what}", wheel.display()));
    let member = weight.pinned().member;
    // No more than it must have, whatever the archive claims.
    let bytes = member_of(wheel, member, weight.size() + 1).map_err(|e| failed(e.to_string()))?;
    match weight.fault(&bytes) {
        None => Ok(bytes),
        Some(what) => Err(failed(format!("{member} {what}"))),
    }
}

fn member_of(wheel: &Path, member: &str, most: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(wheel)?;
    let directory = directory(&mut file)?;
    let entry = entry(&directory, member.as_bytes()).ok_or_else(|| odd(&format!("it holds no {member}")))?;
    file.seek(SeekFrom::Start(entry.at))?;
    let head = exactly(&mut file, HEAD.1)?;
    if !head.starts_with(HEAD.0) {
        return Err(odd("its directory is wrong"));
    }
    // Name and extra field lie between the head and the file.
    file.seek(SeekFrom::Current(i64::from(word(&head, 26)) + i64::from(word(&head, 28))))?;
    let mut bytes = Vec::new();
    let packed = file.take(entry.packed);
    match entry.method {
        STORED => packed.take(most).read_to_end(&mut bytes)?,
        DEFLATED => DeflateDecoder::new(packed).take(most).read_to_end(&mut bytes)?,
        other => return Err(odd(&format!("{member} is kept by method {other}"))),
    };
    Ok(bytes)
}

/// Where a file is.
struct Entry {
    method: u16,
    /// Bytes that it takes in the archive.
    packed: u64,
    /// Where its head begins.
    at: u64,
}

/// The bytes of the directory, by the record at the end of the archive.
fn directory(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.seek(SeekFrom::End(0))?;
    let tail = length.min((END.1 + END.2) as u64);
    file.seek(SeekFrom::Start(length - tail))?;
    let tail = exactly(file, tail as usize)?;
    let end = tail.windows(END.0.len()).rposition(|bytes| bytes == END.0).and_then(|at| tail.get(at..at + END.1));
    let end = end.ok_or_else(|| odd("it is no wheel"))?;
    let (size, at) = (u64::from(long(end, 12)), u64::from(long(end, 16)));
    if size > MOST_DIRECTORY || at + size > length {
        return Err(odd("its directory is wrong"));
    }
    file.seek(SeekFrom::Start(at))?;
    exactly(file, size as usize)
}

fn entry(directory: &[u8], name: &[u8]) -> Option<Entry> {
    let mut rest = directory;
    while rest.starts_with(ENTRY.0) {
        let fixed = rest.get(..ENTRY.1)?;
        let lengths = [28, 30, 32].map(|at| usize::from(word(fixed, at)));
        let found = rest.get(ENTRY.1..ENTRY.1 + lengths[0])?;
        if found == name {
            let (packed, at) = (u64::from(long(fixed, 20)), u64::from(long(fixed, 42)));
            return Some(Entry { method: word(fixed, 10), packed, at });
        }
        rest = rest.get(ENTRY.1 + lengths.iter().sum::<usize>()..)?;
    }
    None
}

fn exactly(file: &mut File, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Two bytes, the lower first; zero beyond the end.
fn word(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]))
}

/// Four bytes, the lowest first.
fn long(bytes: &[u8], at: usize) -> u32 {
    u32::from(word(bytes, at)) | u32::from(word(bytes, at + 2)) << 16
}

fn odd(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use flate2::{Compression, write::DeflateEncoder};
    use std::io::Write;

    /// An archive with these files, each deflated or stored.
    pub(in super::super) fn archive(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content, deflated) in files {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(content).unwrap();
            let packed = if *deflated { encoder.finish().unwrap() } else { content.to_vec() };
            let method = if *deflated { DEFLATED } else { STORED };
            let at = bytes.len() as u32;
            let mut about = vec![0, 0, method as u8, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            about.extend((packed.len() as u32).to_le_bytes());
            about.extend((content.len() as u32).to_le_bytes());
            about.extend((name.len() as u16).to_le_bytes());
            bytes.extend(
                HEAD.0.iter().chain(&[20, 0]).chain(&about).chain(&[3, 0]).chain(name.as_bytes()).chain(b"xyz"),
            );
            bytes.extend(packed);
            directory.extend(ENTRY.0.iter().chain(&[20, 0, 20, 0]).chain(&about).chain(&[2, 0, 1, 0]).chain(&[0; 8]));
            directory.extend(at.to_le_bytes().iter().chain(name.as_bytes()).chain(b"ab").chain(b"c"));
        }
        let at = bytes.len() as u32;
        bytes.extend(&directory);
        bytes.extend(END.0.iter().chain(&[0; 8]));
        bytes.extend((directory.len() as u32).to_le_bytes().into_iter().chain(at.to_le_bytes()).chain([0; 2]));
        bytes
    }

    fn taken(bytes: &[u8], member: &str) -> io::Result<Vec<u8>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        member_of(file.path(), member, 100)
    }

    #[test]
    fn files_are_taken_by_name_and_no_longer_than_asked_for() {
        let long = [5; 1000];
        let archive = archive(&[("a/first", b"one", false), ("a/second", b"two two two", true), ("long", &long, true)]);
        assert_eq!(taken(&archive, "a/first").unwrap(), b"one");
        assert_eq!(taken(&archive, "a/second").unwrap(), b"two two two");
        assert_eq!(taken(&archive, "long").unwrap(), [5; 100]);
        assert_eq!(taken(&archive, "second").unwrap_err().to_string(), "it holds no second");
    }

    #[test]
    fn a_damaged_archive_is_an_error_wherever_it_is_damaged() {
        let whole = archive(&[("a", b"some words, some words, some words", true), ("b", b"more", false)]);
        assert!(taken(b"", "a").is_err());
        for length in 0..whole.len() {
            // The end is missing.
            assert!(taken(&whole[..length], "a").is_err(), "{length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            // It may be read, then it is held to its digest; it must come to an end.
            let _ = taken(&changed, "a");
        }
    }
}
