//! What the surface needs of the machine, for whoever asks why it doesn't work.

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub name: &'static str,
    /// What was found.
    pub found: String,
    /// What to do about it; none where it is fine.
    pub remedy: Option<String>,
}

/// Looks at everything that the surface needs, in the order in which it is needed.
#[cfg(not(target_os = "linux"))]
pub async fn examine(_: &handeye_scene::DesktopConfig) -> Vec<Finding> {
    // Windows brings all of it.
    Vec::new()
}
