//! `set`: what is emulated for pages of the session.

use crate::core::secrets::read_password;
use crate::network::requests::parse_header;
use crate::page::devices::DEVICES;
use crate::page::permissions::origin_of;
use crate::{Command, Effect, Render, Session};
use handeye_scene::{Code, Credentials, Emulation, Header, Hint, Place, Problem, Viewport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Largest side of a viewport, CSS pixels.
const SIDE: u32 = 10_000;

/// Emulate another screen, location, language, network or user, in every tab until the session ends
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "`handeye set show` tells what is in force; `--reset` takes one back, `handeye set reset` all.\n\nExamples:\n  handeye set device iphone-15\n  handeye set geo 52.52,13.40 --accuracy 20     with `handeye permissions grant geolocation`\n  handeye set media --color-scheme dark"
)]
pub struct Set {
    #[command(subcommand)]
    #[serde(flatten)]
    what: What,
}

/// What to set.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum What {
    /// Size of the viewport in CSS pixels
    Viewport {
        /// WIDTHxHEIGHT, such as 1280x720
        #[arg(required_unless_present = "reset")]
        #[serde(default)]
        size: Option<String>,
        /// A second number, which belongs into the first word
        #[arg(hide = true, conflicts_with = "reset")]
        #[serde(skip)]
        height: Option<String>,
        /// Device pixels per CSS pixel
        #[arg(long, value_name = "FACTOR", value_parser = crate::core::value_parsers::real("scale", 0.1..=10.0, 2.0))]
        #[serde(default)]
        scale: Option<f64>,
        /// Use the mobile layout
        #[arg(long)]
        #[serde(default)]
        mobile: bool,
        /// Emulate a touch screen
        #[arg(long)]
        #[serde(default)]
        touch: bool,
        /// Undo this emulation
        #[arg(long, conflicts_with = "size")]
        #[serde(default)]
        reset: bool,
    },
    /// Screen and user agent of a device: iphone-se, iphone-15, iphone-15-pro-max, pixel-8, galaxy-s24, ipad, ipad-pro
    Device {
        /// Its name
        #[arg(required_unless_present = "reset")]
        #[serde(default)]
        name: Option<String>,
        /// Undo this emulation
        #[arg(long, conflicts_with = "name")]
        #[serde(default)]
        reset: bool,
    },
    /// Geolocation; sites read it once they have the permission: handeye permissions grant geolocation
    Geo {
        /// LATITUDE,LONGITUDE in degrees, such as 52.52,13.40
        #[arg(required_unless_present = "reset", allow_hyphen_values = true)]
        #[serde(default)]
        place: Option<String>,
        /// Accuracy in metres
        #[arg(long, value_name = "METRES", default_value = "50", value_parser = crate::core::value_parsers::real("accuracy in metres", 0.0.., 50.0), allow_negative_numbers = true)]
        #[serde(default = "around")]
        accuracy: f64,
        /// Undo this emulation
        #[arg(long, conflicts_with = "place")]
        #[serde(default)]
        reset: bool,
    },
    /// Emulate being offline
    Offline {
        /// Undo this emulation
        #[arg(long)]
        #[serde(default)]
        reset: bool,
    },
    /// Extra headers of every request, in place of those set before
    Headers {
        /// NAME: VALUE
        #[arg(required_unless_present = "reset", value_name = "HEADER")]
        #[serde(default)]
        headers: Vec<String>,
        /// Remove the extra headers
        #[arg(long, conflicts_with = "headers")]
        #[serde(default)]
        reset: bool,
    },
    /// User-Agent string
    UserAgent {
        /// Its name
        #[arg(required_unless_present = "reset")]
        #[serde(default)]
        name: Option<String>,
        /// Undo this emulation
        #[arg(long, conflicts_with = "name")]
        #[serde(default)]
        reset: bool,
    },
    /// Locale of the browser and of JavaScript formatting
    Locale {
        /// Such as de-DE
        #[arg(required_unless_present = "reset")]
        #[serde(default)]
        locale: Option<String>,
        /// Undo this emulation
        #[arg(long, conflicts_with = "locale")]
        #[serde(default)]
        reset: bool,
    },
    /// Time zone
    Timezone {
        /// Such as Europe/Berlin
        #[arg(required_unless_present = "reset")]
        #[serde(default)]
        zone: Option<String>,
        /// Undo this emulation
        #[arg(long, conflicts_with = "zone")]
        #[serde(default)]
        reset: bool,
    },
    /// CSS media type and user preferences
    #[command(group = clap::ArgGroup::new("media").required(true).multiple(true))]
    Media {
        /// print or screen
        #[arg(group = "media", value_parser = ["print", "screen"])]
        #[serde(default)]
        medium: Option<String>,
        /// Preferred colour scheme
        #[arg(long, group = "media", value_name = "SCHEME", value_parser = ["light", "dark"])]
        #[serde(default)]
        color_scheme: Option<String>,
        /// Preferred amount of motion
        #[arg(long, group = "media", value_name = "MOTION", value_parser = ["reduce", "no-preference"])]
        #[serde(default)]
        reduced_motion: Option<String>,
        /// Undo this emulation
        #[arg(long, group = "media")]
        #[serde(default)]
        reset: bool,
    },
    /// User and password for a site that asks by HTTP; the password comes from a file or a variable, where no list of processes
    /// and no shell history shows it
    #[command(group = clap::ArgGroup::new("secret").required(true))]
    Credentials {
        /// The user's name
        #[arg(required_unless_present = "reset")]
        #[serde(default)]
        user: Option<String>,
        /// Variable that holds the password
        #[arg(long, group = "secret", value_name = "VARIABLE")]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        password_env: Option<String>,
        /// File that holds the password; a line break at its end is ignored
        #[arg(long, group = "secret", value_name = "FILE")]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        password_file: Option<PathBuf>,
        /// The password itself
        #[arg(skip)]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        password: Option<String>,
        /// The site that may ask for them [default: that of the active page]
        #[arg(long, value_name = "ORIGIN")]
        #[serde(default)]
        origin: Option<String>,
        /// Remove the credentials
        #[arg(long, group = "secret", conflicts_with = "user")]
        #[serde(default)]
        reset: bool,
    },
    /// Show the emulation in force
    Show,
    /// Undo all emulation
    Reset,
}

