//! The page on paper, and marks drawn over it.

use crate::protocol::Evaluated;
use crate::surface::{Browser, CALL_LIMIT};
use base64::Engine as _;
use handeye_scene::{Code, NativeId, Paper, Problem};
use serde_json::{Value, json};
use std::time::Duration;

/// How long printing may take.
const PRINT_LIMIT: Duration = Duration::from_secs(60);

impl Browser {
    pub(crate) async fn print(&self, paper: &Paper) -> Result<Vec<u8>, Problem> {
        self.check_dialog()?;
        self.check_nothing_concealed().await?;
        let session = self.session()?;
        let mut params = json!({
            "landscape": paper.landscape, "printBackground": paper.background, "paperWidth": paper.size.0 / 25.4,
            "paperHeight": paper.size.1 / 25.4, "scale": paper.scale, "transferMode": "ReturnAsBase64",
        });
        if let Some(pages) = &paper.pages {
            params["pageRanges"] = json!(pages);
        }
        let ticket = self.connection.send(Some(&session), "Page.printToPDF", params);
        let printed: Value = self.answer(ticket, PRINT_LIMIT).await.map_err(|problem| match problem.code {
            Code::Bug => Problem::new(Code::BadRequest, format!("the browser can't print it so: {}", problem.message))
                .hint("handeye pdf page.pdf"),
            _ => problem,
        })?;
        base64::engine::general_purpose::STANDARD
            .decode(printed["data"].as_str().unwrap_or_default())
            .map_err(|e| Problem::new(Code::Bug, format!("what was printed can't be read: {e}")))
    }

    /// Draws a frame over an element, by the browser's own inspector; nothing is put into the page.
    pub(crate) async fn draw_mark(&self, id: NativeId) -> Result<(), Problem> {
        self.check_dialog()?;
        let gone = || Problem::new(Code::Stale, "the element is gone").hint("handeye state");
        let known = self.shared.world().document(id.document()).map(|d| (d.session.clone(), d.context.clone()));
        let (session, context) = known.ok_or_else(gone)?;
        let params = json!({ "expression": format!("handeye.element({})", id.number()), "uniqueContextId": context });
        let ticket = self.connection.send(Some(&session), "Runtime.evaluate", params);
        let element = self.answer::<Evaluated>(ticket, CALL_LIMIT).await?.result.object_id.ok_or_else(gone)?;
        for method in ["DOM.enable", "Overlay.enable"] {
            self.call::<Value>(Some(&session), method, json!({}), CALL_LIMIT).await?;
        }
        let colour = |r: u8, g: u8, b: u8, a: f64| json!({ "r": r, "g": g, "b": b, "a": a });
        let config = json!({
            "showInfo": false, "contentColor": colour(255, 80, 0, 0.25), "paddingColor": colour(255, 80, 0, 0.25),
            "borderColor": colour(255, 80, 0, 0.9),
        });
        let params = json!({ "highlightConfig": config, "objectId": element });
        self.call::<Value>(Some(&session), "Overlay.highlightNode", params, CALL_LIMIT).await.map(drop)
    }

    /// Takes the marks away.
    pub(crate) async fn clear_marks(&self) -> Result<(), Problem> {
        self.tell_all(&[("Overlay.hideHighlight", json!({})), ("Overlay.disable", json!({}))]).await
    }
}
