//! What the model is needed for: from a few picks of the first page to a rule that agrees with it on further pages, and the way
//! from page to page.

use crate::collect::asking::{Asking, Picked, Wanted, nothing, urls};
use crate::collect::fields::{self, Field};
use crate::collect::induce::{Known, induce};
use crate::collect::journal::Settled;
use crate::collect::paging::{self, Way};
use crate::collect::pick::Example;
use crate::collect::port::Stop;
use crate::collect::rule::{Page, Rule};
use crate::collect::site::{Opened, Site};
use crate::collect::walk::{Step, Walk};
use handeye_scene::collect::{RuleCheck, StoppedBy};
use handeye_scene::{Code, Problem};
use std::collections::{BTreeSet, HashSet};
use url::Url;

/// Pages that the rule is held to at most.
const CHECKED: usize = 3;

/// What was learnt, and the pages that were seen on the way.
pub struct Learnt {
    /// What is needed from here on.
    pub settled: Settled,
    /// The first pages, in order.
    pub pages: Vec<Page>,
    /// Whether there is no page after them.
    pub is_end: bool,
}

/// A page with what the model picks of it.
struct Seen {
    page: Page,
    picked: Vec<Example>,
    is_whole: bool,
    doubtful: BTreeSet<Url>,
}

impl Seen {
    fn new(page: Page, picked: Vec<Example>) -> Self {
        Self { page, picked, is_whole: false, doubtful: BTreeSet::new() }
    }
}

/// Learns from the first page on.
pub fn learn(site: &Site<'_>, asking: &mut Asking<'_>, first: Page, names: &[String]) -> Result<Learnt, Stop> {
    let picked = asking.pick(&first, 1, Wanted::Examples)?;
    if picked.good.is_empty() {
        site.check_barrier(&first)?;
        return Err(nothing(&picked));
    }
    let mut learner =
        Learner { site, names, seen: vec![Seen::new(first, picked.good)], checks: Vec::new(), warnings: Vec::new() };
    let rule = learner.induced()?;
    let found = learner.way(&rule, picked.next.as_deref())?;
    let is_end = match found {
        Some((way, second)) => return learner.check_along(asking, rule, way, second),
        None => true,
    };
    // A list of one page: the rule is held to that.
    let rule = learner.check(asking, rule, 0)?;
    let settled = learner.settled(rule, None, asking.calls);
    let page = learner.seen.swap_remove(0).page;
    Ok(Learnt { settled, pages: vec![page], is_end })
}

struct Learner<'a> {
    site: &'a Site<'a>,
    names: &'a [String],
    seen: Vec<Seen>,
    checks: Vec<RuleCheck>,
    warnings: Vec<String>,
}

