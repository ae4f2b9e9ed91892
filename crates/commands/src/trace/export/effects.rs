//! What came of an action, as expectations. Only what the page shows of itself again is expected: nothing that the trace hides, and
//! no text in which a time or a count stands.

use super::places::{by_role, count, numbered, says, shown};
use super::words::{finds, literal, visible_text};
use handeye_engine::matching::held;
use handeye_engine::recording::is_hidden;
use handeye_scene::{Change, Evidence, Receipt, Target};

/// Expectations of one action that tell of changes, at most.
const CHANGES: usize = 3;

/// The states around an action, as lines.
pub(super) struct Around<'a> {
    pub(super) before: &'a [String],
    pub(super) after: &'a [String],
}

/// The target that was acted on, as it is found, and the name of its element.
pub(super) struct Acted<'a> {
    pub(super) locator: &'a str,
    pub(super) tag: &'a str,
}

/// What came of an action. `address` writes an address.
pub(super) fn expectations(
    receipt: &Receipt,
    acted: Option<&Acted<'_>>,
    around: &Around<'_>,
    address: &dyn Fn(&str) -> String,
) -> Vec<String> {
    let navigated = receipt.evidence.iter().find_map(|evidence| match evidence {
        Evidence::Navigated { url, .. } if !is_hidden(url) => Some(address(url)),
        _ => None,
    });
    let mut out: Vec<String> = navigated.iter().map(|url| format!("await expect(page).toHaveURL({url});")).collect();
    if let Some(acted) = acted.filter(|_| navigated.is_none() && is_still_there(receipt)) {
        out.extend(receipt.evidence.iter().filter_map(|evidence| of_target(evidence, acted, receipt)));
    }
    let changes = receipt.changes.iter().filter_map(|change| of_change(change, receipt, around));
    out.extend(changes.take(CHANGES));
    let mut told = Vec::new();
    out.retain(|line| {
        !told.contains(line) && {
            told.push(line.clone());
            true
        }
    });
    out
}

/// Whether the target is still found as it was.
fn is_still_there(receipt: &Receipt) -> bool {
    let Some(target) = &receipt.target else { return false };
    !receipt.changes.iter().any(|change| match change {
        Change::Removed { r#ref, .. } => *r#ref == target.r#ref,
        Change::Changed { r#ref, property, .. } => {
            *r#ref == target.r#ref && ["name", "role"].contains(&property.as_str())
        }
        _ => false,
    })
}

/// What is seen of the target itself.
fn of_target(evidence: &Evidence, acted: &Acted<'_>, receipt: &Receipt) -> Option<String> {
    let expect = format!("await expect({})", acted.locator);
    match evidence {
        Evidence::Value { value } if is_hidden(value) => None,
        Evidence::Value { value } => match acted.tag {
            // What is chosen is told by its label.
            "select" => is_combobox(receipt).then(|| {
                format!("await expect({}.locator('option:checked')).toHaveText({});", acted.locator, literal(value))
            }),
            "input" | "textarea" => Some(format!("{expect}.toHaveValue({});", literal(value))),
            _ => Some(format!("{expect}.toContainText({});", finds(value, false))),
        },
        Evidence::Property { property, to, .. } if property == "checked" => match to.as_str() {
            "checked" | "true" | "on" => Some(format!("{expect}.toBeChecked();")),
            "unchecked" | "false" | "off" => Some(format!("{expect}.not.toBeChecked();")),
            _ => None,
        },
        Evidence::Focused => Some(format!("{expect}.toBeFocused();")),
        _ => None,
    }
}

/// Whether a list takes one option: what is chosen of several is told as one text.
fn is_combobox(receipt: &Receipt) -> bool {
    receipt.target.as_ref().is_some_and(|target| target.role == "combobox")
}

/// What is seen of a change. What a navigation took away is no change that can be waited for.
fn of_change(change: &Change, receipt: &Receipt, around: &Around<'_>) -> Option<String> {
    let visible = |found: String| format!("await expect({found}.first()).toBeVisible();");
    match change {
        Change::Added { target } => lasting(&target.name).and_then(|_| shown(target)).map(visible),
        Change::Changed { r#ref, property, to, .. } if property == "name" => {
            let own = receipt.target.as_ref().filter(|target| target.r#ref == *r#ref);
            let role =
                own.map(|target| target.role.clone()).or_else(|| numbered(around.after, r#ref.0).map(|(role, _)| role));
            // Whose document isn't known isn't looked for.
            let scope = own.is_none_or(is_in_page).then_some("page")?;
            lasting(to).and_then(|name| by_role(scope, &role?, name)).map(visible)
        }
        Change::Removed { role, name, .. }
            if count(around.before, role, name) == 1 && count(around.after, role, name) == 0 =>
        {
            by_role("page", role, lasting(name)?).map(|found| format!("await expect({found}).toHaveCount(0);"))
        }
        Change::TextAdded { text } => {
            let part = longest_part(text);
            let is_told = lasting(part).is_some() && says(around.after, part);
            is_told.then(|| visible(visible_text(&finds(part, false))))
        }
        _ => None,
    }
}

fn is_in_page(target: &Target) -> bool {
    target.xpath.as_deref().is_some_and(|path| path.matches("/html[1]").count() == 1)
}

/// A text that says the same tomorrow, and that can be told.
fn lasting(text: &str) -> Option<&str> {
    let is_whole = !text.trim().is_empty() && !is_hidden(text) && !text.contains(['…', '\\']);
    (is_whole && held(text, false).gaps.is_empty()).then_some(text)
}

/// Texts that stand beside each other are told as one.
fn longest_part(text: &str) -> &str {
    text.split(" · ")
        .flat_map(|part| part.split(" | "))
        .map(str::trim)
        .max_by_key(|part| part.len())
        .unwrap_or_default()
}

/// A title that is expected again.
pub(super) fn titled(title: &str) -> Option<String> {
    lasting(title).map(|title| format!("await expect(page).toHaveTitle({});", finds(title, false)))
}
