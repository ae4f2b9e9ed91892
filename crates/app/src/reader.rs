//! Reading pictures by the text models that are installed, on a thread of its own.

use crate::config;
use async_trait::async_trait;
use handeye_scene::{Claims, Code, ModelsConfig, Picture, Problem, Reader};
use handeye_vision::{Budget, Memory, Ocr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Reads what a session shows.
#[derive(Default)]
pub(crate) struct TextReader(Arc<Mutex<Known>>);

/// What is kept between looks.
#[derive(Default)]
struct Known {
    /// The models, and the folder they came from.
    models: Option<(PathBuf, Ocr)>,
    memory: Memory,
}

#[async_trait]
impl Reader for TextReader {
    async fn read(&self, config: &ModelsConfig, picture: &Picture, limit: Duration) -> Result<Claims, Problem> {
        let folder = config::models_folder(config)?;
        let (known, picture) = (self.0.clone(), picture.clone());
        let work = tokio::task::spawn_blocking(move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            known.read(folder, &picture, limit)
        });
        work.await.unwrap_or_else(|e| Err(Problem::new(Code::Bug, format!("reading broke off: {e}"))))
    }
}

impl Known {
    fn read(&mut self, folder: PathBuf, picture: &Picture, limit: Duration) -> Result<Claims, Problem> {
        let ocr = match self.models.take() {
            Some((from, ocr)) if from == folder => ocr,
            _ => Ocr::load(&folder)?,
        };
        let (_, ocr) = self.models.insert((folder, ocr));
        handeye_vision::claims(ocr, &mut self.memory, picture, Budget::of(limit))
    }
}
