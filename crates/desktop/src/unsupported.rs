//! Platforms whose windows handeye can't reach yet.

use handeye_scene::{Code, DesktopConfig, Problem, Surface};

/// Says that it can't be done here.
pub async fn open(_desk: &DesktopConfig) -> Result<Box<dyn Surface>, Problem> {
    Err(Problem::new(Code::Unsupported, "desktop windows can be reached on Linux only, so far")
        .hint("handeye open URL"))
}
