//! Targets as locators: by role and name, else by their place and what they say.

use super::words::{finds, literal};
use handeye_engine::recording::is_hidden;
use handeye_engine::wording::shown::quote;
use handeye_scene::Target;
use serde_json::Value;

/// Roles by which Playwright finds what can be acted on or shown, as handeye does.
const ROLES: [&str; 36] = [
    "alert",
    "alertdialog",
    "article",
    "button",
    "cell",
    "checkbox",
    "columnheader",
    "combobox",
    "dialog",
    "gridcell",
    "group",
    "heading",
    "img",
    "link",
    "listbox",
    "listitem",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "meter",
    "option",
    "progressbar",
    "radio",
    "region",
    "row",
    "rowheader",
    "searchbox",
    "slider",
    "spinbutton",
    "status",
    "switch",
    "tab",
    "tabpanel",
    "textbox",
    "toolbar",
    "treeitem",
];
/// Characters of a name by which lines of a state are compared: states show no more of it where they are told so.
const COMPARED: usize = 60;

/// Where something is: in which document, and by what it is found there.
pub(super) struct Place {
    /// The document's: `page`, or a frame's.
    scope: String,
    /// By its place in the document; none where that isn't known.
    css: Option<String>,
    /// The name of its element.
    tag: String,
}

/// Of a path such as `/html[1]/body[1]/iframe[1]/html[1]/body[1]/#shadow/button[2]`.
pub(super) fn place(xpath: &str) -> Place {
    let (mut scope, mut steps, mut tag) = ("page".to_owned(), Vec::new(), String::new());
    for step in xpath.split('/').filter(|step| !step.is_empty() && *step != "#shadow") {
        let (name, place) = step.split_once('[').unwrap_or((step, "1]"));
        if name == "html" && !steps.is_empty() {
            scope = format!("{scope}.frameLocator({})", literal(&joined(&steps)));
            steps.clear();
        }
        name.clone_into(&mut tag);
        let place = place.trim_end_matches(']').parse::<u32>().unwrap_or(1);
        steps.push(match name {
            "html" | "body" => name.to_owned(),
            _ => format!("{}:nth-of-type({place})", identifier(name)),
        });
    }
    let css = (!steps.is_empty()).then(|| joined(&steps));
    Place { scope, css, tag }
}

fn joined(steps: &[String]) -> String {
    steps.join(" > ")
}

/// A name as a selector has it.
fn identifier(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || !c.is_ascii();
    name.chars().flat_map(|c| (!plain(c)).then_some('\\').into_iter().chain([c])).collect()
}

/// A target's locator, and the name of its element. `state`: the lines of the state in which it was found.
pub(super) fn locator(target: &Target, state: &[String]) -> Option<(String, String)> {
    let place = place(target.xpath.as_deref().unwrap_or_default());
    let scope = &place.scope;
    let at_place = place.css.as_ref().map(|css| format!("{scope}.locator({})", literal(css)));
    let found = match (by_role(scope, &target.role, &target.name), at_place) {
        (Some(named), Some(at_place)) if count(state, &target.role, &target.name) != 1 => {
            format!("{named}.and({at_place})")
        }
        (Some(named), _) => named,
        (None, at_place) => match target.text.as_deref().filter(|text| !is_hidden(text)) {
            Some(text) => format!("{}.filter({{ hasText: {} }})", at_place?, finds(text, false)),
            None => at_place?,
        },
    };
    Some((found, place.tag))
}

/// What is found by its role and name in a document.
pub(super) fn by_role(scope: &str, role: &str, name: &str) -> Option<String> {
    let is_known = ROLES.contains(&role) && !name.trim().is_empty() && !is_hidden(name) && !name.ends_with('…');
    is_known.then(|| format!("{scope}.getByRole('{role}', {{ name: {}, exact: true }})", literal(name)))
}

/// What a target shows itself by, in its own document.
pub(super) fn shown(target: &Target) -> Option<String> {
    by_role(&place(target.xpath.as_deref().unwrap_or_default()).scope, &target.role, &target.name)
}

/// How many targets of a role and name a state shows.
pub(super) fn count(state: &[String], role: &str, name: &str) -> usize {
    let start = format!("{role} {}", begun(name));
    state.iter().filter(|line| after_number(line).is_some_and(|said| said.starts_with(&start))).count()
}

