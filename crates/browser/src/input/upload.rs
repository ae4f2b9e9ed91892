//! Giving files to a file input.

use super::guard::{spec, ward};
use super::hand::{delivered, withheld};
use super::mode::Mode;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::protocol::Evaluated;
use crate::protocol::json::parse;
use handeye_scene::{Code, Delivery, Guard, Problem};
use serde_json::{Value, json};
use std::path::Path;

pub(super) async fn upload(link: &Link, guard: &Guard, paths: &[String]) -> Result<Delivery, Problem> {
    for path in paths {
        if !Path::new(path).is_file() {
            return Err(Problem::new(Code::File, format!("there is no file {path}")));
        }
    }
    let Some(target) = guard.target else {
        return Err(Problem::new(Code::Unsupported, "an upload needs a target"));
    };
    let Some((session, context)) =
        link.model().pages.document(target.document()).map(|d| (d.session.clone(), d.context.clone()))
    else {
        return Ok(withheld("detached", None));
    };
    // The check gives the element out itself: nothing can come between the two.
    let mut spec = spec(guard, Some(target.number()), Mode::Keyboard);
    spec["ward"] = ward(link, target.document(), Mode::Keyboard);
    let params = json!({ "expression": format!("handeye.checkedElement({spec})"), "uniqueContextId": context });
    let evaluated: Evaluated =
        link.answer(link.connection.send(Some(&session), "Runtime.evaluate", params), CALL_LIMIT).await?;
    let Some(object) = evaluated.result.object_id else {
        let reason = evaluated.result.value.and_then(|v| parse::<String>(v.get()).ok());
        return Ok(withheld(reason.as_deref().unwrap_or("detached"), None));
    };
    let params = json!({ "files": paths, "objectId": object });
    match link.answer::<Value>(link.connection.send(Some(&session), "DOM.setFileInputFiles", params), CALL_LIMIT).await
    {
        Ok(_) => Ok(delivered()),
        Err(problem) if problem.code == Code::Bug => Ok(withheld("refused", Some(problem.message))),
        Err(problem) => Err(problem),
    }
}
