//! What is read from pixels on this machine: lines of text, and boxes that look like controls.

use async_trait::async_trait;
use handeye_scene::{Claim, Claims, Code, ModelsConfig, Perceiver, Problem, Reader, Sight, Source, Wants};
use std::time::Duration;

/// Text and shapes in pixels.
pub struct Text<'a> {
    /// Who reads.
    pub reader: &'a dyn Reader,
    /// Where the models that read text are.
    pub config: &'a ModelsConfig,
    /// How long that may take.
    pub limit: Duration,
}

#[async_trait]
impl Perceiver for Text<'_> {
    fn source(&self) -> Source {
        Source::Ocr
    }

    fn wants(&self) -> Wants {
        Wants { pixels: true, ax: false }
    }

    async fn perceive(&self, sight: &Sight<'_>, _known: &[Claim]) -> Result<Claims, Problem> {
        let no_picture = || Problem::new(Code::Unavailable, "there is no picture to read");
        self.reader.read(self.config, sight.picture.ok_or_else(no_picture)?, self.limit).await
    }
}