fn around() -> f64 {
    50.0
}

/// What is in force.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InForce {
    /// What is emulated for pages.
    #[serde(flatten)]
    emulation: Emulation,
    /// The site that is given a user's name and password.
    credentials_for: Option<String>,
    /// What was in force until it was taken back, a line each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taken_back: Option<Vec<String>>,
}

/// How what is said of credentials that were taken back begins.
const CREDENTIALS_FOR: &str = "credentials for ";

impl Render for InForce {
    fn render(&self) -> String {
        let lines = self.lines();
        match &self.taken_back {
            Some(gone) if gone.is_empty() => "nothing was set".into(),
            Some(gone) => gone.iter().map(|line| format!("taken back: {line}")).collect::<Vec<_>>().join("\n"),
            None if lines.is_empty() => "everything is as it is".into(),
            None => lines.join("\n"),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        let forgets = |line: &String| line.starts_with(CREDENTIALS_FOR);
        let is_kept = self.taken_back.iter().flatten().any(forgets);
        if is_kept { vec!["handeye close".into()] } else { Vec::new() }
    }
}

impl InForce {
    fn of(session: &mut Session) -> Result<Self, Problem> {
        let emulate = session.emulate()?;
        let credentials_for = emulate.credentials_for();
        Ok(Self { emulation: emulate.emulation(), credentials_for, taken_back: None })
    }

    /// What is said of a password that is taken back: a site that took it once is given it by the browser itself.
    fn remembered(&self) -> Option<String> {
        self.credentials_for.as_ref().map(|origin| {
            format!("{CREDENTIALS_FOR}{origin}; where they were taken once, the browser gives them until it is closed")
        })
    }

