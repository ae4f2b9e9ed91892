//! A description of a target that has no text: a model judges the target's picture where one is configured, else what the
//! caller said of such a case decides. The receipt says which.

use crate::Session;
use crate::core::nonce::nonce;
use crate::core::permission::permit_reading;
use handeye_engine::locate::described::{Answer, Description, judge};
use handeye_engine::{ActionRequest, AimedAt, Expectation, Locator};
use handeye_scene::{Code, Described, DescribedBy, ModelRole, NativeId, Problem, Receipt, Ref, Verdict};

/// How long a model may take, in seconds, where no limit is given.
const LONGEST: f64 = 120.0;

/// What is said of a target.
pub(crate) enum Settled {
    /// It is what is described, by what a model saw: to be acted on so.
    Shown(Box<ActionRequest>, Described),
    /// It isn't, or nobody can say and nothing may be done then.
    Refused(Box<Receipt>),
    /// Nobody can say, and it is to be acted on all the same.
    Unchecked(Described),
}

/// What a receipt refuses for want of a text: the description, and the target.
pub(crate) fn open(session: &Session, request: &ActionRequest, receipt: &Receipt) -> Option<(String, Ref, NativeId)> {
    let (Expectation::Text(text), AimedAt::Target(_)) = (&request.expectation, &request.aim) else { return None };
    let is_refused = receipt.action == request.action.verb() && receipt.verdict == Verdict::Unverifiable;
    let number = receipt.target.as_ref().filter(|_| is_refused)?.r#ref;
    let native = session.memory.refs.get(number)?.native;
    Some((text.clone(), number, native))
}

/// Settles what a receipt left open. `acts`: what is done where nobody can say.
pub(crate) async fn settle(
    session: &mut Session,
    request: &ActionRequest,
    (text, number, native): (String, Ref, NativeId),
    refused: Receipt,
    acts: bool,
) -> Settled {
    let said = look(session, native, &text).await;
    let asked = said.as_ref().ok().map(|(_, asked)| asked.clone());
    let described = |by, why| Described {
        text: text.clone(),
        by,
        model: asked.as_ref().map(|asked| asked.model.clone()),
        prompt: asked.as_ref().map(|asked| asked.prompt.clone()),
        why,
    };
    let why = match said {
        Ok((Answer::Yes, _)) => {
            // That very element, as it is: what was judged is what is pressed.
            let aim = AimedAt::Target(vec![Locator::Ref(number)]);
            let request = ActionRequest { aim, expectation: Expectation::LastShown, ..request.clone() };
            return Settled::Shown(Box::new(request), described(DescribedBy::Model, None));
        }
        Ok((Answer::No, Asked { model, .. })) => {
            let reason = format!(
                "not {}: it has no text, and its picture isn't {}, says {}",
                request.action.past(),
                handeye_engine::observe::outline::quote_own(&text, 80),
                handeye_engine::wording::shown::line(&model, 80)
            );
            let hints = vec!["handeye state --annotated".into()];
            let described = Some(described(DescribedBy::Model, None));
            let reason = Some(reason);
            let verdict = Verdict::Contradicted;
            return Settled::Refused(Box::new(Receipt { verdict, reason, described, hints, ..refused }));
        }
        Ok((Answer::Unsure, _)) => "the model can't tell from its picture".to_owned(),
        Err(problem) => problem.message,
    };
    let described = described(DescribedBy::Nothing, Some(why));
    if acts {
        return Settled::Unchecked(described);
    }
    let mut hints = refused.hints;
    hints.push("handeye models test judge".into());
    Settled::Refused(Box::new(Receipt { described: Some(described), hints, ..refused }))
}

/// Who was asked, and by which prompt.
#[derive(Clone)]
struct Asked {
    model: String,
    prompt: String,
}

/// What the model of the role judge says.
async fn look(session: &mut Session, native: NativeId, text: &str) -> Result<(Answer, Asked), Problem> {
    let (models, access) = session.models()?;
    let Ok(role) = access.config.of(ModelRole::Judge) else {
        return Err(Problem::new(Code::Unavailable, "no model is configured that could look at its picture"));
    };
    // What shows the page goes to a model: it must be one that may be read.
    permit_reading(session, "screenshot").await?;
    let (limit, longest, nonce) = (session.limit(LONGEST), access.config.image, nonce());
    let description = Description { of: native, text, nonce: &nonce, longest, limit };
    let (surface, _, clock) = session.parts()?;
    let answer = judge(surface, clock.as_ref(), (models.as_ref(), &access), description).await?;
    Ok((answer, Asked { model: role.model, prompt: description.version() }))
}
