//! Finding an installed browser of the Chromium family.

use handeye_scene::{Code, Problem};
use std::path::{Path, PathBuf};

/// Names that Chromium-family browsers are installed under, most likely first.
const NAMES: [&str; 9] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge-stable",
    "microsoft-edge",
    "brave-browser",
    "vivaldi-stable",
];

/// Places outside of those folders.
const PLACES: [&str; 5] = [
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/// Folders in which they are looked for.
const FOLDERS: [&str; 6] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/snap/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"];

/// The browser to launch: `named` (a path, or a bare name) if given, else one found in the usual places.
pub fn find(named: Option<&Path>) -> Result<PathBuf, Problem> {
    if let Some(path) = named {
        let bare = path.components().count() == 1 && !path.is_absolute() && !path.exists();
        let found =
            if bare { FOLDERS.iter().map(|d| Path::new(d).join(path)).find(|p| is_executable(p)) } else { None };
        let path = found.unwrap_or_else(|| path.to_owned());
        if is_executable(&path) {
            return Ok(path);
        }
        let why = if path.exists() { "it can't be executed" } else { "there is no such file" };
        return Err(Problem::new(Code::Unavailable, format!("the browser {} can't be used: {why}", path.display()))
            .hint("handeye doctor")
            .hint("handeye open URL --browser PATH"));
    }
    let in_folders = NAMES.iter().flat_map(|n| FOLDERS.iter().map(move |d| Path::new(d).join(n)));
    in_folders.chain(PLACES.iter().map(PathBuf::from)).find(|p| is_executable(p)).ok_or_else(|| {
        Problem::new(
            Code::Unavailable,
            "no browser of the Chromium family was found (chromium, google-chrome, microsoft-edge, brave)",
        )
        .hint("apt-get install chromium")
        .hint("handeye open URL --browser PATH")
        .hint("handeye doctor")
    })
}

fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.is_file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_browser_that_is_missing_is_named_in_the_problem() {
        let problem = find(Some(Path::new("/nowhere/chrome"))).unwrap_err();
        assert_eq!(problem.message, "the browser /nowhere/chrome can't be used: there is no such file");
        let problem = find(Some(Path::new("/etc/passwd"))).unwrap_err();
        assert_eq!(problem.message, "the browser /etc/passwd can't be used: it can't be executed");
    }
}
