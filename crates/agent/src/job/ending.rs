//! How a task ends: what was proven is held to what was done since, and what can still be seen is looked at again.

use crate::evidence::{self, Again, Look};
use crate::finish::{self, Ending};
use crate::job::{End, Given, Job, fenced_lines};
use crate::ledger;
use crate::own::Finish;
use handeye_commands::ReturnState;
use handeye_engine::wording::shown;
use handeye_scene::task::{Outcome, Proof};

/// Characters of a proof in a line.
const PROOF: usize = 200;

impl Job<'_> {
    pub(super) fn finish(&mut self, finish: Finish) -> Given {
        ledger::recheck(&mut self.ledger, &self.steps);
        self.look_again();
        match finish::decide(&finish, self.validator.as_ref(), &self.ledger, self.ends.given_back) {
            Ending::Back(why) => {
                self.ends.given_back += 1;
                Given::back(format!("this can't be the end yet: {why}"))
            }
            Ending::End(outcome, reason) => {
                if outcome == Outcome::Done
                    && let Some(given) = self.hand_back_old().or_else(|| self.look_back())
                {
                    return given;
                }
                let end = End { outcome, reason, answer: finish.answer };
                Given { end: Some(end), ..Given::ok(outcome.word()) }
            }
        }
    }

    /// Looks again at what was seen on this page before something was done there, and takes back what isn't so any more.
    fn look_again(&mut self) {
        let proofs = self.ledger.constraints.iter().flat_map(|constraint| &constraint.evidence);
        let old = proofs.filter_map(|proof| match evidence::again(proof, &self.steps, &self.page)? {
            Again::Look(look) => Some((proof.clone(), look)),
            Again::Elsewhere => None,
        });
        let old: Vec<(Proof, Look)> = old.collect();
        let is_gone = |(proof, look): (Proof, Look)| {
            let shown = self.see(&look).and_then(|seen| evidence::shows(&seen, &proof.text));
            shown.err().map(|_| proof)
        };
        let gone: Vec<Proof> = old.into_iter().filter_map(is_gone).collect();
        ledger::take_back(&mut self.ledger, &gone);
    }

    /// What was seen on another page than the one that is open, before something was done: nobody can say whether it is still so. That
    /// is told once of each constraint that nothing else proves.
    fn hand_back_old(&mut self) -> Option<Given> {
        let is_old = |proof: &Proof| evidence::again(proof, &self.steps, &self.page) == Some(Again::Elsewhere);
        let constraints =
            self.ledger.constraints.iter().filter(|constraint| !self.ends.told_old.contains(&constraint.id));
        let old: Vec<(u32, String)> = constraints
            .filter(|constraint| constraint.evidence.iter().all(is_old))
            .flat_map(|constraint| constraint.evidence.first().map(|proof| (constraint.id, line(constraint.id, proof))))
            .collect();
        self.ends.told_old.extend(old.iter().map(|(id, _)| *id));
        let lines: Vec<String> = old.into_iter().map(|(_, line)| line).collect();
        let body = (!lines.is_empty()).then(|| fenced_lines(&self.page, &lines))?;
        let head = "this was seen before something else was done, on a page that isn't open any more; prove it again where it can be \
            seen, or finish again if it is still so:";
        Some(Given { body: Some(body), ..Given::back(head) })
    }

    /// A last look before the end: what came up since the one before is told, once.
    fn look_back(&mut self) -> Option<Given> {
        if std::mem::replace(&mut self.ends.has_looked_back, true) {
            return None;
        }
        let (name, args) = Look::Address.command()?;
        let response = self.run(name, args, Some(ReturnState::Change)).ok()?;
        let fresh = self.note_meanwhile(&response);
        let body = (!fresh.is_empty()).then(|| fenced_lines(&self.page, &fresh))?;
        let head = "this came up since your last look; finish again if it changes nothing:";
        Some(Given { body: Some(body), ..Given::back(head) })
    }
}

fn line(constraint: u32, proof: &Proof) -> String {
    format!("constraint {constraint}: {} on {}", shown::quote(&proof.text, PROOF), shown::address(&proof.page))
}
