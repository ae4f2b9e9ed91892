//! The page script: one classic script made of the modules in `page/`, and the world it runs in.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Name of the isolated world in every document.
pub(crate) const WORLD: &str = "handeye";

/// Name of the binding by which the page script signals.
pub(crate) const SIGNAL: &str = "handeyeSignal";

/// An expression for the page's own world: which elements its libraries listen for.
pub(crate) const MAIN_WORLD: &str = include_str!("../page/mainworld.js");

macro_rules! modules {
    ($($name:literal),* $(,)?) => {
        /// Every module of the bundle by its path in the folder.
        const MODULES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../page/", $name)))),*];
    };
}

modules![
    "capture/ahead.js",
    "capture/cache.js",
    "capture/capture.js",
    "capture/codec.js",
    "capture/describe.js",
    "capture/entries.js",
    "capture/extra.js",
    "capture/facts.js",
    "capture/leads.js",
    "capture/links.js",
    "capture/operable.js",
    "capture/plain.js",
    "capture/rows.js",
    "capture/search.js",
    "capture/subtree-cache.js",
    "capture/walk.js",
    "changes/address-run.js",
    "changes/address-script.js",
    "changes/around.js",
    "changes/beforehand.js",
    "changes/canvases.js",
    "changes/caret.js",
    "changes/cause.js",
    "changes/controls.js",
    "changes/external.js",
    "changes/mutated.js",
    "changes/pending.js",
    "changes/pressed.js",
    "changes/ripple.js",
    "changes/stored.js",
    "changes/unmutated.js",
    "changes/watch.js",
    "dom/areas.js",
    "dom/dom.js",
    "dom/focus.js",
    "dom/hit.js",
    "dom/look.js",
    "dom/marks.js",
    "dom/modal.js",
    "dom/numbers.js",
    "dom/place.js",
    "dom/rules.js",
    "dom/scroll.js",
    "dom/sheets.js",
    "dom/told.js",
    "dom/user-action.js",
    "dom/version.js",
    "dom/visible.js",
    "dom/xpath.js",
    "input/aim.js",
    "input/answer.js",
    "input/checked.js",
    "input/path.js",
    "input/event-hit.js",
    "input/fields.js",
    "input/follow.js",
    "input/gesture-events.js",
    "input/guard.js",
    "input/held.js",
    "input/keys.js",
    "input/puttext.js",
    "input/spot.js",
    "input/unchanged.js",
    "input/values.js",
    "input/ward.js",
    "main.js",
    "names/content.js",
    "names/hints.js",
    "names/labels.js",
    "names/names.js",
    "names/native.js",
    "names/role-tables.js",
    "names/roles.js",
    "names/states.js",
    "text/concealed.js",
    "text/drawn.js",
    "text/glyphs.js",
    "text/letters.js",
    "text/matching.js",
    "text/owners.js",
    "text/runs.js",
    "text/said.js",
    "text/shown.js",
    "text/spacing.js",
    "text/text.js",
];

static BUNDLE: LazyLock<String> = LazyLock::new(|| {
    let modules: BTreeMap<&str, &str> = MODULES.iter().copied().collect();
    let all: Vec<&str> = modules.keys().copied().collect();
    joined(&modules, &all)
});

/// Some modules and what they import as one classic script, each behind its imports. They share one scope: no two may declare
/// one name at their top.
pub fn joined<'a>(modules: &BTreeMap<&'a str, &'a str>, wanted: &[&'a str]) -> String {
    let mut order = Vec::new();
    for name in wanted {
        visit(name, modules, &mut order, &mut Vec::new());
    }
    let mut out = String::from("(() => {\n\"use strict\";\n");
    for name in order {
        for line in code(modules[name]).filter(|l| !l.starts_with("import ") && *l != "export {};") {
            out.push_str(line.strip_prefix("export ").unwrap_or(line));
            out.push('\n');
        }
    }
    out.push_str("})();\n");
    out
}

