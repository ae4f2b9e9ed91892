//! The page on paper.

use super::redaction;
use crate::cdp::link::Link;
use base64::Engine as _;
use handeye_scene::{Code, Paper, Problem};
use serde_json::{Value, json};
use std::time::Duration;

/// How long printing may take.
const PRINT_LIMIT: Duration = Duration::from_secs(60);

pub(crate) async fn print(link: &Link, secrets: &[String], paper: &Paper) -> Result<Vec<u8>, Problem> {
    link.check_dialog()?;
    redaction::check_nothing_shown(link, secrets).await?;
    let session = link.session()?;
    let mut params = json!({
        "landscape": paper.landscape, "printBackground": paper.background, "paperWidth": paper.size.0 / 25.4,
        "paperHeight": paper.size.1 / 25.4, "scale": paper.scale, "transferMode": "ReturnAsBase64",
    });
    if let Some(pages) = &paper.pages {
        params["pageRanges"] = json!(pages);
    }
    let pending = link.connection.send(Some(&session), "Page.printToPDF", params);
    let printed: Value = link.answer(pending, PRINT_LIMIT).await.map_err(|problem| match problem.code {
        Code::Bug => Problem::new(Code::BadRequest, format!("the browser can't print it so: {}", problem.message))
            .hint("handeye pdf page.pdf"),
        _ => problem,
    })?;
    base64::engine::general_purpose::STANDARD
        .decode(printed["data"].as_str().unwrap_or_default())
        .map_err(|e| Problem::new(Code::Bug, format!("what was printed can't be read: {e}")))
}
