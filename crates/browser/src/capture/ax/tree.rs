//! The accessibility tree of one document.

use super::frames::Framed;
use crate::cdp::link::Link;
use crate::cdp::transport::{CallError, PendingReply, Reply};
use crate::protocol::json::parse;
use crate::protocol::{AxTree, AxTreeNode};
use handeye_scene::{AxNode, Code, Problem};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// How the browser words that a frame isn't the session's to tell of.
const NOT_ITS_FRAME: &str = "Frame with the given frameId is not found";

pub(crate) fn ask_ax_tree(link: &Link, framed: &Framed) -> PendingReply {
    link.connection.send(Some(&framed.session), "Accessibility.getFullAXTree", json!({ "frameId": framed.id }))
}

/// The tree that was asked for; where the session doesn't know its own first frame by id, asked again without one.
pub(crate) async fn ax_tree(
    link: &Link,
    framed: &Framed,
    pending: PendingReply,
    deadline: Instant,
    limit: Duration,
) -> Result<Vec<AxNode>, Problem> {
    let mut reply = link.reply_by(pending, deadline, limit).await?;
    if framed.first && is_scope_error(&reply) {
        let pending = link.connection.send(Some(&framed.session), "Accessibility.getFullAXTree", json!({}));
        reply = link.reply_by(pending, deadline, limit).await?;
    }
    let raw = reply.map_err(|e| link.problem(e))?;
    let tree: AxTree =
        parse(raw.get()).map_err(|e| Problem::new(Code::Bug, format!("an accessibility tree can't be read: {e}")))?;
    Ok(tree.nodes.into_iter().map(node).collect())
}

fn is_scope_error(reply: &Reply) -> bool {
    matches!(reply, Err(CallError::Refused { message, .. }) if message.contains(NOT_ITS_FRAME))
}

fn node(read: AxTreeNode) -> AxNode {
    let role = read.role.text().unwrap_or_default();
    AxNode {
        id: read.node_id,
        children: read.child_ids,
        ignored: read.ignored,
        aria: aria(&role).to_owned(),
        role,
        name: read.name.text().unwrap_or_default(),
        description: read.description.text().unwrap_or_default(),
        value: read.value.text(),
        properties: read.properties.into_iter().filter_map(|p| Some((p.name, p.value.text()?))).collect(),
        backend: read.backend,
    }
}

/// The browser's names of roles that ARIA has none for, or another one, in the words of a capture.
const ROLES: &[(&str, &str)] = &[
    ("Audio", "audio"),
    ("Canvas", "canvas"),
    ("ColorWell", "button"),
    ("Date", "textbox"),
    ("DateTime", "textbox"),
    ("DescriptionList", "list"),
    ("DescriptionListDetail", "definition"),
    ("DescriptionListTerm", "term"),
    ("Details", "group"),
    ("DisclosureTriangle", "button"),
    ("DisclosureTriangleGrouped", "button"),
    ("EmbeddedObject", "embed"),
    ("Figcaption", "caption"),
    ("Iframe", "iframe"),
    ("IframePresentational", "iframe"),
    ("InputTime", "textbox"),
    ("LabelText", "label"),
    ("LayoutTable", "generic"),
    ("LayoutTableCell", "generic"),
    ("LayoutTableRow", "generic"),
    ("Legend", "legend"),
    ("ListMarker", "text"),
    ("Pre", "generic"),
    ("PluginObject", "object"),
    ("RootWebArea", "document"),
    ("Section", "generic"),
    ("StaticText", "text"),
    ("Summary", "button"),
    ("SvgRoot", "img"),
    ("Video", "video"),
    ("figcaption", "caption"),
    ("image", "img"),
    ("directory", "list"),
    ("graphics-document", "img"),
    ("presentation", "none"),
    ("textFieldWithComboBox", "combobox"),
];

fn aria(role: &str) -> &str {
    ROLES.iter().find(|(own, _)| *own == role).map_or(role, |(_, aria)| aria)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_type_come_as_text_and_empty_ones_not_at_all() {
        let read: AxTreeNode = serde_json::from_str(
            r#"{"nodeId":"7","role":{"type":"role","value":"slider"},"name":{"type":"computedString","value":"Speed","sources":[]},
                "value":{"type":"number","value":2.5},"childIds":["8"],"backendDOMNodeId":4,"ignored":false,
                "properties":[{"name":"focusable","value":{"type":"booleanOrUndefined","value":true}},{"name":"labelledby","value":{"relatedNodes":[]}}]}"#,
        )
        .unwrap();
        let node = node(read);
        assert_eq!((node.role.as_str(), node.name.as_str(), node.value.as_deref()), ("slider", "Speed", Some("2.5")));
        assert!(node.is("focusable") && node.property("labelledby").is_none());
    }

    #[test]
    fn only_a_frame_that_is_not_found_is_asked_for_again() {
        let refused = |message: &str| Err(CallError::Refused { method: "m", message: message.into() });
        assert!(is_scope_error(&refused("Frame with the given frameId is not found.")));
        assert!(!is_scope_error(&refused("Accessibility is off")));
        assert!(!is_scope_error(&Err(CallError::Lost("it was closed".into()))));
    }
}