/// The lines of a module without those that are comments alone, and without indentation: a browser reads every letter of it
/// anew for each process and frame.
fn code(source: &str) -> impl Iterator<Item = &str> {
    let mut in_comment = false;
    source.lines().map(str::trim).filter(move |line| {
        let is_comment = in_comment || line.starts_with("/*");
        in_comment = is_comment && !line.contains("*/");
        // What stands behind the end of a comment is code.
        let is_all = in_comment || line.find("*/").is_some_and(|end| end + 2 == line.len());
        !(line.is_empty() || line.starts_with("//") || is_comment && is_all)
    })
}

/// Puts a module behind those it imports. Functions are hoisted, so a cycle is harmless.
fn visit<'a>(name: &'a str, sources: &BTreeMap<&'a str, &'a str>, order: &mut Vec<&'a str>, path: &mut Vec<&'a str>) {
    let Some(source) = sources.get(name) else { return };
    if order.contains(&name) || path.contains(&name) {
        return;
    }
    path.push(name);
    for line in source.lines().filter(|l| l.starts_with("import ")) {
        if let Some(imported) = line.split('"').nth(1).map(|to| beside(name, to))
            && let Some((&found, _)) = sources.get_key_value(imported.as_str())
        {
            visit(found, sources, order, path);
        }
    }
    path.pop();
    order.push(name);
}

/// Where an import leads: `../dom/dom.js` of `names/names.js` to `dom/dom.js`.
fn beside(name: &str, to: &str) -> String {
    let mut folders: Vec<&str> = name.split('/').collect();
    folders.pop();
    for part in to.split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop()),
            other => folders.push(other),
        }
    }
    folders.join("/")
}

/// Schemes of addresses that a browser deals with itself; what has another is for another program.
pub(crate) const OWN_SCHEMES: [&str; 14] = [
    "about",
    "blob",
    "chrome",
    "chrome-error",
    "chrome-extension",
    "chrome-untrusted",
    "data",
    "devtools",
    "file",
    "filesystem",
    "http",
    "https",
    "javascript",
    "view-source",
];