impl Learner<'_> {
    /// The rule that all picks so far make.
    fn induced(&self) -> Result<Rule, Stop> {
        let known: Vec<Known<'_>> = self
            .seen
            .iter()
            .map(|seen| Known {
                page: &seen.page,
                items: seen.picked.iter().map(|example| example.link).collect(),
                is_whole: seen.is_whole,
                doubtful: seen.doubtful.clone(),
            })
            .collect();
        let none =
            || Stop::of(StoppedBy::Model, Problem::new(Code::NotFound, "no rule takes the items that were picked"));
        induce(&known).ok_or_else(none)
    }

    /// The way to the next page, and that page: the first that leads to items which the first page doesn't have.
    fn way(&mut self, rule: &Rule, named: Option<&str>) -> Result<Option<(Way, Page)>, Stop> {
        let first = &self.seen[0].page;
        let mut is_away = false;
        for way in paging::ways(first, rule, named) {
            let start = match is_away {
                true => self.back()?,
                false => self.seen[0].page.clone(),
            };
            let mut walk = Walk { is_trial: true, ..walk(self.site, rule, &way, &start) };
            match walk.next(&start) {
                Ok(Step::Page(page)) if is_other(rule, &self.seen[0].page, &page) => {
                    self.warnings.append(&mut walk.warnings);
                    return Ok(Some((way, page)));
                }
                Ok(_) => {}
                Err(stop) if matches!(stop.by, StoppedBy::Person | StoppedBy::Time | StoppedBy::Denied) => {
                    return Err(stop);
                }
                // What a site forbids, or what is no page, is no way; but one that is told of and fails is none to pass over.
                Err(stop) if matches!(stop.by, StoppedBy::Robots | StoppedBy::Empty | StoppedBy::Loop) => {}
                Err(stop) if matches!(way, Way::Next { .. } | Way::Numbers | Way::More { .. }) => return Err(stop),
                Err(_) => {}
            }
            is_away = true;
        }
        if is_away {
            self.back()?;
        }
        Ok(None)
    }

    /// The first page anew, after something led elsewhere.
    fn back(&self) -> Result<Page, Stop> {
        match self.site.open(&self.seen[0].page.url, None)? {
            Opened::Page(page) | Opened::Empty(page) => Ok(page),
            Opened::Gone(status) => {
                Err(Stop::new(StoppedBy::Failed, format!("the first page answers with HTTP {status} now")))
            }
        }
    }

    /// Holds the rule to the model's picks of the second page; where it differs, it is refined and held to the third.
    fn check_along(
        mut self,
        asking: &mut Asking<'_>,
        mut rule: Rule,
        mut way: Way,
        second: Page,
    ) -> Result<Learnt, Stop> {
        self.seen.push(Seen::new(second, Vec::new()));
        let mut is_end = false;
        loop {
            let at = self.seen.len() - 1;
            let before = rule.clone();
            rule = self.check(asking, rule, at)?;
            if rule == before || self.seen.len() > CHECKED || !asking.may_ask() || is_end {
                break;
            }
            // A rule that was refined is held to one page more.
            let mut walk = walk(self.site, &rule, &way, &self.seen[0].page);
            walk.visited.extend(self.seen.iter().map(|seen| seen.page.url.to_string()));
            let step = walk.next(&self.seen[at].page)?;
            self.warnings.append(&mut walk.warnings);
            match step {
                Step::Page(page) => self.seen.push(Seen::new(page, Vec::new())),
                Step::End(_) => is_end = true,
            }
        }
        self.steps(&rule, &mut way)?;
        let settled = self.settled(rule, Some(way), asking.calls);
        Ok(Learnt { settled, pages: self.seen.into_iter().map(|seen| seen.page).collect(), is_end })
    }

    /// A number of items in the address grows by as many as a page shows, which is known for sure only now.
    fn steps(&mut self, rule: &Rule, way: &mut Way) -> Result<(), Stop> {
        let Way::Parameter { step, .. } = way else { return Ok(()) };
        let shown = rule.items(&self.seen[0].page).len() as u64;
        if *step > 1 && *step > shown && shown > 0 {
            *step = shown;
            self.seen.truncate(1);
            let mut walk = walk(self.site, rule, way, &self.seen[0].page);
            if let Step::Page(page) = walk.next(&self.seen[0].page)? {
                self.seen.push(Seen::new(page, Vec::new()));
            }
        }
        Ok(())
    }

    /// Holds the rule to what the model picks of a page, and refines it where they differ.
    fn check(&mut self, asking: &mut Asking<'_>, rule: Rule, at: usize) -> Result<Rule, Stop> {
        let number = at as u32 + 1;
        let mut picked = Picked::default();
        for is_again in [false, true] {
            if !asking.may_ask() {
                break;
            }
            let answer = asking.pick(&self.seen[at].page, number, Wanted::All)?;
            if answer.good.is_empty() {
                break;
            }
            picked = answer;
            if picked.is_folded {
                break;
            }
            let (taken, given) = (taken(&rule, &self.seen[at].page), urls(&picked.good));
            if is_again || taken.keys().eq(given.iter()) {
                break;
            }
            // Once more, with what differs: it may have left items out.
            let too_many: Vec<String> =
                taken.iter().filter(|(url, _)| !given.contains(url)).map(|(_, title)| title.clone()).collect();
            let missing: Vec<String> =
                given.iter().filter(|url| !taken.contains_key(url)).map(Url::to_string).collect();
            asking.differs(&too_many, &missing);
        }
        if picked.good.is_empty() {
            self.warnings
                .push(format!("the rule was not held to page {number}: the model picks nothing there that holds"));
            return Ok(rule);
        }
        if picked.is_folded {
            // What isn't shown can't be picked: nothing can be told from what is missing.
            self.warnings
                .push(format!("page {number} is too long to be shown as a whole: the rule was not held to it"));
            self.seen[at].picked = picked.good;
            return self.induced();
        }
        if !picked.is_clean {
            self.warnings.push(format!("some of the model's picks of page {number} don't hold; the others count"));
        }
        let mut check = compare(number, &rule, &self.seen[at].page, &urls(&picked.good));
        // A few that don't hold leave the rest as it is.
        self.seen[at].is_whole = picked.is_clean || picked.doubtful.len() * 5 <= picked.good.len();
        self.seen[at].doubtful = picked.doubtful;
        self.seen[at].picked = picked.good;
        let mut refined = rule.clone();
        if check.both < check.taken.max(check.picked) {
            refined = self.induced()?;
            check.refined = refined != rule;
        }
        self.checks.push(check);
        if check.refined {
            let wanted = urls(&self.seen[at].picked);
            self.checks.push(compare(number, &refined, &self.seen[at].page, &wanted));
        }
        let last = self.checks.last().copied();
        if let Some(check) = last.filter(|check| check.both < check.taken.max(check.picked)) {
            self.warnings.push(format!(
                "no rule takes just what the model picks of page {number}: precision {:.0} %, recall {:.0} %",
                100.0 * check.precision,
                100.0 * check.recall
            ));
        }
        Ok(refined)
    }

    fn settled(&mut self, rule: Rule, way: Option<Way>, calls: u32) -> Settled {
        let fields = self.names.iter().filter(|name| *name != "title" || self.has(name));
        let fields: Vec<Field> = fields.filter_map(|name| self.field(&rule, name)).collect();
        for name in
            self.names.iter().filter(|name| *name != "title" && !fields.iter().any(|field| field.name == **name))
        {
            self.warnings.push(format!("where items show their {name} isn't known"));
        }
        let (checks, warnings) = (self.checks.clone(), std::mem::take(&mut self.warnings));
        Settled { rule, fields, way, checks, calls, warnings }
    }

    fn has(&self, name: &str) -> bool {
        self.seen.iter().flat_map(|seen| &seen.picked).any(|example| example.fields.contains_key(name))
    }

    fn field(&self, rule: &Rule, name: &str) -> Option<Field> {
        let mut values = Vec::new();
        for seen in &self.seen {
            let items = rule.items(&seen.page);
            for example in &seen.picked {
                let item = items.iter().find(|item| item.url == example.url).map(|item| item.item);
                if let (Some(item), Some(value)) = (item, example.fields.get(name)) {
                    values.push(fields::Value { tree: &seen.page.tree, item, value });
                }
            }
        }
        fields::induce(name, &values)
    }
}

