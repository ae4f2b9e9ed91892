//! Queries: what a CSS selector, an XPath or a test id matches, in every document of the page.

use super::{closed_roots, placement};
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::PageError;
use crate::cdp::silent;
use handeye_scene::{Code, DocumentId, Hint, NativeId, Notice, Problem, Query, QueryBy};
use serde_json::json;

pub(crate) async fn matches(link: &Link, query: &Query) -> Result<Vec<NativeId>, Problem> {
    let of_windows = match query.by {
        QueryBy::AutomationId => Some(("automation ids", '#')),
        QueryBy::Class => Some(("classes of windows", '.')),
        QueryBy::Xpath | QueryBy::Css | QueryBy::TestId => None,
    };
    if let Some((what, sign)) = of_windows {
        let text = format!("`{}` can't be looked up: pages have no {what}", query.text);
        return Err(Problem::new(Code::Unsupported, text)
            .hint(Hint::command("find").arg("--css").arg(format!("{sign}{}", query.text))));
    }
    link.check_dialog()?;
    link.wait_for_main_document(CALL_LIMIT).await?;
    let mut documents = link.model().readable_documents();
    // Closed roots are searched too: the script has to have them.
    let silent = closed_roots::find(link, &documents).await?;
    documents.retain(|(_, document)| link.model().pages.is_main(*document) || !silent.contains(document));
    let found = matches_in(link, query, &documents).await?;
    tell_of_silent(link);
    Ok(found)
}

/// Documents that hang were passed over: a match in one of them may be missing.
fn tell_of_silent(link: &Link) {
    let mut model = link.model();
    let documents = model.readable_documents();
    let silent = documents.iter().filter(|(_, d)| model.pages.document(*d).is_some_and(|d| d.silent)).count();
    let text = match silent {
        0 => return,
        1 => "a document that doesn't answer was not searched".to_owned(),
        many => format!("{many} documents that don't answer were not searched"),
    };
    let notice = Notice::new("partial", text);
    if !model.reports.notices.contains(&notice) {
        model.reports.notices.push(notice);
    }
}

async fn matches_in(link: &Link, query: &Query, documents: &[(String, DocumentId)]) -> Result<Vec<NativeId>, Problem> {
    if query.by == QueryBy::Xpath {
        return by_xpath(link, &query.text, documents).await;
    }
    let hops: Vec<String> = query.text.split(" >> ").map(|part| part.trim().to_owned()).collect();
    if query.by == QueryBy::Css && hops.len() > 1 {
        return through_frames(link, query, hops, documents).await;
    }
    let mut out = Vec::new();
    for (_, document) in documents {
        out.extend(search_in(link, *document, query, &query.text).await?);
    }
    Ok(out)
}

/// An XPath leads through frames: `/html[1]/body[1]/iframe[1]/html[1]/…`, `//iframe[1]//a`. That of a text means the
/// element that holds it.
async fn by_xpath(link: &Link, xpath: &str, documents: &[(String, DocumentId)]) -> Result<Vec<NativeId>, Problem> {
    let xpath = xpath.trim().strip_prefix("xpath=").unwrap_or(xpath.trim());
    let parts = split_at_documents(holder(xpath));
    let query = Query { by: QueryBy::Xpath, text: xpath.to_owned() };
    if let [whole] = parts.as_slice() {
        // Not tied to a document: every one is searched, the main one alone for absolute paths.
        let absolute = whole.starts_with("/html") || whole.starts_with("/svg");
        let mut out = Vec::new();
        for (_, document) in documents.iter().take(if absolute { 1 } else { usize::MAX }) {
            out.extend(search_in(link, *document, &query, whole).await?);
        }
        return Ok(out);
    }
    through_frames(link, &query, parts, documents).await
}

/// Each part but the last finds the frames to go on in: several, where that part isn't one frame's alone.
async fn through_frames(
    link: &Link,
    query: &Query,
    parts: Vec<String>,
    documents: &[(String, DocumentId)],
) -> Result<Vec<NativeId>, Problem> {
    let Some((last, frames)) = parts.split_last() else { return Ok(Vec::new()) };
    let mut within: Vec<DocumentId> = documents.first().map(|d| d.1).into_iter().collect();
    for part in frames {
        let mut inner = Vec::new();
        for document in within {
            let owners = search_in(link, document, query, part).await?;
            inner.extend(documents_in(link, document, &owners, documents).await);
        }
        within = inner;
    }
    let mut out = Vec::new();
    for document in within {
        out.extend(search_in(link, document, query, last).await?);
    }
    Ok(out)
}

/// The documents that some elements show, whether they are rendered or not.
async fn documents_in(
    link: &Link,
    parent: DocumentId,
    owners: &[NativeId],
    documents: &[(String, DocumentId)],
) -> Vec<DocumentId> {
    let mut inside = Vec::new();
    for (frame, document) in documents {
        if let Some((above, (number, _))) = placement::owner_of(link, frame).await
            && above == parent
        {
            inside.push((NativeId::new(parent, number), *document));
        }
    }
    owners.iter().filter_map(|o| inside.iter().find(|(owner, _)| owner == o)).map(|(_, document)| *document).collect()
}

