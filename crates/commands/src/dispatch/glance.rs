//! A look at a session that is no call of it: for traces, and for whoever watches.

use crate::Session;
use crate::core::permission::{tell_surface, unread};
use crate::look::screenshot::shoot;
use handeye_scene::{Code, ImageFormat, Problem, Shot, ShotArea};
use std::time::Duration;

/// How long it may take.
pub(crate) const LOOK: Duration = Duration::from_secs(5);

/// A picture of what is in sight, under the rules of the session's last call; none where nothing is open. Nothing of it counts as
/// shown.
pub async fn glance(session: &mut Session) -> Result<Option<Shot>, Problem> {
    let Some(surface) = session.surface.as_mut() else { return Ok(None) };
    surface.allow(Some(LOOK));
    let shot = picture(session).await;
    if let Some(surface) = session.surface.as_mut() {
        surface.allow(None);
    }
    shot.map(Some)
}

/// A picture, where what it shows may be read.
pub(crate) async fn picture(session: &mut Session) -> Result<Shot, Problem> {
    let policy = session.policy()?;
    tell_surface(session, &policy);
    check_read(session).await?;
    let shot = shoot(session, ShotArea::Viewport, ImageFormat::Png, None).await?;
    // It may have gone elsewhere meanwhile.
    check_read(session).await?;
    Ok(shot)
}

/// Refuses what the policy doesn't let be read.
pub(crate) async fn check_read(session: &mut Session) -> Result<(), Problem> {
    match unread(session).await? {
        None => Ok(()),
        Some(place) => Err(Problem::new(Code::Denied, format!("the policy denies reading {place}"))),
    }
}
