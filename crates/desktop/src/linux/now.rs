//! A target right before an event, while the server still serves its app.

use super::bus::{ACCESSIBLE, Unanswered};
use super::gestures::{Ready, withheld};
use super::patience::Patience;
use super::sight::{Standing, contains};
use super::surface::Linux;
use crate::quirks::Hits;
use crate::record::{Interfaces, Record};
use handeye_scene::{Delivery, Guard, Point, Problem, Withheld};

/// How often an app that is busy over and over is asked what lies at a place.
const TRIES: u32 = 5;

/// A target at the last moment before a stroke.
pub(super) enum Now {
    /// As it was meant, and there.
    As(Option<Standing>),
    Not(Delivery),
}

impl Linux {
    /// The target once more with the server free, and what lies over it: whatever its app did may have moved it, or something
    /// over it. What a press opened may lie over it when the button is let go.
    pub(super) async fn at_rest(
        &self,
        at: Point,
        (is_release, ready): (bool, &Ready),
        guard: &Guard,
        patience: &Patience,
    ) -> Result<Now, Problem> {
        let mut tries = 0;
        loop {
            let now = self.now(ready, guard, at).await?;
            if matches!(now, Now::Not(_)) || is_release {
                return Ok(now);
            }
            tries += 1;
            match self.misses_at(at, Some(ready)).await? {
                None => return Ok(now),
                // An app that is busy again tells of nothing there.
                Some(Delivery::Withheld(Withheld { actual: None, .. })) if tries < TRIES => {
                    if !self.is_free(ready, patience).await {
                        return Ok(Now::Not(withheld("busy", false, None)));
                    }
                }
                Some(delivery) => return Ok(Now::Not(delivery)),
            }
        }
    }

    /// Where the target is at the last moment, or what is in the way of a gesture, by as few calls as tell: another name, role or
    /// place.
    pub(super) async fn now(&self, ready: &Ready, guard: &Guard, at: Point) -> Result<Now, Problem> {
        let Ready { place, tree, .. } = ready;
        let seen = self.seen().await?;
        let record = Record { interfaces: Interfaces::named(["Component"].into_iter()), ..Record::default() };
        // The name comes last: it is the newest when the gesture is made.
        let standing = self.standing(tree, &seen, place, &record).await;
        let (role, name) =
            futures_util::future::join(self.bus.ask::<_, u32>(place, ACCESSIBLE, "GetRole", &()), self.name_now(ready))
                .await;
        let name = match (role, name) {
            (Ok(role), Ok(name)) if role == ready.role => name,
            (Ok(_), Ok(_)) | (Err(Unanswered::Gone), _) | (_, Err(Unanswered::Gone)) if !self.bus.is_lost() => {
                return Ok(Now::Not(withheld("detached", false, None)));
            }
            (Err(why), _) | (_, Err(why)) => return Err(self.unanswered(why, tree.pid)),
            _ => return Err(self.unanswered(Unanswered::Gone, tree.pid)),
        };
        if let Some(delivery) = ready.otherwise(&name, guard) {
            return Ok(Now::Not(delivery));
        }
        if standing.is_some_and(|s| contains(s.screen, at)) {
            return Ok(Now::As(standing));
        }
        // What a control is hit by may reach beyond what it tells.
        if standing.is_some() && tree.quirks.hits == Hits::Picks {
            return Ok(self.misses_at(at, Some(ready)).await?.map_or(Now::As(standing), Now::Not));
        }
        Ok(Now::Not(withheld("miss", false, None)))
    }
}
