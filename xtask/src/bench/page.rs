//! The page that is measured, and what is done to it.

/// What a person would write at the console: no names, no states, no visibility.
pub(super) const WALK: &str = "(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  for (let e = walker.nextNode(); e; e = walker.nextNode()) {
    if (e.localName !== 'a' && e.localName !== 'button' && e.localName !== 'input') continue;
    const r = e.getBoundingClientRect();
    found.push([e.localName, e.textContent, r.x, r.y, r.width, r.height]);
  }
  return JSON.stringify(found);
})()";

/// The page: rows that each have a link, a button and a checkbox.
pub(super) fn table(rows: usize) -> String {
    let mut page = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Rows</title><h1>Rows</h1><table>",
    );
    for row in 1..=rows {
        page.push_str(&format!(
            "<tr><td><a href=\"#row-{row}\">Details of item {row}</a></td><td><button type=\"button\">Buy item {row}</button></td>\
             <td><label><input type=\"checkbox\" name=\"row-{row}\"> Keep item {row}</label></td></tr>\n"
        ));
    }
    page.push_str("</table></html>\n");
    page
}

/// A script that gives the link of a row another text.
pub(super) fn change(row: usize, text: &str) -> String {
    format!("document.querySelectorAll('tr')[{}].querySelector('a').textContent = {text:?}", row.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_three_elements() {
        let page = table(7);
        for part in ["<a href", "<button", "<input type=\"checkbox\""] {
            assert_eq!(page.matches(part).count(), 7);
        }
    }
}
