//! Choosing options of a list by the accessible selection.

use crate::linux::atspi::bus::Unanswered;
use crate::linux::capture::probe;
use crate::linux::desktop::Desktop;
use crate::linux::input::deliveries::{by, withheld};
use crate::linux::input::ready::Ready;
use crate::roles::COMBO_BOX;
use handeye_scene::{Delivery, OptionItem, Problem, State};
use std::time::{Duration, Instant};

/// How long a list may take to show what was chosen: some do a turn of theirs later.
const SHOWS: Duration = Duration::from_millis(300);
/// How often that is looked for.
const LOOK: Duration = Duration::from_millis(40);

/// Options of a list, each with its number among the children.
type Options = Vec<(usize, OptionItem)>;

/// An option that is to be chosen.
#[derive(Debug, Clone, PartialEq)]
struct Wanted {
    at: usize,
    label: String,
}

/// Chooses options; all others are left unchosen. Not every list says whether it takes several (GTK 3's doesn't): what is
/// chosen then tells, and what was before is chosen again where they aren't.
pub(crate) async fn choose_options(
    desktop: &mut Desktop,
    ready: &Ready,
    asked: &[String],
) -> Result<Delivery, Problem> {
    let drops_down = ready.role == COMBO_BOX;
    let takes_one = ready.tree.quirks.tells_several && !ready.probe.states.has(State::Multiple);
    if asked.len() > 1 && (drops_down || takes_one) {
        return Ok(withheld("refused", false, Some("it takes one option".into())));
    }
    let before = probe::options(&desktop.bus, &ready.place).await;
    let mut wanted: Vec<Wanted> = Vec::new();
    for asked in asked {
        match called(&before, asked) {
            Ok(option) if wanted.contains(&option) => {}
            Ok(option) => wanted.push(option),
            Err(why) => return Ok(withheld("refused", false, Some(why))),
        }
    }
    if drops_down {
        let places: Vec<usize> = wanted.iter().map(|w| w.at).collect();
        let refused = select_each(desktop, ready, "SelectChild", &places).await?;
        return Ok(refused.map_or_else(|| by("the accessible selection"), |done| cannot_be_set(done > 0)));
    }
    choose_in_list(desktop, ready, &before, &wanted).await
}

async fn choose_in_list(
    desktop: &Desktop,
    ready: &Ready,
    before: &Options,
    wanted: &[Wanted],
) -> Result<Delivery, Problem> {
    let places: Vec<usize> = missing(before, wanted).iter().map(|w| w.at).collect();
    if let Some(done) = select_each(desktop, ready, "SelectChild", &places).await? {
        return Ok(cannot_be_set(done > 0 && !choose_again(desktop, ready, before).await?));
    }
    let now = shows(desktop, ready, |now| missing(now, wanted).is_empty()).await;
    match missing(&now, wanted)[..] {
        [] => {}
        // What comes of a single one is seen by whoever asked for it.
        _ if wanted.len() == 1 => return Ok(by("the accessible selection")),
        [lost, ..] => {
            let why = format!("it doesn't take {:?} with the others", lost.label);
            return Ok(withheld("refused", !choose_again(desktop, ready, before).await?, Some(why)));
        }
    }
    if let Some(done) = select_each(desktop, ready, "DeselectChild", &superfluous(&now, wanted)).await? {
        // A list of one choice gives up the former one by itself, maybe a turn later.
        let now = shows(desktop, ready, |now| superfluous(now, wanted).is_empty()).await;
        if !superfluous(&now, wanted).is_empty() {
            return Ok(cannot_be_set(done > 0 || !places.is_empty()));
        }
    }
    Ok(by("the accessible selection"))
}

/// Chooses what was chosen before, and nothing else; whether that is so then.
async fn choose_again(desktop: &Desktop, ready: &Ready, before: &Options) -> Result<bool, Problem> {
    let former: Vec<Wanted> = before.iter().filter(|(_, option)| option.selected).map(Wanted::of).collect();
    let now = probe::options(&desktop.bus, &ready.place).await;
    let places: Vec<usize> = missing(&now, &former).iter().map(|w| w.at).collect();
    select_each(desktop, ready, "SelectChild", &places).await?;
    let now = shows(desktop, ready, |now| missing(now, &former).is_empty()).await;
    select_each(desktop, ready, "DeselectChild", &superfluous(&now, &former)).await?;
    let is_former = |now: &Options| missing(now, &former).is_empty() && superfluous(now, &former).is_empty();
    Ok(is_former(&shows(desktop, ready, is_former).await))
}

/// Does the same to each of these children of a list; how many it was done to where one refused.
async fn select_each(
    desktop: &Desktop,
    ready: &Ready,
    what: &str,
    children: &[usize],
) -> Result<Option<usize>, Problem> {
    for (done, at) in children.iter().enumerate() {
        let number = i32::try_from(*at).unwrap_or_default();
        match desktop.bus.ask::<_, bool>(&ready.place, "org.a11y.atspi.Selection", what, &(number,)).await {
            Ok(true) => {}
            Err(Unanswered::Late) => return Err(desktop.unanswered(Unanswered::Late, ready.tree.pid)),
            _ => return Ok(Some(done)),
        }
    }
    Ok(None)
}

