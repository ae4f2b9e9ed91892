//! Screenshots.

use super::redaction;
use crate::cdp::link::Link;
use crate::cdp::page_call::gone;
use crate::protocol::{LayoutMetrics, Screenshot};
use base64::Engine;
use handeye_scene::{Code, ImageFormat, Notice, Problem, Rect, Shot, ShotArea};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// How long a picture may take.
const SHOT_LIMIT: Duration = Duration::from_secs(20);
/// Pages longer or wider than this are pictured up to it, CSS pixels: Chromium's own limit on textures.
const LARGEST_SIDE: f64 = 16_384.0;
/// Most pixels on a side of what WebP can hold.
const WEBP_SIDE: f64 = 16_383.0;

/// The longest side that a picture may show, CSS pixels.
fn largest(format: ImageFormat, scale: f64) -> f64 {
    match format {
        ImageFormat::Webp => LARGEST_SIDE.min((WEBP_SIDE / scale).floor()),
        ImageFormat::Png | ImageFormat::Jpeg => LARGEST_SIDE,
    }
}

fn too_large(shown: Rect) -> Problem {
    let what = format!("{}×{} CSS pixels are more than a picture of this format holds here", shown.width, shown.height);
    Problem::new(Code::Unsupported, what).hint("handeye screenshot page.png")
}

#[derive(Debug, Deserialize)]
struct View {
    x: f64,
    y: f64,
    w: f64,
    h: f64,
    scale: f64,
}

pub(crate) async fn shoot(
    link: &Link,
    secrets: &[String],
    area: ShotArea,
    format: ImageFormat,
    quality: Option<u8>,
) -> Result<Shot, Problem> {
    link.check_dialog()?;
    let session = link.session()?;
    let view = view(link, &session).await?;
    let (shown, beyond) = match area {
        ShotArea::Viewport => (Rect::new(0.0, 0.0, view.w, view.h), false),
        ShotArea::Clip(rect) => (rect, true),
        ShotArea::FullPage => {
            let metrics: LayoutMetrics =
                link.call(Some(&session), "Page.getLayoutMetrics", json!({}), SHOT_LIMIT).await?;
            let size = metrics.css_content_size;
            let most = largest(format, view.scale);
            let (width, height) = (size.width.min(most), size.height.min(most));
            if width < size.width || height < size.height {
                let text = format!(
                    "the page is larger than a picture may be: {}×{}, of which {width}×{height} are shown",
                    size.width, size.height
                );
                link.model().reports.notices.push(Notice::new("cut", text));
            }
            (Rect::new(0.0 - view.x, 0.0 - view.y, width, height), true)
        }
    };
    if shown.width < 1.0 || shown.height < 1.0 {
        return Err(Problem::new(Code::Blocked, "there is nothing to picture: it has no size")
            .hint("handeye screenshot page.png"));
    }
    if format == ImageFormat::Webp && shown.width.max(shown.height) > largest(format, view.scale) {
        return Err(too_large(shown));
    }
    let mut hidden = redaction::concealed(link, secrets, true).await?;
    // A picture with something to cover is taken without loss, covered, and only then made what was asked for.
    let taken = if hidden.is_empty() { format } else { ImageFormat::Png };
    let kind = match taken {
        ImageFormat::Png => "png",
        ImageFormat::Jpeg => "jpeg",
        ImageFormat::Webp => "webp",
    };
    let mut params = json!({ "format": kind, "captureBeyondViewport": beyond, "optimizeForSpeed": false });
    if beyond {
        // The clip is in page coordinates.
        params["clip"] = json!({
            "x": shown.x + view.x, "y": shown.y + view.y, "width": shown.width, "height": shown.height, "scale": 1,
        });
    }
    if let Some(quality) = quality.filter(|_| taken != ImageFormat::Png) {
        params["quality"] = json!(quality);
    }
    let pending = link.connection.send(Some(&session), "Page.captureScreenshot", params);
    let shot: Screenshot = link.answer(pending, SHOT_LIMIT).await?;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(shot.data)
        .map_err(|e| Problem::new(Code::Bug, format!("the browser's picture can't be read: {e}")))?;
    // What moved or came meanwhile is covered where it is now as well.
    hidden.extend(redaction::concealed(link, secrets, true).await?);
    let bytes = match (hidden.is_empty(), taken) {
        (true, _) => bytes,
        (false, ImageFormat::Png) => {
            let covered = redaction::cover(&bytes, shown, &hidden)?;
            redaction::recode(link, covered, format, quality).await?
        }
        (false, _) => {
            return Err(Problem::new(Code::Blocked, "a password field came up while the picture was taken")
                .hint("handeye screenshot page.png"));
        }
    };
    if bytes.is_empty() {
        return Err(too_large(shown));
    }
    Ok(Shot { bytes, scale: view.scale, area: shown })
}

async fn view(link: &Link, session: &str) -> Result<View, Problem> {
    let expression = "({ x: scrollX, y: scrollY, w: innerWidth, h: innerHeight, scale: devicePixelRatio })";
    let context = {
        let model = link.model();
        model.pages.main_document().and_then(|d| model.pages.document(d)).map(|d| d.context.clone())
    };
    let mut params = json!({ "expression": expression, "returnByValue": true });
    if let Some(context) = context {
        params["uniqueContextId"] = json!(context);
    }
    let pending = link.connection.send(Some(session), "Runtime.evaluate", params);
    link.page_reply(pending, SHOT_LIMIT).await.map_err(gone)
}
