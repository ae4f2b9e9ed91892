//! `handeye serve --verify-audit`: whether the chat's audit log is whole.

use crate::database::{open_to_read, problem};
use crate::print;
use handeye_chat::store::{Followed, Verified, verify_log};
use handeye_scene::{Code, Problem};
use serde_json::{Value, json};

/// Exit status where the log isn't intact.
const NOT_INTACT: u8 = 1;

/// What was found, as a value and in words, and whether all is well.
struct Told {
    value: Value,
    text: String,
    is_intact: bool,
}

/// Follows the log of a database that is only read. `expected`: a hash of an entry that was noted before.
pub(crate) fn verify(database: Option<&str>, expected: Option<&str>, is_json: bool) -> u8 {
    let told = crate::chat::runtime().and_then(|runtime| runtime.block_on(followed(database, expected)));
    match told {
        Ok(Told { value, text, is_intact }) => {
            let out = if is_json { format!("{value}\n") } else { text };
            print::out(&out).unwrap_or(if is_intact { 0 } else { NOT_INTACT })
        }
        Err(problem) => print::problem(&problem, is_json),
    }
}

async fn followed(database: Option<&str>, expected: Option<&str>) -> Result<Told, Problem> {
    if let Some(text) = expected.filter(|text| text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        let what = format!("--expect-audit {text}: it takes the 64 hexadecimal digits of a digest");
        return Err(Problem::new(Code::BadRequest, what).hint("handeye serve --verify-audit"));
    }
    let store = open_to_read(database).await?;
    let verified = verify_log(&store, expected).await.map_err(problem)?;
    store.close().await;
    if let Followed { entries, broken: Some(seq), .. } = verified.followed {
        let what = format!("the audit log was changed: entry {seq} doesn't follow from the {entries} before it");
        return Err(Problem::new(Code::File, what));
    }
    Ok(told(&verified, expected))
}

fn told(verified: &Verified, expected: Option<&str>) -> Told {
    let Followed { entries, last, .. } = &verified.followed;
    let why = amiss(verified, expected);
    let is_intact = verified.is_intact();
    let value = json!({"entries": entries, "last": last, "intact": is_intact, "amiss": why});
    let count = match entries {
        0 => "no entries".to_owned(),
        1 => format!("1 entry, with the digest {last}"),
        _ => format!("{entries} entries, the last with the digest {last}"),
    };
    let text = match is_intact {
        true => format!("the audit log is intact: {count}\n"),
        false => format!(
            "the audit log is NOT intact: {count}\n{}",
            why.iter().map(|why| format!("{why}\n")).collect::<String>()
        ),
    };
    Told { value, text, is_intact }
}

/// What is wrong, each in a sentence.
fn amiss(verified: &Verified, expected: Option<&str>) -> Vec<String> {
    let Verified { unnoted, unguarded, lacks_expected, .. } = verified;
    let mut why = Vec::new();
    if let Some(kept) = unnoted {
        why.push(format!("entries were deleted: the database holds {kept}, and each was noted when it was made"));
    }
    if !unguarded.is_empty() {
        let missing = unguarded.join(", ");
        why.push(format!("nothing refuses changes of the log any more: it lacks the trigger {missing}"));
    }
    if let Some(expected) = expected.filter(|_| *lacks_expected) {
        why.push(format!("no entry has the digest {expected}: the latest entries were cut off, or it is another log"));
    }
    why
}
