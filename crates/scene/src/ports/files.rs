//! Files that pages give and take: downloads and file choosers.

use crate::Problem;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A download that is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Download {
    /// The name that the site suggests: one component, never a path.
    pub name: String,
    /// Where it came from.
    pub url: String,
    /// The file, in a place of the browser's.
    pub path: PathBuf,
    /// Whether the file is ours to move away.
    pub ours: bool,
}

/// A file chooser that a page has opened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChooser {
    /// Whether it takes several files.
    pub multiple: bool,
    /// What its input accepts, as its `accept` attribute says; empty takes everything.
    pub accept: String,
}

/// Downloads and file choosers.
#[async_trait]
pub trait Files: Send {
    /// How many downloads have begun so far; from here on they are heard of.
    async fn downloads(&mut self) -> Result<usize, Problem>;
    /// Waits until the first download after the `before`th is complete. One that doesn't begin within `begin`, or isn't
    /// complete within `limit`, is a problem.
    async fn downloaded(&mut self, before: usize, begin: Duration, limit: Duration) -> Result<Download, Problem>;
    /// Loads `url`, relative to the page's address, with the session's cookies into the file `to`; its suggested name and
    /// its address.
    async fn load_file(&mut self, url: &str, to: &Path, limit: Duration) -> Result<(String, String), Problem>;
    /// Catches the file chooser that the page opens next, in place of the browser's own window.
    async fn catch_chooser(&mut self) -> Result<(), Problem>;
    /// The file chooser that was caught, at most `limit` from now.
    async fn chooser(&mut self, limit: Duration) -> Result<Option<FileChooser>, Problem>;
    /// Hands files, by absolute path, to the file chooser that was caught, and lets go of it.
    async fn choose_files(&mut self, paths: &[String]) -> Result<(), Problem>;
}