/// The options as soon as something holds of them, or as they are when that takes too long.
async fn shows(desktop: &Desktop, ready: &Ready, holds: impl Fn(&Options) -> bool) -> Options {
    let deadline = Instant::now() + SHOWS;
    loop {
        let now = probe::options(&desktop.bus, &ready.place).await;
        if holds(&now) || Instant::now() >= deadline {
            return now;
        }
        tokio::time::sleep(LOOK).await;
    }
}

impl Wanted {
    fn of((at, option): &(usize, OptionItem)) -> Self {
        Self { at: *at, label: option.label.clone() }
    }

    /// Whether an option is this one: by its label, and by its place where others may be called the same.
    fn is(&self, (at, option): &(usize, OptionItem), all: &Options) -> bool {
        let stands = || all.iter().any(|(other, there)| *other == self.at && there.label == self.label);
        option.label == self.label && (*at == self.at || !stands())
    }
}

fn cannot_be_set(partial: bool) -> Delivery {
    withheld("refused", partial, Some("its selection can't be set: open it, and click the option".into()))
}

/// The option that is called so: its number is one among the children, not among the options, since a line between them counts,
/// too.
fn called(options: &Options, wanted: &str) -> Result<Wanted, String> {
    let index = wanted.strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
    let fold = |t: &str| t.trim().to_lowercase();
    let found =
        index.and_then(|i| options.get(i)).or_else(|| options.iter().find(|o| fold(&o.1.label) == fold(wanted)));
    match found {
        Some((_, option)) if option.disabled => Err(format!("its option {:?} is disabled", option.label)),
        Some(found) => Ok(Wanted::of(found)),
        None => {
            let labels: Vec<&str> = options.iter().take(12).map(|o| o.1.label.as_str()).collect();
            Err(format!("it has no option {wanted:?}; it has {labels:?}"))
        }
    }
}

/// Which of those that are to be chosen aren't.
fn missing<'a>(options: &Options, wanted: &'a [Wanted]) -> Vec<&'a Wanted> {
    wanted.iter().filter(|w| !options.iter().any(|o| o.1.selected && w.is(o, options))).collect()
}

/// Where the options stand that are chosen besides those that are to be.
fn superfluous(options: &Options, wanted: &[Wanted]) -> Vec<usize> {
    let is_wanted = |o: &(usize, OptionItem)| wanted.iter().any(|w| w.is(o, options));
    options.iter().filter(|o| o.1.selected && !is_wanted(o)).map(|(at, _)| *at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(label: &str, selected: bool, disabled: bool) -> OptionItem {
        OptionItem { index: 0, value: label.into(), label: label.into(), selected, disabled }
    }

    fn options() -> Options {
        // The second child is a line.
        vec![(0, one("One", true, false)), (2, one("Two", false, false)), (3, one("Three", true, true))]
    }

    fn wanted(at: usize, label: &str) -> Wanted {
        Wanted { at, label: label.into() }
    }

    #[test]
    fn options_are_called_by_label_or_place() {
        let all = options();
        let at = |asked: &str| called(&all, asked).map(|w| w.at);
        assert_eq!([at("two"), at("#1"), at(" ONE ")], [Ok(2), Ok(2), Ok(0)]);
        assert_eq!(at("Three"), Err("its option \"Three\" is disabled".into()));
        let lacks = "it has no option \"#9\"; it has [\"One\", \"Two\", \"Three\"]";
        assert_eq!(at("#9"), Err(lacks.into()));
    }

    #[test]
    fn what_is_chosen_besides_is_given_up() {
        assert_eq!(superfluous(&options(), &[wanted(2, "Two"), wanted(0, "One")]), [3]);
        assert_eq!(superfluous(&options(), &[wanted(0, "One"), wanted(3, "Three")]), Vec::<usize>::new());
        assert_eq!(missing(&options(), &[wanted(0, "One"), wanted(2, "Two")]), [&wanted(2, "Two")]);
    }

    #[test]
    fn options_that_move_are_the_same_and_those_called_alike_are_not() {
        // Another child came before them meanwhile.
        let moved: Options = options().into_iter().map(|(at, option)| (at + 1, option)).collect();
        assert_eq!(missing(&moved, &[wanted(0, "One")]), Vec::<&Wanted>::new());
        assert_eq!(superfluous(&moved, &[wanted(0, "One")]), [4]);
        let alike = vec![(0, one("Same", true, false)), (1, one("Same", false, false))];
        assert_eq!(missing(&alike, &[wanted(1, "Same")]), [&wanted(1, "Same")]);
        assert_eq!(superfluous(&alike, &[wanted(1, "Same")]), [0]);
    }
}
