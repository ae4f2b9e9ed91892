//! What pages are made to believe, kept in force in every tab.

use crate::surface::{Browser, CALL_LIMIT, VIEWPORT};
use async_trait::async_trait;
use handeye_scene::{Code, Credentials, Permission, Pretence, Pretends, Problem};
use serde_json::{Map, Value, json};

/// What puts `now` in force in a session where `before` was; `page` for a tab, else a document with a process of its own.
pub(crate) fn calls(
    before: &Pretence,
    now: &Pretence,
    page: bool,
    viewport: Option<(u32, u32)>,
) -> Vec<(&'static str, Value)> {
    let mut calls = Vec::new();
    if page && before.viewport != now.viewport {
        calls.extend(screen(now, viewport));
    }
    if (&before.user_agent, &before.locale) != (&now.user_agent, &now.locale) {
        let mut params = json!({ "userAgent": now.user_agent.as_deref().unwrap_or("") });
        if let Some(locale) = &now.locale {
            params["acceptLanguage"] = json!(locale);
        }
        calls.push(("Emulation.setUserAgentOverride", params));
    }
    if before.locale != now.locale {
        let params = now.locale.as_ref().map_or(json!({}), |locale| json!({ "locale": locale }));
        calls.push(("Emulation.setLocaleOverride", params));
    }
    if before.headers != now.headers {
        let headers: Map<String, Value> = now.headers.iter().map(|h| (h.name.clone(), json!(h.value))).collect();
        calls.push(("Network.setExtraHTTPHeaders", json!({ "headers": headers })));
    }
    if before.timezone != now.timezone {
        if before.timezone.is_some() && now.timezone.is_some() {
            // Chromium takes any name in place of a zone that is set; only the first is checked.
            calls.push(("Emulation.setTimezoneOverride", json!({ "timezoneId": "" })));
        }
        let zone = now.timezone.as_deref().unwrap_or("");
        calls.push(("Emulation.setTimezoneOverride", json!({ "timezoneId": zone })));
    }
    if (&before.medium, &before.features) != (&now.medium, &now.features) {
        let medium = now.medium.as_deref().unwrap_or("");
        calls.push(("Emulation.setEmulatedMedia", json!({ "media": medium, "features": now.features })));
    }
    if before.place != now.place {
        calls.push(match &now.place {
            Some(place) => ("Emulation.setGeolocationOverride", json!(place)),
            None => ("Emulation.clearGeolocationOverride", json!({})),
        });
    }
    if before.offline != now.offline {
        let params = json!({ "offline": now.offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        calls.push(("Network.emulateNetworkConditions", params));
    }
    calls
}

fn screen(now: &Pretence, viewport: Option<(u32, u32)>) -> [(&'static str, Value); 2] {
    let touch = now.viewport.is_some_and(|v| v.touch);
    let touch = ("Emulation.setTouchEmulationEnabled", json!({ "enabled": touch, "maxTouchPoints": 5 }));
    let metrics = |width: u32, height: u32, scale: f64, mobile: bool| {
        let params = json!({
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile,
            "screenWidth": width, "screenHeight": height,
        });
        ("Emulation.setDeviceMetricsOverride", params)
    };
    let size = match (now.viewport, viewport) {
        (Some(v), _) => metrics(v.width, v.height, v.scale, v.mobile),
        (None, Some((width, height))) => metrics(width, height, 0.0, false),
        (None, None) => ("Emulation.clearDeviceMetricsOverride", json!({})),
    };
    [size, touch]
}

#[async_trait]
impl Pretends for Browser {
    fn pretence(&self) -> Pretence {
        self.shared.world().pretence.clone()
    }

    async fn pretend(&mut self, pretence: Pretence) -> Result<(), Problem> {
        let (before, viewport) = {
            let mut world = self.shared.world();
            let viewport = world.owned.then_some(world.viewport).flatten();
            (std::mem::replace(&mut world.pretence, pretence.clone()), viewport)
        };
        let put = async |b: &Browser, from: &Pretence, to: &Pretence| {
            b.tell_tabs(&calls(from, to, true, viewport), &calls(from, to, false, viewport)).await
        };
        let Err(problem) = put(self, &before, &pretence).await else { return Ok(()) };
        // All of it or nothing.
        self.shared.world().pretence = before.clone();
        let _ = put(self, &pretence, &before).await;
        Err(match problem.code {
            Code::Bug => Problem::new(Code::BadRequest, format!("the browser doesn't take it: {}", problem.message))
                .hint("handeye set --help"),
            _ => problem,
        })
    }

    async fn set_credentials(&mut self, credentials: Option<Credentials>) -> Result<(), Problem> {
        self.shared.world().intercept.password = credentials;
        self.apply_intercept().await
    }

    fn credentials_for(&self) -> Option<String> {
        self.shared.world().intercept.password.as_ref().map(|c| c.origin.clone())
    }

    async fn permit(&mut self, origin: &str, name: &str, permission: Permission) -> Result<(), Problem> {
        let setting = match permission {
            Permission::Granted => "granted",
            Permission::Denied => "denied",
            Permission::Prompt => "prompt",
        };
        let params = json!({ "permission": { "name": name }, "setting": setting, "origin": origin });
        match self.call::<Value>(None, "Browser.setPermission", params, CALL_LIMIT).await {
            Ok(_) => {}
            Err(problem) if problem.code == Code::Bug => {
                return Err(Problem::new(
                    Code::BadRequest,
                    format!("`{name}` can't be {setting}: {}", problem.message),
                )
                .hint("handeye permissions grant geolocation"));
            }
            Err(problem) => return Err(problem),
        }
        self.shared.world().permissions.insert((origin.to_owned(), name.to_owned()), permission);
        Ok(())
    }
}

/// The viewport of pages in a browser of ours.
pub(crate) fn own_viewport(launch: &handeye_scene::Launch) -> Option<(u32, u32)> {
    (launch.cdp.is_none() && (!launch.headed || launch.viewport.is_some())).then(|| launch.viewport.unwrap_or(VIEWPORT))
}