/// Role and name of the target that a state shows under a number.
pub(super) fn numbered(state: &[String], number: u32) -> Option<(String, String)> {
    let start = format!("[{number}] ");
    let said = state.iter().find_map(|line| line.strip_prefix(&start))?;
    let (role, rest) = said.split_once(" \"")?;
    let name = rest.split_once('"')?.0;
    // What is escaped or cut there isn't all of it.
    (!name.contains(['\\', '…'])).then(|| (role.to_owned(), name.to_owned()))
}

/// Whether a state shows a text in the page's own document, beside the targets.
pub(super) fn says(state: &[String], text: &str) -> bool {
    state.iter().any(|line| !line.starts_with([' ', '[']) && line.contains(text))
}

fn after_number(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('[')?.split_once("] ").map(|(_, said)| said)
}

/// A name in quotes, or its beginning where it is long.
fn begun(name: &str) -> String {
    let quoted = quote(name, COMPARED);
    if name.chars().count() > COMPARED { quoted.trim_end_matches(['"', '…']).to_owned() } else { quoted }
}

/// A locator as a caller wrote it.
pub(super) fn written(locator: &Value) -> Option<String> {
    let text = |name: &str| locator.get(name).and_then(Value::as_str);
    let css = text("css").map(|css| format!("page.locator({})", literal(&format!("css={css}"))));
    let xpath = text("xpath").filter(|path| !path.contains("#shadow"));
    let xpath = xpath.map(|path| format!("page.locator({})", literal(&format!("xpath={path}"))));
    let by_id = text("testid").map(|id| format!("page.getByTestId({})", literal(id)));
    let by_text = text("text").map(|text| format!("page.getByText({})", literal(text)));
    let by_role = text("role").filter(|role| ROLES.contains(role)).map(|role| match text("name") {
        Some(name) => format!("page.getByRole('{role}', {{ name: {} }})", literal(name)),
        None => format!("page.getByRole('{role}')"),
    });
    css.or(xpath).or(by_id).or(by_text).or(by_role)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn target(role: &str, name: &str, text: Option<&str>, xpath: &str) -> Target {
        let rect = json!([0.0, 0.0, 1.0, 1.0]);
        let target = json!({ "ref": 1, "role": role, "name": name, "text": text, "states": [], "rect": rect,
            "document": 0, "xpath": xpath, "source": "native" });
        serde_json::from_value(target).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn a_target_is_found_by_what_is_its_own() {
        let state: Vec<String> =
            ["page \"x\"", "[1] button \"Buy\"", "[2] link \"More\"", "[new] link \"More\" offscreen"]
                .map(str::to_owned)
                .into();
        let of = |role: &str, name: &str, text: Option<&str>, xpath: &str| {
            locator(&target(role, name, text, xpath), &state).map(|(found, _)| found)
        };
        let buy = "page.getByRole('button', { name: 'Buy', exact: true })";
        assert_eq!(of("button", "Buy", None, "/html[1]/body[1]/button[1]").as_deref(), Some(buy));
        let more = "page.getByRole('link', { name: 'More', exact: true }).and(page.locator('html > body > p:nth-of-type(2) > a:nth-of-type(1)'))";
        assert_eq!(of("link", "More", None, "/html[1]/body[1]/p[2]/a[1]").as_deref(), Some(more));
        let framed = "page.frameLocator('html > body > iframe:nth-of-type(2)').getByRole('button', { name: 'Buy', exact: true })";
        assert_eq!(
            of("button", "Buy", None, "/html[1]/body[1]/iframe[2]/html[1]/body[1]/button[1]").as_deref(),
            Some(framed)
        );
        let plain = "page.locator('html > body > x-y:nth-of-type(1) > div:nth-of-type(3)').filter({ hasText: new RegExp('Pay\\\\s*now', 'i') })";
        assert_eq!(
            of("generic", "", Some("Pay now"), "/html[1]/body[1]/x-y[1]/#shadow/div[3]").as_deref(),
            Some(plain)
        );
        assert_eq!(of("button", "", None, ""), None);
    }

    #[test]
    fn lines_of_a_state_tell_of_a_number_and_a_text() {
        let state: Vec<String> =
            ["[5] button \"Less 减少\" disabled", "text \"a · 已购买\"", "  text \"framed\""].map(str::to_owned).into();
        assert_eq!(numbered(&state, 5), Some(("button".to_owned(), "Less 减少".to_owned())));
        assert_eq!(numbered(&state, 6), None);
        assert!(says(&state, "已购买") && !says(&state, "framed") && !says(&state, "Less"));
    }
}