    /// What is in force, the credentials last.
    fn lines(&self) -> Vec<String> {
        let p = &self.emulation;
        let mut lines = Vec::new();
        let mut line = |name: &str, value: Option<String>| lines.extend(value.map(|v| format!("{name}: {v}")));
        line("viewport", p.viewport.map(viewport));
        line("user agent", p.user_agent.clone());
        for header in &p.headers {
            line("header", Some(format!("{}: {}", header.name, header.value)));
        }
        line("locale", p.locale.clone());
        line("timezone", p.timezone.clone());
        line("medium", p.medium.clone());
        for feature in &p.features {
            line(&feature.name, Some(feature.value.clone()));
        }
        line("geo", p.place.map(|g| format!("{},{} within {} m", g.latitude, g.longitude, g.accuracy)));
        line("network", p.offline.then(|| "offline".into()));
        line("credentials for", self.credentials_for.clone());
        lines
    }
}

fn viewport(v: Viewport) -> String {
    let mut out = format!("{}x{}", v.width, v.height);
    if v.scale > 0.0 {
        out.push_str(&format!(" at {} device pixels", v.scale));
    }
    for (holds, word) in [(v.mobile, "mobile"), (v.touch, "touch")] {
        if holds {
            out.push_str(&format!(", {word}"));
        }
    }
    out
}

impl Command for Set {
    const NAME: &'static str = "set";
    const EFFECT: Effect = Effect::Acts;
    const VARIES: bool = true;
    type Output = InForce;

