//! Connectionist temporal classification: from the classes of each step to a text (greedy decoding, Graves et al., 2006).

/// A text as it was decoded.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decoded {
    /// Its characters with the step at which each is seen, as a share of the input's length.
    pub(super) characters: Vec<(String, f32)>,
    /// The mean probability of its characters.
    pub(super) confidence: f32,
}

/// The best class of each step; equal ones in a row are one character, the blank (class 0) is none.
///
/// `steps` holds for each step the probability (or, where they don't add up to one, the logit) of each class.
pub(super) fn decode(steps: &[f32], classes: &[String]) -> Decoded {
    let count = classes.len().max(1);
    let total = (steps.len() / count).max(1) as f32;
    let mut characters = Vec::new();
    let mut sure = 0.0;
    let mut last = 0;
    for (index, step) in steps.chunks_exact(count).enumerate() {
        let (class, score) = best(step);
        if class != 0
            && class != last
            && let Some(text) = classes.get(class)
        {
            characters.push((text.clone(), (index as f32 + 0.5) / total));
            sure += probability(step, score);
        }
        last = class;
    }
    let confidence = if characters.is_empty() { 0.0 } else { sure / characters.len() as f32 };
    Decoded { characters, confidence: confidence.clamp(0.0, 1.0) }
}

fn best(step: &[f32]) -> (usize, f32) {
    step.iter().copied().enumerate().fold((0, f32::NEG_INFINITY), |best, at| if at.1 > best.1 { at } else { best })
}

/// The probability of the class with this score, whether scores are probabilities already or not.
fn probability(step: &[f32], score: f32) -> f32 {
    let sum: f32 = step.iter().sum();
    let is_share = (sum - 1.0).abs() < 0.05 && score <= 1.001;
    if is_share { score } else { 1.0 / step.iter().map(|other| (other - score).exp()).sum::<f32>() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Vec<String> {
        ["", "a", "b", " "].map(str::to_owned).to_vec()
    }

    fn steps(best: &[usize], share: f32) -> Vec<f32> {
        let rest = (1.0 - share) / 3.0;
        best.iter().flat_map(|class| (0..4).map(move |at| if at == *class { share } else { rest })).collect()
    }

    fn text(decoded: &Decoded) -> String {
        decoded.characters.iter().map(|(text, _)| text.as_str()).collect()
    }

    #[test]
    fn equal_steps_are_one_character_and_a_blank_parts_them() {
        let decoded = decode(&steps(&[0, 1, 1, 0, 1, 2, 2, 3, 2, 0], 0.9), &classes());
        assert_eq!(text(&decoded), "aab b");
        assert!((decoded.confidence - 0.9).abs() < 1e-5);
        assert!((decoded.characters[0].1 - 0.15).abs() < 1e-6, "seen at the second step of ten");
    }

    #[test]
    fn nothing_seen_is_no_text() {
        for steps in [steps(&[0, 0, 0], 0.9), Vec::new(), vec![f32::NAN; 8]] {
            let decoded = decode(&steps, &classes());
            assert_eq!((text(&decoded), decoded.confidence), (String::new(), 0.0));
        }
    }

    #[test]
    fn logits_become_probabilities() {
        let decoded = decode(&[0.0, 10.0, 0.0, 0.0], &classes());
        assert!(decoded.confidence > 0.999 && decoded.confidence <= 1.0);
    }
}
