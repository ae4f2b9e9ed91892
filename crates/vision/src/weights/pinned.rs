//! Which files the weights are, and how they are checked.

use crate::VisionError;
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

/// The Python package that carries the weights, and its version.
pub const PACKAGE: (&str, &str) = ("rapidocr", "3.10.0");
/// Size of its wheel, in bytes.
pub const WHEEL_SIZE: u64 = 27_288_134;

/// A file that is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Finds lines of text.
    Detection,
    /// Reads them; its characters are in its metadata.
    Recognition,
    /// Where the models come from and under which licence.
    Notice,
}

/// What a file must be.
pub(super) struct Pinned {
    /// Its name in the folder.
    pub(super) name: &'static str,
    /// Its name in the package.
    pub(super) member: &'static str,
    /// Its size in bytes.
    pub(super) size: u64,
    /// Its SHA-256, in hexadecimal.
    pub(super) digest: &'static str,
}

impl Weight {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Detection, Self::Recognition, Self::Notice];

    pub(super) const fn pinned(self) -> Pinned {
        match self {
            Self::Detection => Pinned {
                name: "PP-OCRv6_det_small.onnx",
                member: "rapidocr/models/PP-OCRv6_det_small.onnx",
                size: 9_929_594,
                digest: "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
            },
            Self::Recognition => Pinned {
                name: "PP-OCRv6_rec_small.onnx",
                member: "rapidocr/models/PP-OCRv6_rec_small.onnx",
                size: 21_234_383,
                digest: "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
            },
            Self::Notice => Pinned {
                name: "PP-OCRv6_NOTICE.md",
                member: "rapidocr-3.10.0.dist-info/licenses/MODEL_LICENSES.md",
                size: 8_398,
                digest: "c5fd0e8603d3df743355b546121e6fe0f4ef8ff455c5a85c1681fd3ae520e153",
            },
        }
    }

    /// Its name in the folder.
    pub const fn name(self) -> &'static str {
        self.pinned().name
    }

    /// Its size in bytes.
    pub const fn size(self) -> u64 {
        self.pinned().size
    }

    /// Where it is in a folder.
    pub fn path(self, folder: &Path) -> PathBuf {
        folder.join(self.name())
    }

    /// What is wrong with these bytes, if they aren't the pinned ones.
    pub(super) fn fault(self, bytes: &[u8]) -> Option<String> {
        let Pinned { size, digest, .. } = self.pinned();
        if bytes.len() as u64 != size {
            let longer = if bytes.len() as u64 > size { "at least " } else { "" };
            return Some(format!("has {longer}{} bytes, not {size}", bytes.len()));
        }
        let found: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        (found != digest).then(|| format!("has the SHA-256 {found}, not {digest}"))
    }
}

/// Reads a file of the weights. What is checked is what is given: the file isn't read twice.
///
/// # Errors
/// [`VisionError::Missing`], [`VisionError::Damaged`] for what is truncated, too long or changed, else [`VisionError::File`].
pub fn read(folder: &Path, weight: Weight) -> Result<Vec<u8>, VisionError> {
    let path = weight.path(folder);
    let file = |message: String| VisionError::File { path: path.clone(), message };
    match std::fs::metadata(&path) {
        Ok(known) if known.is_file() => {}
        // To open a pipe with that name would never end.
        Ok(_) => return Err(VisionError::Damaged { path, what: "is no plain file".into() }),
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(VisionError::Missing(path)),
        Err(e) => return Err(file(e.to_string())),
    }
    let mut bytes = Vec::new();
    let opened = File::open(&path).map_err(|e| file(e.to_string()))?;
    opened.take(weight.size() + 1).read_to_end(&mut bytes).map_err(|e| file(e.to_string()))?;
    match weight.fault(&bytes) {
        None => Ok(bytes),
        Some(what) => Err(VisionError::Damaged { path, what }),
    }
}

/// Whether all files are there and the pinned ones.
///
/// # Errors
/// As [`read`], of the first that isn't.
pub fn verify(folder: &Path) -> Result<(), VisionError> {
    Weight::ALL.into_iter().try_for_each(|weight| read(folder, weight).map(drop))
}
