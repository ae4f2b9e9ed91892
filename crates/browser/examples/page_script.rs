//! Prints the page script, as an extension loads it for a content script. Given a folder and a module in it, that module and
//! what it imports follow, joined to a script of their own: what the extension adds.

use std::collections::BTreeMap;
use std::path::Path;

#[allow(clippy::print_stdout)] // printing is what it is for
fn main() -> std::io::Result<()> {
    print!("{}", handeye_browser::script(false));
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [folder, entry] = given.as_slice() else { return Ok(()) };
    let mut modules = BTreeMap::new();
    read(Path::new(folder), "", &mut modules)?;
    let modules = modules.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    print!("{}", handeye_browser::joined(&modules, &[entry]));
    Ok(())
}

/// Reads the modules of a folder and those below it, by their paths in it.
fn read(folder: &Path, above: &str, modules: &mut BTreeMap<String, String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read(&entry.path(), &format!("{name}/"), modules)?;
        } else if name.ends_with(".js") {
            modules.insert(name, std::fs::read_to_string(entry.path())?);
        }
    }
    Ok(())
}
