//! Keeping passwords, declared secrets and documents that must not be read out of pictures and prints.

use crate::capture::{closed_roots, placement};
use crate::cdp::link::{CALL_LIMIT, FRAME_LIMIT, Link};
use crate::cdp::page_call::{PageError, gone};
use base64::Engine as _;
use handeye_scene::{Code, DocumentId, ImageFormat, Problem, Rect, Trees};
use serde_json::json;
use std::collections::HashMap;
use std::io::Cursor;

/// What is shown for each character of a password, for so many of them at most.
const DOT: char = '•';
const DOTS: usize = 8;
/// What is put over them.
const COVER: u8 = 0x60;
/// How much more than a box is covered, CSS pixels: borders, and rounding.
const MARGIN: f64 = 1.0;

/// Where what must not be seen is, in main viewport coordinates. A document that can't say so is a problem: nobody knows
/// what it shows.
pub(crate) async fn concealed(link: &Link, secrets: &[String], passwords: bool) -> Result<Vec<Rect>, Problem> {
    // Closed shadow roots show as much as others; the script has to have them.
    let documents = link.model().readable_documents();
    closed_roots::find(link, &documents).await?;
    let places = placement::places(link, &HashMap::new()).await?;
    let mut out = unread_places(link).await?;
    let asked = [json!(secrets), json!(passwords)];
    let mut all_pending = Vec::new();
    for (document, placed) in &places {
        match link.send_to_page(*document, "concealed", &asked) {
            Ok(pending) => all_pending.push((placed.map, pending)),
            Err(PageError::Gone) => {}
            Err(PageError::Problem(problem)) => return Err(problem),
        }
    }
    for (map, pending) in all_pending {
        let boxes: Vec<[f64; 4]> = match link.page_reply(pending, CALL_LIMIT).await {
            Ok(boxes) => boxes,
            Err(PageError::Gone) => continue,
            Err(PageError::Problem(problem)) => return Err(problem),
        };
        out.extend(boxes.iter().map(|[x, y, w, h]| map.rect(Rect::new(*x, *y, *w, *h))));
    }
    Ok(out)
}

/// Where documents that must not be seen are, in main viewport coordinates.
async fn unread_places(link: &Link) -> Result<Vec<Rect>, Problem> {
    let unread: Vec<DocumentId> = {
        let model = link.model();
        let all = model.pages.active_documents().into_iter();
        all.filter(|(frame, _)| model.read_denied(frame).is_some()).map(|(_, document)| document).collect()
    };
    if unread.is_empty() {
        return Ok(Vec::new());
    }
    let places = placement::places(link, &HashMap::new()).await?;
    let mut out = Vec::new();
    for document in unread {
        // One that has no place isn't rendered.
        let Some(placed) = places.get(&document) else { continue };
        let Some(pending) = placement::ask_size(link, document) else { continue };
        let size = link.page_reply(pending, FRAME_LIMIT).await;
        let (width, height): (f64, f64) = size.map_err(gone)?;
        out.push(placed.map.rect(Rect::new(0.0, 0.0, width, height)));
    }
    Ok(out)
}

/// Refuses what can't be covered, such as a print.
pub(crate) async fn check_nothing_shown(link: &Link, secrets: &[String]) -> Result<(), Problem> {
    if !unread_places(link).await?.is_empty() {
        let what = "the page shows a document that the policy denies, which can't be kept out of a print";
        return Err(Problem::new(Code::Denied, what).hint("handeye screenshot page.png"));
    }
    let kept_out = |what: &str| {
        let text = format!("the page shows {what}, which can't be kept out of a print");
        Err(Problem::new(Code::Denied, text).hint("handeye screenshot page.png"))
    };
    if !secrets.is_empty() && !concealed(link, secrets, false).await?.is_empty() {
        return kept_out("a declared secret");
    }
    let documents: Vec<DocumentId> = link.model().readable_documents().into_iter().map(|(_, d)| d).collect();
    match revealed(link, &documents).await.0.is_empty() {
        true => Ok(()),
        false => kept_out("what a password field holds"),
    }
}

