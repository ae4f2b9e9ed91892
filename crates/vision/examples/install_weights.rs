//! Installs the weights of the text models into a folder: what the tests and the bench read with.

use handeye_vision::weights::{self, Plan};
use std::{ops::ControlFlow, path::PathBuf};

fn main() -> Result<(), String> {
    let folder = std::env::args().nth(1).map(PathBuf::from).ok_or("which folder?")?;
    weights::install(&folder, &Plan::default(), &mut |_| ControlFlow::Continue(()))
        .map_err(|problem| problem.to_string())
}
