//! The two models, loaded.

use crate::{
    VisionError,
    weights::{self, Weight},
};
use handeye_scene::Problem;
use rten::{Model, ModelOptions, OpRegistry, Value, op_registry};
use rten_tensor::{Layout, Tensor};
use std::path::Path;

/// The models that find and read text. Loaded once (about 0.2 s, 40 MB); looks share it.
pub struct Ocr {
    pub(super) detection: Model,
    pub(super) recognition: Model,
    /// The text of each class of the recognition model; class 0 is the blank.
    pub(super) classes: Vec<String>,
}

impl Ocr {
    /// Loads the weights from the folder that [`weights::install`] filled.
    ///
    /// # Errors
    /// `unavailable` when a file is missing, truncated or not the pinned one; the hint installs them.
    pub fn load(folder: &Path) -> Result<Self, Problem> {
        Ok(Self::load_checked(folder)?)
    }

    fn load_checked(folder: &Path) -> Result<Self, VisionError> {
        let detection = model(weights::read(folder, Weight::Detection)?)?;
        let recognition = model(weights::read(folder, Weight::Recognition)?)?;
        let characters = recognition.metadata().get("character");
        let characters = characters.ok_or_else(|| VisionError::Model("its characters aren't in it".into()))?;
        let classes = classes(characters);
        Ok(Self { detection, recognition, classes })
    }
}

fn model(bytes: Vec<u8>) -> Result<Model, VisionError> {
    let failed = |e: rten::LoadError| VisionError::Model(e.to_string());
    ModelOptions::with_ops(operators()).prepack_weights(true).load(bytes).map_err(failed)
}

/// What the two pinned models are made of. The rest of what rten can do stays out of the program.
fn operators() -> OpRegistry {
    op_registry!(
        Add,
        AveragePool,
        BatchNormalization,
        Concat,
        Conv,
        ConvTranspose,
        Div,
        Erf,
        GlobalAveragePool,
        HardSigmoid,
        Identity,
        MatMul,
        MaxPool,
        Mul,
        Pow,
        ReduceMean,
        Relu,
        Reshape,
        Resize,
        Shape,
        Sigmoid,
        Slice,
        Softmax,
        Sqrt,
        Squeeze,
        Sub,
        Transpose,
        Unsqueeze
    )
}

/// The blank of CTC, the characters of the dictionary, one a line, and the space.
fn classes(characters: &str) -> Vec<String> {
    let blank = std::iter::once(String::new());
    let listed = characters.strip_suffix('\n').unwrap_or(characters).split('\n').map(str::to_owned);
    blank.chain(listed).chain(std::iter::once(" ".to_owned())).collect()
}

/// Runs a model on one input; the numbers and the shape of its output.
pub(super) fn run(model: &Model, shape: &[usize], data: Vec<f32>) -> Result<(Vec<usize>, Vec<f32>), VisionError> {
    let failed = |e: String| VisionError::Model(e);
    let input = Tensor::from_data(shape, data);
    let output: Value = model.run_one(input.into(), None).map_err(|e| failed(e.to_string()))?;
    let output = output.into_tensor::<f32>().ok_or_else(|| failed("its output isn't of floats".into()))?;
    let shape = output.shape().to_vec();
    Ok((shape, output.into_data()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blank_comes_first_and_the_space_last() {
        assert_eq!(classes("a\n\u{3000}\n\u{767b}"), ["", "a", "\u{3000}", "\u{767b}", " "]);
        assert_eq!(classes("a\nb\n"), ["", "a", "b", " "]);
    }
}
