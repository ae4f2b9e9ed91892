//! Apps on the accessibility bus, and what is peculiar about each.

use crate::linux::atspi::bus::{Bus, Place, ROOT, Unanswered};
use crate::quirks::{Quirks, quirks};
use futures_util::future::join_all;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

const APPLICATION: &str = "org.a11y.atspi.Application";

/// One app.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) root: Place,
    pub(crate) quirks: Quirks,
}

/// Apps that were met, by their names on the bus, which are never used again.
#[derive(Default)]
pub(crate) struct Apps {
    /// Whose they are: the daemon of the bus tells, so that no app that is stuck holds up the look at another.
    pids: HashMap<Arc<str>, u32>,
    known: HashMap<Arc<str>, App>,
}

impl Apps {
    /// What is peculiar about an app that was met.
    pub(crate) fn quirks(&self, bus: &str) -> Option<Quirks> {
        self.known.get(bus).map(|app| app.quirks)
    }

    /// The apps of a process. New ones are asked who they are; one that doesn't answer is asked again the next time.
    pub(crate) async fn of(&mut self, bus: &Bus, pid: u32) -> Result<Vec<App>, Unanswered> {
        let registered = bus.apps().await?;
        self.pids.retain(|name, _| registered.iter().any(|r| r.bus == *name));
        self.known.retain(|name, _| registered.iter().any(|r| r.bus == *name));
        let new = registered.iter().filter(|r| !self.pids.contains_key(&r.bus));
        let told = join_all(new.map(async |r| Some((r.bus.clone(), bus.pid(&r.bus).await.ok()?)))).await;
        self.pids.extend(told.into_iter().flatten());
        let of_it = |r: &&Place| self.pids.get(&r.bus) == Some(&pid);
        let new = registered.iter().filter(of_it).filter(|r| !self.known.contains_key(&r.bus));
        let met = join_all(new.map(async |root| meet(bus, root).await)).await;
        for app in met {
            let app = app?;
            bus.change_log(|log| log.meet(&app.root.bus, Instant::now()));
            self.known.insert(app.root.bus.clone(), app);
        }
        Ok(registered.iter().filter(of_it).filter_map(|r| self.known.get(&r.bus).cloned()).collect())
    }
}

/// Asks an app who it is.
async fn meet(bus: &Bus, root: &Place) -> Result<App, Unanswered> {
    let root = root.at(ROOT);
    let (toolkit, version) = futures_util::future::join(
        bus.text_property(&root, APPLICATION, "ToolkitName"),
        bus.text_property(&root, APPLICATION, "Version"),
    )
    .await;
    if let Err(why @ (Unanswered::Late | Unanswered::Lost)) = toolkit {
        return Err(why);
    }
    let quirks = quirks(&toolkit.unwrap_or_default(), &version.unwrap_or_default());
    Ok(App { root, quirks })
}
