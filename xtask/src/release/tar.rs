//! Tar archives in the form of POSIX (ustar): files alone, of nobody, with one time, so that the same files give the same bytes.

use crate::run::{Fail, Outcome};

/// What everything in the archive comes in.
const BLOCK: usize = 512;

/// An archive in the making.
pub(super) struct Tar {
    bytes: Vec<u8>,
    /// Seconds since 1970.
    time: u64,
}

impl Tar {
    pub(super) const fn new(time: u64) -> Self {
        Self { bytes: Vec::new(), time }
    }

    /// Adds a file, by its path with slashes; `runs`: a program.
    pub(super) fn add(&mut self, path: &str, bytes: &[u8], runs: bool) -> Outcome {
        let (prefix, name) = parted(path).ok_or_else(|| Fail::new(format!("the path is too long: {path}")))?;
        let mode = if runs { "0000755\0" } else { "0000644\0" };
        let mut head = Vec::with_capacity(BLOCK);
        field(&mut head, name, 100);
        field(&mut head, mode, 8);
        field(&mut head, "0000000\0", 8);
        field(&mut head, "0000000\0", 8);
        field(&mut head, &format!("{:011o}\0", bytes.len()), 12);
        field(&mut head, &format!("{:011o}\0", self.time), 12);
        // The sum is made with blanks in its place.
        field(&mut head, "        ", 8);
        field(&mut head, "0", 1);
        field(&mut head, "", 100);
        field(&mut head, "ustar\x0000", 8);
        field(&mut head, "", 32 + 32 + 8 + 8);
        field(&mut head, prefix, 155);
        field(&mut head, "", 12);
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head.splice(148..156, format!("{sum:06o}\0 ").into_bytes());
        self.bytes.extend(head);
        self.bytes.extend(bytes);
        self.fill();
        Ok(())
    }

    /// The whole archive.
    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.extend([0; 2 * BLOCK]);
        self.bytes
    }

    fn fill(&mut self) {
        let rest = self.bytes.len().next_multiple_of(BLOCK);
        self.bytes.resize(rest, 0);
    }
}

/// A path as its folders and its name, where it is longer than a name may be.
fn parted(path: &str) -> Option<(&str, &str)> {
    if path.len() <= 100 {
        return Some(("", path));
    }
    let fits = |at: &usize| *at <= 155 && path.len() - at - 1 <= 100;
    let at = path.match_indices('/').map(|(at, _)| at).find(fits)?;
    Some((path.get(..at)?, path.get(at + 1..)?))
}

fn field(head: &mut Vec<u8>, text: &str, length: usize) {
    let end = head.len() + length;
    head.extend(text.as_bytes());
    head.resize(end, 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run;
    use std::process::Command;

    #[test]
    fn others_read_what_is_written_and_it_is_the_same_each_time() {
        let long = format!("{}/{}.1", "folder".repeat(15), "handeye-network".repeat(6));
        let make = || {
            let mut tar = Tar::new(1_700_000_000);
            tar.add("h/handeye", b"\x7fELF", true).unwrap();
            tar.add(&long, &[b'x'; 512], false).unwrap();
            tar.add("h/empty", b"", false).unwrap();
            tar.end()
        };
        assert_eq!(make(), make());
        assert!(Tar::new(0).add(&"x".repeat(101), b"", false).is_err());
        let (folder, _later) = run::scratch("tar").unwrap();
        std::fs::write(folder.join("x.tar"), make()).unwrap();
        let script = "import sys, tarfile; t = tarfile.open(sys.argv[1]); \
            print([(m.name[-9:], m.size, oct(m.mode), m.mtime, m.uid, m.isfile(), len(t.extractfile(m).read())) for m in t])";
        let said = run::output(Command::new("python3").args(["-c", script]).arg(folder.join("x.tar"))).unwrap();
        let wanted = "[('h/handeye', 4, '0o755', 1700000000, 0, True, 4), ('network.1', 512, '0o644', 1700000000, 0, True, 512), ('h/empty', 0, '0o644', 1700000000, 0, True, 0)]";
        assert_eq!(said.trim(), wanted);
    }
}