/// The page script as one classic script. `deny`: a document that it starts in lets no trusted input through until released.
pub fn script(deny: bool) -> String {
    let start = if deny { "deny" } else { "release" };
    let schemes = serde_json::json!(OWN_SCHEMES);
    format!("{{ const HANDEYE_START = \"{start}\", HANDEYE_SCHEMES = {schemes};\n{}}}\n", *BUNDLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_in_the_folder_is_in_the_bundle() {
        let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/page"));
        let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(inside) = folders.pop() {
            for entry in std::fs::read_dir(inside).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
                if name.ends_with(".js") && name != "mainworld.js" {
                    files.push(name);
                }
            }
        }
        files.sort();
        let mut listed: Vec<&str> = MODULES.iter().map(|m| m.0).collect();
        listed.sort_unstable();
        assert_eq!(listed, files);
    }

    #[test]
    fn no_two_modules_use_one_top_level_name() {
        let mut seen = std::collections::HashMap::new();
        for (file, source) in MODULES {
            for line in source.lines().map(|l| l.strip_prefix("export ").unwrap_or(l)) {
                let line = line.strip_prefix("async ").unwrap_or(line);
                let Some(rest) = ["function ", "const ", "let ", "class "].iter().find_map(|k| line.strip_prefix(k))
                else {
                    continue;
                };
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || "_$".contains(*c)).collect();
                if name.is_empty() {
                    continue;
                }
                if let Some(other) = seen.insert(name.clone(), file) {
                    panic!("{file} and {other} both have a top-level `{name}`; they share one scope");
                }
            }
        }
        assert!(seen.len() > 100);
    }

    #[test]
    fn comments_and_indentation_are_left_out_and_all_code_is_kept() {
        let source =
            "// a\n\n/** b */\n/**\n * c\n * d */\n  /** @type {E} */ (f).g(); /* h */\n  i(); // j\n/* k\n*/\n";
        assert_eq!(code(source).collect::<Vec<_>>(), ["/** @type {E} */ (f).g(); /* h */", "i(); // j"]);
    }

    /// A form, and a document, hide their own properties behind controls and images of such names: `dom.js` alone asks them, by
    /// the prototypes' getters and methods.
    #[test]
    fn no_module_reads_what_a_page_can_hide() {
        const HIDEABLE: &str = "getRootNode contains closest matches querySelector querySelectorAll getAttribute \
            hasAttribute setAttribute removeAttribute parentNode parentElement firstChild lastChild nextSibling \
            previousSibling nextElementSibling previousElementSibling firstElementChild lastElementChild children \
            childNodes childElementCount innerText textContent innerHTML outerHTML outerText isConnected shadowRoot \
            assignedSlot tagName localName nodeName nodeType nodeValue namespaceURI attributes className classList \
            dataset scrollHeight scrollWidth scrollTop scrollLeft scrollBy scrollTo scrollIntoView clientHeight \
            clientWidth clientTop clientLeft offsetHeight offsetWidth offsetTop offsetLeft offsetParent \
            isContentEditable contentEditable ariaLabelledByElements getBoundingClientRect getClientRects \
            compareDocumentPosition checkVisibility focus blur click dispatchEvent addEventListener \
            removeEventListener getElementById getElementsByTagName elementFromPoint activeElement documentElement \
            body head ownerDocument styleSheets adoptedStyleSheets createRange createElement createTreeWalker \
            importNode getAnimations fullscreenElement pointerLockElement readyState implementation scrollingElement noValidate action method elements \
            labels tabIndex hidden dir lang";
        let names: Vec<&str> = HIDEABLE.split_whitespace().collect();
        // A range's own, and a document that no page reaches.
        const SAFE: [&str; 2] = ["range", "inert"];
        let mut found = Vec::new();
        for (file, source) in MODULES.iter().filter(|m| m.0 != "dom/dom.js") {
            for (number, line) in source.lines().enumerate() {
                let code = line.split("//").next().unwrap_or(line);
                for (at, _) in code.match_indices('.') {
                    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                    let name: String = code[at + 1..].chars().take_while(|c| word(*c)).collect();
                    let before = code[..at].trim_end_matches('?');
                    let inside = code[..at].matches('"').count() % 2 == 1 || code[..at].trim_start().starts_with("/**");
                    let spread = before.ends_with('.') || before.ends_with(' ');
                    if names.contains(&name.as_str()) && !inside && !spread && !SAFE.iter().any(|s| before.ends_with(s))
                    {
                        found.push(format!("{file}:{}: {}", number + 1, line.trim()));
                    }
                }
            }
        }
        assert!(found.is_empty(), "ask dom.js:\n{}", found.join("\n"));
    }

    #[test]
    fn every_name_at_the_top_of_a_module_is_declared_once() {
        let mut declared = std::collections::HashMap::new();
        let mut found = Vec::new();
        for (file, source) in MODULES.iter() {
            for line in source.lines() {
                let line = line.strip_prefix("export ").unwrap_or(line);
                let kinds = ["const ", "let ", "class ", "function ", "function* ", "async function "];
                let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else { continue };
                // Several are taken out of one object: `const { a, b: c } = …`.
                let names = match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                    Some((inner, _)) => inner.split(',').map(|n| n.rsplit(':').next().unwrap_or(n).trim()).collect(),
                    None => {
                        vec![rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next().unwrap_or("")]
                    }
                };
                for name in names.into_iter().filter(|name| !name.is_empty()) {
                    if let Some(other) = declared.insert(name, *file) {
                        found.push(format!("{name}: {other}, {file}"));
                    }
                }
            }
        }
        assert!(found.is_empty(), "all modules share one scope:\n{}", found.join("\n"));
    }

    #[test]
    fn every_import_leads_to_a_module_of_the_bundle() {
        for (name, source) in MODULES {
            for line in source.lines().filter(|l| l.starts_with("import ")) {
                let to = beside(name, line.split('"').nth(1).unwrap());
                assert!(MODULES.iter().any(|m| m.0 == to), "{name} imports {to}");
            }
        }
    }

    #[test]
    fn modules_stand_behind_what_they_import_and_nothing_of_their_syntax_is_left() {
        let bundle = script(true);
        assert!(!bundle.lines().any(|l| l.starts_with("import ") || l.starts_with("export ")));
        assert!(bundle.find("function numberOf").unwrap() < bundle.find("function capture(").unwrap());
    }
}