fn walk<'a>(site: &'a Site<'a>, rule: &'a Rule, way: &'a Way, first: &Page) -> Walk<'a> {
    let visited = HashSet::from([first.url.to_string()]);
    Walk { site, rule, way, visited, first: first.url.clone(), warnings: Vec::new(), is_trial: false }
}

fn taken(rule: &Rule, page: &Page) -> std::collections::BTreeMap<Url, String> {
    rule.items(page).into_iter().map(|item| (item.url, item.title)).collect()
}

/// Whether a page shows items that the first doesn't.
fn is_other(rule: &Rule, first: &Page, page: &Page) -> bool {
    let known = taken(rule, first);
    taken(rule, page).keys().any(|url| !known.contains_key(url))
}

/// Rule and picks of a page, side by side.
fn compare(page: u32, rule: &Rule, at: &Page, picked: &BTreeSet<Url>) -> RuleCheck {
    let taken = taken(rule, at);
    let both = picked.iter().filter(|url| taken.contains_key(url)).count();
    let share = |of: usize| if of == 0 { 0.0 } else { both as f64 / of as f64 };
    RuleCheck {
        page,
        picked: picked.len() as u64,
        taken: taken.len() as u64,
        both: both as u64,
        precision: share(taken.len()),
        recall: share(picked.len()),
        refined: false,
    }
}

/// How sure a rule is, by its last check: each side is given one more, so that a few items alone make nothing certain.
pub fn confidence(checks: &[RuleCheck]) -> f64 {
    checks.last().map_or(0.5, |check| {
        let all = check.taken + check.picked - check.both;
        (check.both + 1) as f64 / (all + 2) as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_as_sure_as_it_agreed_on_many() {
        let check = |picked, taken, both| RuleCheck {
            page: 2,
            picked,
            taken,
            both,
            precision: 0.0,
            recall: 0.0,
            refined: false,
        };
        for (checks, wanted) in [
            (vec![], 0.5),
            (vec![check(18, 18, 18)], 0.95),
            (vec![check(10, 0, 0), check(3, 3, 3)], 0.8),
            (vec![check(10, 10, 2)], 0.15),
        ] {
            assert!((confidence(&checks) - wanted).abs() < 1e-9, "{checks:?}");
        }
    }
}