/// The document that an element shows.
pub(crate) async fn document_inside(link: &Link, owner: NativeId) -> Option<DocumentId> {
    let documents = link.model().pages.active_documents();
    let inside = documents_in(link, owner.document(), &[owner], &documents).await;
    inside.first().copied()
}

/// What a part of a query finds in one document.
async fn search_in(link: &Link, document: DocumentId, query: &Query, part: &str) -> Result<Vec<NativeId>, Problem> {
    let by = match query.by {
        QueryBy::Xpath => "xpath",
        QueryBy::Css => "css",
        QueryBy::TestId | QueryBy::AutomationId | QueryBy::Class => "testid",
    };
    let asked = json!({ "by": by, "query": part });
    let is_main = link.model().pages.is_main(document);
    let limit = if is_main { CALL_LIMIT } else { silent::frame_limit(link, document) };
    match link.page_call::<Vec<u32>>(document, "search", &[asked], limit).await {
        Ok(found) => Ok(found.into_iter().map(|n| NativeId::new(document, n)).collect()),
        Err(PageError::Gone) => Ok(Vec::new()),
        Err(PageError::Problem(problem)) if problem.code == Code::Timeout && !is_main => {
            silent::note(link, document);
            Ok(Vec::new())
        }
        Err(PageError::Problem(problem)) => Err(bad_query(problem, query)),
    }
}

/// Parts of an XPath, one a document: nothing lies below a frame element but the document that it shows.
fn split_at_documents(xpath: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut quote, mut depth, mut step, mut begin) = (None, 0usize, 0, 0);
    for (at, c) in xpath.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth = depth.saturating_sub(1),
            (None, '/') if depth == 0 => {
                if is_frame_step(&xpath[step..at]) {
                    parts.push(xpath[begin..at].to_owned());
                    begin = at;
                }
                step = at + 1;
            }
            _ => {}
        }
    }
    parts.push(xpath[begin..].to_owned());
    parts
}

/// `iframe`, `iframe[2]`, `frame[@name='a']`, `(//iframe)[1]`.
fn is_frame_step(step: &str) -> bool {
    let name = step.split('[').next().unwrap_or_default();
    let name = name.trim_end_matches(')').rsplit(['/', '(']).next().unwrap_or_default();
    matches!(name, "iframe" | "frame")
}

/// The path of what holds a text, of the path of the text.
fn holder(xpath: &str) -> &str {
    match xpath.rsplit_once('/') {
        Some((above, last)) if last.starts_with("text()") && !above.ends_with('/') && !above.is_empty() => above,
        _ => xpath,
    }
}

/// A query that the page's engine refuses is the caller's mistake.
fn bad_query(problem: Problem, query: &Query) -> Problem {
    if problem.code != Code::Bug {
        return problem;
    }
    let kind = if query.by == QueryBy::Xpath { "XPath" } else { "CSS selector" };
    Problem::new(Code::BadRequest, format!("`{}` is no valid {kind}", query.text)).hint("handeye state --verbose")
}

#[cfg(test)]
mod tests {
    use super::{holder, split_at_documents};

    #[test]
    fn absolute_paths_are_split_where_they_enter_a_document() {
        assert_eq!(split_at_documents("/html[1]/body[1]/a[1]"), ["/html[1]/body[1]/a[1]"]);
        assert_eq!(
            split_at_documents("/html[1]/body[1]/iframe[2]/html[1]/body[1]/iframe[1]/html[1]/body[1]/p[1]"),
            ["/html[1]/body[1]/iframe[2]", "/html[1]/body[1]/iframe[1]", "/html[1]/body[1]/p[1]"]
        );
        assert_eq!(split_at_documents("//iframe/html"), ["//iframe", "/html"]);
        assert_eq!(split_at_documents("//iframe[@src='/a/b']//button[1]"), ["//iframe[@src='/a/b']", "//button[1]"]);
        assert_eq!(split_at_documents("(//iframe)[2]//a"), ["(//iframe)[2]", "//a"]);
        assert_eq!(split_at_documents("//div[iframe/x]/a"), ["//div[iframe/x]/a"]);
        assert_eq!(split_at_documents("//iframe"), ["//iframe"]);
        assert_eq!(split_at_documents("//my-iframe/a"), ["//my-iframe/a"]);
        assert_eq!(holder("/html[1]/p[1]/text()[2]"), "/html[1]/p[1]");
        assert_eq!(holder("//text()"), "//text()");
        assert_eq!(holder("/html[1]/a[1]"), "/html[1]/a[1]");
        assert_eq!(split_at_documents("/html/body/htmlx"), ["/html/body/htmlx"]);
    }
}
