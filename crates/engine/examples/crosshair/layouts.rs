//! What is searched: random layouts, and real states as they were recorded.

use handeye_scene::Rect;
use handeye_testkit::Dice;
use serde::Deserialize;
use std::path::Path;

/// Of random layouts.
pub(crate) const VIEW: (f64, f64) = (1280.0, 800.0);

/// Rects of controls that don't overlap.
pub(crate) fn layout(count: usize, dice: &mut Dice) -> Vec<Rect> {
    let mut rects: Vec<Rect> = Vec::new();
    let scale = if count > 100 { 0.5 } else { 1.0 };
    let mut tries = 0;
    while rects.len() < count && tries < 200_000 {
        tries += 1;
        let width = scale * (24 + dice.below(200)) as f64;
        let height = scale * (20 + dice.below(28)) as f64;
        let x = dice.below((VIEW.0 - width) as usize) as f64;
        let y = dice.below((VIEW.1 - height) as usize) as f64;
        let rect = Rect::new(x, y, width, height);
        let near = Rect::new(x - 4.0, y - 4.0, width + 8.0, height + 8.0);
        if !rects.iter().any(|other| other.intersects(&near)) {
            rects.push(rect);
        }
    }
    rects
}

/// Somewhere, of a size from the first to the second width and height.
pub(crate) fn somewhere((least, most): ((usize, usize), (usize, usize)), dice: &mut Dice) -> Rect {
    let width = (least.0 + dice.below(most.0 - least.0 + 1)) as f64;
    let height = (least.1 + dice.below(most.1 - least.1 + 1)) as f64;
    let x = dice.below((VIEW.0 - width) as usize) as f64;
    let y = dice.below((VIEW.1 - height) as usize) as f64;
    Rect::new(x, y, width, height)
}

/// A place between these rects, if there is one.
pub(crate) fn gap(rects: &[Rect], view: (f64, f64), dice: &mut Dice) -> Option<Rect> {
    (0..2_000).find_map(|tries| {
        // The longer it takes, the smaller.
        let (width, height) = if tries < 1_000 { (24 + dice.below(100), 16 + dice.below(24)) } else { (12, 12) };
        let (width, height) = (width as f64, height as f64);
        let x = dice.below((view.0 - width).max(1.0) as usize) as f64;
        let y = dice.below((view.1 - height).max(1.0) as usize) as f64;
        let near = Rect::new(x - 4.0, y - 4.0, width + 8.0, height + 8.0);
        let is_free = !rects.iter().any(|other| other.intersects(&near));
        is_free.then(|| Rect::new(x, y, width, height))
    })
}

/// Where the candidates of a real state are, as `cargo xtask bench locate --record` noted them.
#[derive(Debug, Deserialize)]
pub(crate) struct State {
    pub(crate) name: String,
    /// Of the picture: width and height.
    pub(crate) view: (f64, f64),
    rects: Vec<[f64; 4]>,
}

impl State {
    pub(crate) fn rects(&self) -> Vec<Rect> {
        self.rects.iter().map(|rect| Rect::from(*rect)).collect()
    }
}

/// The recorded states, in the order of their names.
pub(crate) fn states() -> Vec<State> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/locate");
    let mut paths: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "json"));
    paths.sort();
    let read = |path: &std::path::PathBuf| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    paths.iter().map(read).collect()
}
