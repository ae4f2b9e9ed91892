//! The calls that put emulation in force in a session.

use handeye_scene::Emulation;
use serde_json::{Map, Value, json};

/// What puts `now` in force in a session where `before` was; `page` for a tab, else a document with a process of its own.
pub(crate) fn calls(
    before: &Emulation,
    now: &Emulation,
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

fn screen(now: &Emulation, viewport: Option<(u32, u32)>) -> [(&'static str, Value); 2] {
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
