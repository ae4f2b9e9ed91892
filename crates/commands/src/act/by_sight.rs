//! Reading back what was typed where nothing but pixels says what is there.

use crate::Session;
use crate::core::acting::was_done;
use crate::look::perceive::{PerceiveArgs, perceive};
use handeye_engine::Action;
use handeye_engine::perceive::reading::{Reading, read};
use handeye_scene::{Evidence, Problem, Receipt, Rect, Source, Verdict, Want};

/// The target's place, if text was typed there, and no element says what it holds.
pub(super) fn place(receipt: &Receipt) -> Option<Rect> {
    let target = receipt.target.as_ref()?;
    let was_typed = was_done(receipt, &Action::Input(String::new()))
        && receipt.verdict == Verdict::Unverifiable
        && receipt.reason.is_some();
    (was_typed && target.source != Source::Native && target.native.is_none()).then_some(target.rect)
}

/// Reads what the place shows now: the receipt says whether that is the text.
pub(super) async fn read_back(session: &mut Session, receipt: &mut Receipt, (text, rect): (&str, Rect)) {
    let seen = match look(session, rect).await {
        Ok(seen) => seen,
        Err(problem) => {
            receipt.reason = Some(format!("typed there; it couldn't be read back: {}", problem.message));
            receipt.hints.extend(problem.hints);
            return;
        }
    };
    match read(text, &seen) {
        Reading::Same => {
            receipt.evidence.push(Evidence::Value { value: seen });
            (receipt.verdict, receipt.reason) = (Verdict::Confirmed, None);
        }
        Reading::Other => {
            let seen = handeye_engine::observe::outline::quote(&seen, 100);
            receipt.reason = Some(format!("typed there; its pixels read as {seen}"));
        }
        Reading::Nothing => receipt.reason = Some("typed there; its pixels show no text".into()),
    }
}

/// The text that is read at a place.
async fn look(session: &mut Session, rect: Rect) -> Result<String, Problem> {
    let want = Want::default();
    let capture = session.surface()?.capture(want).await?;
    let by_text = PerceiveArgs { ocr: true, ..PerceiveArgs::default() };
    let perceived = perceive(session, by_text, (want, capture), true).await?;
    if let Some(notice) = perceived.capture.notices.iter().find(|notice| notice.kind == "perceiver") {
        return Err(Problem::new(handeye_scene::Code::Unavailable, notice.text.clone()).hint("handeye models install"));
    }
    Ok(handeye_engine::perceive::reading::shown_in(rect, &perceived.claims))
}
