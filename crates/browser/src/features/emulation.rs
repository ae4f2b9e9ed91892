//! Emulation, kept in force in every tab.

use super::intercept;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::targets::emulation_calls::calls;
use async_trait::async_trait;
use handeye_scene::{Code, Credentials, Emulate, Emulation, Permission, Problem};
use serde_json::{Value, json};

/// What is emulated for pages.
pub(crate) struct Emulator {
    pub(crate) link: Link,
}

#[async_trait]
impl Emulate for Emulator {
    fn emulation(&self) -> Emulation {
        self.link.model().emulation.emulation.clone()
    }

    async fn emulate(&mut self, emulation: Emulation) -> Result<(), Problem> {
        let (before, viewport) = {
            let mut model = self.link.model();
            let viewport = model.emulation.viewport;
            (std::mem::replace(&mut model.emulation.emulation, emulation.clone()), viewport)
        };
        let put = async |link: &Link, from: &Emulation, to: &Emulation| {
            link.call_tabs_and_frames(&calls(from, to, true, viewport), &calls(from, to, false, viewport)).await
        };
        let Err(problem) = put(&self.link, &before, &emulation).await else { return Ok(()) };
        // All of it or nothing.
        self.link.model().emulation.emulation = before.clone();
        let _ = put(&self.link, &emulation, &before).await;
        Err(match problem.code {
            Code::Bug => Problem::new(Code::BadRequest, format!("the browser doesn't take it: {}", problem.message))
                .hint("handeye set --help"),
            _ => problem,
        })
    }

    async fn set_credentials(&mut self, credentials: Option<Credentials>) -> Result<(), Problem> {
        self.link.model().network.intercept.password = credentials;
        intercept::apply(&self.link).await
    }

    fn credentials_for(&self) -> Option<String> {
        self.link.model().network.intercept.password.as_ref().map(|c| c.origin.clone())
    }

    async fn permit(&mut self, origin: &str, name: &str, permission: Permission) -> Result<(), Problem> {
        set_permission(&self.link, origin, name, permission).await
    }
}

/// Sets what a site is allowed.
pub(crate) async fn set_permission(
    link: &Link,
    origin: &str,
    name: &str,
    permission: Permission,
) -> Result<(), Problem> {
    let setting = match permission {
        Permission::Granted => "granted",
        Permission::Denied => "denied",
        Permission::Prompt => "prompt",
    };
    let params = json!({ "permission": { "name": name }, "setting": setting, "origin": origin });
    match link.call::<Value>(None, "Browser.setPermission", link.in_context(params), CALL_LIMIT).await {
        Ok(_) => {}
        Err(problem) if problem.code == Code::Bug => {
            return Err(Problem::new(Code::BadRequest, format!("`{name}` can't be {setting}: {}", problem.message))
                .hint("handeye permissions grant geolocation"));
        }
        Err(problem) => return Err(problem),
    }
    link.model().emulation.permissions.insert((origin.to_owned(), name.to_owned()), permission);
    Ok(())
}
