//! Keeping passwords and declared secrets out of pictures and prints.

use crate::surface::{Browser, CALL_LIMIT, PageError};
use base64::Engine as _;
use handeye_scene::{Code, DocumentId, ImageFormat, Problem, Rect, Trees};
use serde_json::json;
use std::collections::HashMap;
use std::io::Cursor;

/// What is put over them.
const COVER: u8 = 0x60;
/// How much more than a box is covered, CSS pixels: borders, and rounding.
const MARGIN: f64 = 1.0;

impl Browser {
    /// Where what must not be seen is, in main viewport coordinates. A document that can't say so is a problem: nobody knows
    /// what it shows.
    pub(crate) async fn concealed(&self, passwords: bool) -> Result<Vec<Rect>, Problem> {
        // Closed shadow roots show as much as others; the script has to have them.
        let documents = self.shared.world().readable_documents();
        self.find_hidden(&documents).await?;
        let places = self.places(&HashMap::new()).await?;
        let mut out = self.unread_places().await?;
        let asked = [json!(self.secrets), json!(passwords)];
        let mut tickets = Vec::new();
        for (document, placed) in &places {
            match self.ask(*document, "concealed", &asked) {
                Ok(ticket) => tickets.push((placed.map, ticket)),
                Err(PageError::Gone) => {}
                Err(PageError::Problem(problem)) => return Err(problem),
            }
        }
        for (map, ticket) in tickets {
            let boxes: Vec<[f64; 4]> = match self.told(ticket, CALL_LIMIT).await {
                Ok(boxes) => boxes,
                Err(PageError::Gone) => continue,
                Err(PageError::Problem(problem)) => return Err(problem),
            };
            out.extend(boxes.iter().map(|[x, y, w, h]| map.rect(Rect::new(*x, *y, *w, *h))));
        }
        Ok(out)
    }

    /// Refuses what can't be covered, such as a print.
    pub(crate) async fn check_nothing_concealed(&self) -> Result<(), Problem> {
        if !self.unread_places().await?.is_empty() {
            let what = "the page shows a document that the policy bars, which can't be kept out of a print";
            return Err(Problem::new(Code::Denied, what).hint("handeye screenshot page.png"));
        }
        let kept_out = |what: &str| {
            let text = format!("the page shows {what}, which can't be kept out of a print");
            Err(Problem::new(Code::Denied, text).hint("handeye screenshot page.png"))
        };
        if !self.secrets.is_empty() && !self.concealed(false).await?.is_empty() {
            return kept_out("a declared secret");
        }
        let documents: Vec<DocumentId> = self.shared.world().readable_documents().into_iter().map(|(_, d)| d).collect();
        match self.revealed(&documents).await.0.is_empty() {
            true => Ok(()),
            false => kept_out("what a password field holds"),
        }
    }

    /// A covered picture in the format that was asked for.
    pub(crate) async fn recode(
        &self,
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
        let document = self.shared.world().main_document();
        let document = document
            .ok_or_else(|| Problem::new(Code::Timeout, "the page went away").hint("handeye screenshot page.png"))?;
        let args = [json!(base64.encode(png)), json!(kind), json!(quality)];
        let coded: String = self.page_now(document, "recoded", &args, CALL_LIMIT * 2).await?;
        base64.decode(coded).map_err(|e| Problem::new(Code::Bug, format!("the picture can't be read: {e}")))
    }
}

/// Characters from which a password is looked for within other texts: a shorter one may be a part of any word.
const TELLING: usize = 4;

impl Browser {
    /// What fields hold that were for passwords once and show it now; and the documents that don't say.
    pub(crate) async fn revealed(&self, documents: &[DocumentId]) -> (Vec<String>, Vec<DocumentId>) {
        let asked: Vec<_> = documents.iter().map(|d| (*d, self.ask(*d, "revealed", &[]))).collect();
        let (mut out, mut silent) = (Vec::new(), Vec::new());
        for (document, ticket) in asked {
            let told = match ticket {
                Ok(ticket) => self.told::<Vec<String>>(ticket, CALL_LIMIT).await,
                Err(error) => Err(error),
            };
            match told {
                Ok(texts) => out.extend(texts),
                Err(_) => silent.push(document),
            }
        }
        (out, silent)
    }
}

/// Masks passwords in what the browser's trees say.
pub(crate) fn mask(trees: &mut Trees, passwords: &[String]) {
    for node in trees.documents.iter_mut().flat_map(|document| &mut document.nodes) {
        for text in [Some(&mut node.name), node.value.as_mut()].into_iter().flatten() {
            for password in passwords {
                let long = password.chars().count() >= TELLING;
                if text == password || (long && text.contains(password.as_str())) {
                    *text = text.replace(password.as_str(), &"•".repeat(password.chars().count().min(8)));
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
