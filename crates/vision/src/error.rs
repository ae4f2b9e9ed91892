//! What goes wrong with pictures and weights, as a caller can act on it.

use handeye_scene::{Code, Problem};
use std::path::PathBuf;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VisionError {
    /// A picture whose bytes don't fit its size, or that is empty or too large.
    #[error("not a picture that can be read: {0}")]
    Picture(String),
    /// A file of the weights isn't there.
    #[error("weights are missing: {}", .0.display())]
    Missing(PathBuf),
    /// A file of the weights isn't the one that was pinned.
    #[error("weights are damaged: {} {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file can't be read or written.
    #[error("{}: {message}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
    /// The weights couldn't be fetched.
    #[error("the weights can't be installed: {0}")]
    Install(String),
    /// The model can't be run.
    #[error("the text model can't be run: {0}")]
    Model(String),
}

impl From<VisionError> for Problem {
    fn from(error: VisionError) -> Self {
        let problem = |code| Problem::new(code, error.to_string());
        match &error {
            VisionError::Picture(_) => problem(Code::BadRequest),
            VisionError::Missing(_) | VisionError::Damaged { .. } => {
                problem(Code::Unavailable).hint("handeye models install")
            }
            VisionError::File { .. } => problem(Code::File),
            VisionError::Install(_) => problem(Code::Unavailable).hint("handeye models install --help"),
            VisionError::Model(_) => problem(Code::Bug),
        }
    }
}