    fn effect(&self) -> Effect {
        if matches!(self.what, What::Show) { Effect::Reads } else { Effect::Acts }
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
        if let What::Viewport { size: Some(width), height: Some(height), .. } = &self.what {
            let text = format!("`{width} {height}` is no size: write it as WIDTHxHEIGHT, in one word");
            return Err(wrong(text, &format!("viewport {width}x{height}")));
        }
        if let What::Credentials { password_file: file @ Some(_), password, .. } = &mut self.what
            && let Some(path) = file.take()
        {
            *password = Some(read_password(&path)?);
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<InForce, Problem> {
        let before = InForce::of(session)?;
        let mut taken_back = None;
        match self.what {
            What::Show => {}
            What::Reset => {
                let mut lines = before.lines();
                if let (Some(last), Some(remembered)) = (lines.last_mut(), before.remembered()) {
                    *last = remembered;
                }
                taken_back = Some(lines);
                session.emulate()?.emulate(Emulation::default()).await?;
                session.emulate()?.set_credentials(None).await?;
            }
            What::Credentials { reset: true, .. } => {
                taken_back = Some(before.remembered().into_iter().collect());
                session.emulate()?.set_credentials(None).await?;
            }
            What::Credentials { user, password, origin, .. } => {
                let origin = origin_of(session, origin.as_deref()).map_err(|p| {
                    p.hint("handeye set credentials USER --password-env VARIABLE --origin https://example.com")
                })?;
                let (Some(user), Some(password)) = (user, password) else {
                    return Err(Problem::new(Code::BadRequest, "the user or the password is missing")
                        .hint("handeye set credentials USER --password-env VARIABLE"));
                };
                session.emulate()?.set_credentials(Some(Credentials { origin, user, password })).await?;
            }
            what => session.emulate()?.emulate(changed(before.emulation, what)?).await?,
        }
        Ok(InForce { taken_back, ..InForce::of(session)? })
    }
}

/// What is in force with one thing changed.
fn changed(mut all: Emulation, what: What) -> Result<Emulation, Problem> {
    match what {
        What::Viewport { reset: true, .. } => all.viewport = None,
        What::Viewport { size, scale, mobile, touch, .. } => {
            let (width, height) = parse_size(&size.unwrap_or_default())?;
            let scale = scale.unwrap_or(0.0);
            if !(0.0..=10.0).contains(&scale) {
                return Err(wrong(format!("--scale {scale} is not from 0 to 10"), "viewport 1280x720 --scale 2"));
            }
            all.viewport = Some(Viewport { width, height, scale, mobile, touch });
        }
        What::Device { reset: true, .. } => (all.viewport, all.user_agent) = (None, None),
        What::Device { name, .. } => {
            let name = name.unwrap_or_default().to_lowercase();
            let Some(device) = DEVICES.iter().find(|d| d.name == name) else {
                let known: Vec<&str> = DEVICES.iter().map(|d| d.name).collect();
                return Err(wrong(
                    format!("there is no device `{name}`; there are {}", known.join(", ")),
                    "device iphone-15",
                ));
            };
            (all.viewport, all.user_agent) = (Some(device.viewport), Some(device.agent.to_owned()));
        }
        What::Geo { reset: true, .. } => all.place = None,
        What::Geo { place, accuracy, .. } => all.place = Some(parse_place(&place.unwrap_or_default(), accuracy)?),
        What::Offline { reset } => all.offline = !reset,
        What::Headers { reset: true, .. } => all.headers.clear(),
        What::Headers { headers, .. } => {
            all.headers = headers.iter().map(|h| parse_header(h)).collect::<Result<_, _>>()?;
            all.headers.iter().try_for_each(check_header)?;
        }
        What::UserAgent { name, .. } => all.user_agent = stated(name, "user-agent NAME")?,
        What::Locale { locale, .. } => all.locale = stated(locale, "locale de-DE")?,
        What::Timezone { zone, .. } => all.timezone = stated(zone, "timezone Europe/Berlin")?,
        What::Media { reset: true, .. } => {
            all.medium = None;
            all.features.clear();
        }
        What::Media { medium, color_scheme, reduced_motion, .. } => {
            all.medium = medium.or(all.medium);
            for (name, value) in [("prefers-color-scheme", color_scheme), ("prefers-reduced-motion", reduced_motion)] {
                if let Some(value) = value {
                    all.features.retain(|f| f.name != name);
                    all.features.push(Header { name: name.into(), value });
                }
            }
        }
        What::Show | What::Reset | What::Credentials { .. } => {}
    }
    Ok(all)
}

/// Headers with which Chromium sends no request at all; of `connection` it takes `close`.
const OWN_HEADERS: [&str; 10] = [
    "connection",
    "content-length",
    "cookie2",
    "host",
    "keep-alive",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Refuses a header that only the browser may write.
fn check_header(header: &Header) -> Result<(), Problem> {
    let name = header.name.to_ascii_lowercase();
    let closes = name == "connection" && header.value.eq_ignore_ascii_case("close");
    if (OWN_HEADERS.contains(&name.as_str()) || name.starts_with("proxy-")) && !closes {
        let why = format!("the header {} is the browser's own to write: with another, no request is sent", header.name);
        return Err(wrong(why, "headers 'X-Mine: yes'"));
    }
    Ok(())
}

fn wrong(why: String, example: &str) -> Problem {
    Problem::new(Code::BadRequest, why).hint(format!("handeye set {example}"))
}

/// A value, or none for a reset.
fn stated(value: Option<String>, example: &str) -> Result<Option<String>, Problem> {
    match value {
        Some(text) if text.trim().is_empty() || text.chars().any(char::is_control) => {
            Err(wrong(format!("`{}` is empty, or no text of one line", text.escape_debug()), example))
        }
        value => Ok(value),
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), Problem> {
    let sides =
        text.split_once(['x', 'X', '×']).and_then(|(w, h)| Some((w.trim().parse().ok()?, h.trim().parse().ok()?)));
    sides.filter(|(w, h)| (1..=SIDE).contains(w) && (1..=SIDE).contains(h)).ok_or_else(|| {
        wrong(format!("`{text}` is no size: write it as WIDTHxHEIGHT, up to {SIDE} each"), "viewport 1280x720")
    })
}

fn parse_place(text: &str, accuracy: f64) -> Result<Place, Problem> {
    let numbers: Vec<f64> = text.split(',').filter_map(|p| p.trim().parse().ok()).collect();
    match numbers[..] {
        [latitude, longitude]
            if latitude.abs() <= 90.0 && longitude.abs() <= 180.0 && accuracy >= 0.0 && accuracy.is_finite() =>
        {
            Ok(Place { latitude, longitude, accuracy })
        }
        _ => Err(wrong(format!("`{text}` is no place: write it as LATITUDE,LONGITUDE in degrees"), "geo 52.52,13.40")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_places_are_read_or_refused() {
        let size = |text: &str| parse_size(text).ok();
        assert_eq!(size("1280x720"), Some((1280, 720)));
        assert_eq!(size("390 × 844"), Some((390, 844)));
        for text in ["", "1280", "0x5", "-1x5", "99999x5", "1e3x5"] {
            assert_eq!(size(text), None, "{text}");
        }
        let place = |text: &str| parse_place(text, 1.0).ok().map(|p| (p.latitude, p.longitude));
        assert_eq!(place("52.5, -13.4"), Some((52.5, -13.4)));
        for text in ["", "91,0", "0,181", "1", "1,2,3", "NaN,1"] {
            assert_eq!(place(text), None, "{text}");
        }
    }
}