/// A covered picture in the format that was asked for.
pub(crate) async fn recode(
    link: &Link,
    png: Vec<u8>,
    format: ImageFormat,
    quality: Option<u8>,
) -> Result<Vec<u8>, Problem> {
    let kind = match format {
        ImageFormat::Png => return Ok(png),
        ImageFormat::Jpeg => "image/jpeg",
        ImageFormat::Webp => "image/webp",
    };
    let base64 = base64::engine::general_purpose::STANDARD;
    let document = link.model().pages.main_document();
    let document = document
        .ok_or_else(|| Problem::new(Code::Timeout, "the page went away").hint("handeye screenshot page.png"))?;
    let args = [json!(base64.encode(png)), json!(kind), json!(quality)];
    let coded: String = link.page_call_now(document, "recoded", &args, CALL_LIMIT * 2).await?;
    base64.decode(coded).map_err(|e| Problem::new(Code::Bug, format!("the picture can't be read: {e}")))
}

/// Characters from which a password is looked for within other texts: a shorter one may be a part of any word.
const TELLING: usize = 4;

/// What fields hold that were for passwords once and show it now; and the documents that don't say.
pub(crate) async fn revealed(link: &Link, documents: &[DocumentId]) -> (Vec<String>, Vec<DocumentId>) {
    let asked: Vec<_> = documents.iter().map(|d| (*d, link.send_to_page(*d, "revealed", &[]))).collect();
    let (mut out, mut silent) = (Vec::new(), Vec::new());
    for (document, pending) in asked {
        let told = match pending {
            Ok(pending) => link.page_reply::<Vec<String>>(pending, CALL_LIMIT).await,
            Err(error) => Err(error),
        };
        match told {
            Ok(texts) => out.extend(texts),
            Err(_) => silent.push(document),
        }
    }
    (out, silent)
}

/// Masks passwords in what the browser's trees say.
pub(crate) fn mask(trees: &mut Trees, passwords: &[String]) {
    for node in trees.documents.iter_mut().flat_map(|document| &mut document.nodes) {
        for text in [Some(&mut node.name), node.value.as_mut()].into_iter().flatten() {
            // The browser's own dots tell how long it is.
            if text.chars().count() > DOTS && text.chars().all(|c| c == DOT) {
                *text = DOT.to_string().repeat(DOTS);
            }
            for password in passwords {
                let long = password.chars().count() >= TELLING;
                if text == password || (long && text.contains(password.as_str())) {
                    *text =
                        text.replace(password.as_str(), &DOT.to_string().repeat(password.chars().count().min(DOTS)));
                }
            }
        }
    }
}

/// Covers `places` of a picture that shows `area`.
pub(crate) fn cover(png: &[u8], area: Rect, places: &[Rect]) -> Result<Vec<u8>, Problem> {
    covered(png, area, places).map_err(|e| Problem::new(Code::Bug, format!("passwords can't be covered: {e}")))
}

fn covered(png: &[u8], area: Rect, places: &[Rect]) -> Result<Vec<u8>, String> {
    let mut decoder = png::Decoder::new(Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("it is too large")?];
    let info = reader.next_frame(&mut pixels).map_err(|e| e.to_string())?;
    let (width, height) = (info.width as usize, info.height as usize);
    let samples = info.color_type.samples();
    let (across, down) = (width as f64 / area.width, height as f64 / area.height);
    for place in places {
        let columns = span(place.x - area.x, place.width, across, width);
        for row in span(place.y - area.y, place.height, down, height) {
            for column in columns.clone() {
                let at = (row * width + column) * samples;
                if let Some(pixel) = pixels.get_mut(at..at + samples) {
                    pixel.fill(COVER);
                    if matches!(samples, 2 | 4) {
                        pixel[samples - 1] = 0xff;
                    }
                }
            }
        }
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, info.width, info.height);
    encoder.set_color(info.color_type);
    encoder.set_depth(info.bit_depth);
    encoder.set_compression(png::Compression::Fast);
    encoder.write_header().and_then(|mut w| w.write_image_data(&pixels)).map_err(|e| e.to_string())?;
    Ok(out)
}

/// The pixels from `start` on, with the margin, within the picture.
fn span(start: f64, length: f64, scale: f64, most: usize) -> std::ops::Range<usize> {
    let pixel = |v: f64| v.clamp(0.0, most as f64) as usize;
    pixel(((start - MARGIN) * scale).floor())..pixel(((start + length + MARGIN) * scale).ceil())
}
