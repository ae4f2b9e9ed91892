//! What came of many trials.

use super::Trial;
use handeye_scene::Verdict;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Sums over trials, with examples of what went wrong.
#[derive(Debug, Default)]
pub struct Figures {
    /// How many there were.
    pub trials: usize,
    /// Targets that the look didn't list.
    pub unlisted: usize,
    /// Clicks that were done.
    pub delivered: usize,
    /// Of which so many were confirmed.
    pub confirmed: usize,
    /// Clicks, or what comes of one, that a target received which was no longer what was meant.
    pub wrong: usize,
    /// Presses of that kind.
    pub wrong_presses: usize,
    /// What is still meant, and was not done.
    pub false_refusals: usize,
    /// Clicked, though it was said to be withheld.
    pub denied: usize,
    /// Said to be done, though it wasn't, or was done to something else than meant.
    pub claimed: usize,
    /// Of those that nothing happened to: how many there were, and how many were confirmed.
    pub undisturbed: (usize, usize),
    /// By the way in which a change came: how many there were, clicks that arrived, wrong ones.
    pub classes: BTreeMap<String, (usize, usize, usize)>,
    /// What went wrong.
    faults: Faults,
}

/// What went wrong.
#[derive(Debug, Default)]
struct Faults {
    /// How often, by what, kind and change.
    counts: BTreeMap<String, usize>,
    /// A few of them.
    examples: Vec<String>,
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { trials, delivered, confirmed, wrong, wrong_presses, false_refusals, denied, claimed, .. } = self;
        write!(
            f,
            "{trials} trials: {delivered} delivered, {confirmed} of them confirmed; {wrong} wrong clicks, {wrong_presses} \
             wrong presses, {false_refusals} false refusals, {denied} clicked but called withheld, {claimed} called done but \
             not, {} not listed; of {} undisturbed {} confirmed",
            self.unlisted, self.undisturbed.0, self.undisturbed.1
        )
    }
}

impl Figures {
    /// Adds what came of a trial.
    pub fn judge(&mut self, trial: &Trial) {
        self.trials += 1;
        let Some(outcome) = &trial.outcome else {
            self.unlisted += 1;
            return self.fault("not listed", trial);
        };
        let allowed = trial.case.allowed();
        let of =
            |kinds: &[&str]| trial.log.iter().filter(|e| kinds.iter().any(|k| e["type"] == *k)).collect::<Vec<_>>();
        let amiss = |e: &&&Value| !allowed && e["changed"] == true;
        let clicks = of(&["click", "effect"]);
        let wrong = clicks.iter().filter(amiss).count();
        let presses = of(&["pointerdown", "mousedown", "pointerup", "mouseup"]).iter().filter(amiss).count();
        // What was not done is named by its verb, what was done in the past tense.
        let done = outcome.as_ref().is_ok_and(|r| r.action != "click" && r.action != "select");
        let confirmed = outcome.as_ref().is_ok_and(|r| done && r.verdict == Verdict::Confirmed);
        let vouched = outcome.as_ref().is_ok_and(|r| matches!(r.verdict, Verdict::Confirmed | Verdict::NoEffect));
        self.delivered += usize::from(!clicks.is_empty());
        self.confirmed += usize::from(confirmed);
        if trial.case.moment == "never" {
            self.undisturbed.0 += 1;
            self.undisturbed.1 += usize::from(confirmed);
        }
        let class = self.classes.entry(trial.case.class()).or_default();
        *class = (class.0 + 1, class.1 + usize::from(!clicks.is_empty()), class.2 + usize::from(wrong > 0));
        // An event that the page keeps from its target was delivered all the same.
        let unheard = clicks.is_empty() && trial.case.how != "stop";
        let faults = [
            ("wrong click", wrong > 0),
            ("wrong press", presses > 0),
            ("false refusal", trial.case.must_arrive() && clicks.is_empty()),
            ("denied", !clicks.is_empty() && !done),
            ("unconfirmed", trial.case.moment == "never" && !confirmed),
            ("claimed", vouched && (unheard || wrong > 0)),
        ];
        self.wrong += usize::from(faults[0].1);
        self.wrong_presses += usize::from(faults[1].1);
        self.false_refusals += usize::from(faults[2].1);
        self.denied += usize::from(faults[3].1);
        self.claimed += usize::from(faults[5].1);
        for (what, is) in faults {
            if is {
                self.fault(what, trial);
            }
        }
    }

    fn fault(&mut self, what: &str, trial: &Trial) {
        let case = &trial.case;
        for part in [case.kind_id(), case.change_id(), case.moment, case.place] {
            *self.faults.counts.entry(format!("{what}: {part}")).or_default() += 1;
        }
        if self.faults.examples.len() < 40 {
            let outcome = match &trial.outcome {
                Some(Ok(r)) => format!("{} {:?} {}", r.action, r.verdict, r.reason.clone().unwrap_or_default()),
                Some(Err(p)) => p.to_string(),
                None => String::new(),
            };
            self.faults.examples.push(format!(
                "{what}: {} / {} / {} in {} {} / {}: {outcome}; {}",
                case.kind_id(),
                case.change_id(),
                case.moment,
                case.place,
                case.how,
                trial.via,
                json!(trial.log)
            ));
        }
    }

    /// Adds another sum.
    pub fn add(&mut self, other: Figures) {
        self.trials += other.trials;
        self.unlisted += other.unlisted;
        self.delivered += other.delivered;
        self.confirmed += other.confirmed;
        self.wrong += other.wrong;
        self.wrong_presses += other.wrong_presses;
        self.false_refusals += other.false_refusals;
        self.denied += other.denied;
        self.claimed += other.claimed;
        self.undisturbed.0 += other.undisturbed.0;
        self.undisturbed.1 += other.undisturbed.1;
        for (fault, count) in other.faults.counts {
            *self.faults.counts.entry(fault).or_default() += count;
        }
        for (class, (trials, delivered, wrong)) in other.classes {
            let sum = self.classes.entry(class).or_default();
            *sum = (sum.0 + trials, sum.1 + delivered, sum.2 + wrong);
        }
        self.faults.examples.extend(other.faults.examples);
    }

    /// All of it, for a person.
    pub fn report(&self) -> String {
        let faults: Vec<String> = self.faults.counts.iter().map(|(fault, count)| format!("{fault} {count}")).collect();
        format!("{self}\n  {}\n{}", faults.join(", "), self.faults.examples.join("\n"))
    }

    /// What came of each way in which a change may come.
    pub fn by_class(&self) -> String {
        let line = |(class, (trials, delivered, wrong)): (&String, &(usize, usize, usize))| {
            format!("  {class}: {delivered} of {trials} clicked, {wrong} wrong")
        };
        self.classes.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
