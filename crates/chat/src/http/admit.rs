//! Who is let in: by the name that the server was reached by, the origin of the page that asks, the token, and how much was asked before.

use super::rate::Rates;
use super::sight::Snapshots;
use super::watch::Watch;
use crate::run::Service;
use crate::store::User;
use crate::wire::{ChatError, ErrorCode};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Request};
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

/// Bytes of a body.
const BODY: usize = 2 << 20;
/// How long a body may take.
const BODY_TIME: Duration = Duration::from_secs(30);

/// What requests are held to.
pub struct Door {
    /// Names that the server may be reached by, without ports.
    pub hosts: Vec<String>,
    /// Origins that may ask.
    pub origins: Vec<String>,
    /// Whether whoever reaches it is who they say: the document's own clients, which show no token.
    pub trusts_user_id: bool,
    /// Requests of a user in a minute.
    pub requests_per_minute: u32,
}

/// Everything that handlers need.
pub(super) struct App {
    pub(super) service: Arc<Service>,
    pub(super) door: Door,
    pub(super) rates: Rates,
    /// Tries of pairing codes.
    pub(super) pairings: Rates,
    /// What clients tell of that they refused.
    pub(super) refusals: Rates,
    /// Who takes snapshots; none where nobody may ask for one.
    pub(super) snapshots: Option<Arc<dyn Snapshots>>,
    pub(super) watch: Watch,
}

/// The value of a header that is there once at most.
fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ChatError> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(ChatError::new(ErrorCode::Forbidden, format!("the header `{name}` is there more than once")));
    }
    let odd = |_| ChatError::new(ErrorCode::Forbidden, format!("the header `{name}` has characters beyond ASCII"));
    first.map(|value| value.to_str().map_err(odd)).transpose()
}

/// Why a text is no origin as browsers send it; one that isn't lets nobody in, without a word.
pub fn check_origin(text: &str) -> Result<(), String> {
    let none = || "is no origin: it takes SCHEME://HOST, with :PORT where that isn't the scheme's own".to_owned();
    let url = Url::parse(text).map_err(|_| none())?;
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(none)?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let origin = format!("{}://{host}{port}", url.scheme());
    if origin.eq_ignore_ascii_case(text) {
        return Ok(());
    }
    Err(format!("is no origin as browsers send it: write {origin}"))
}

impl Door {
    /// Whether a request may be looked at: it was sent to one of our names, and by no page that isn't listed.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), ChatError> {
        let host = header(headers, &HOST)?.unwrap_or_default();
        let name = host
            .rsplit_once(':')
            .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
            .map_or(host, |(name, _)| name);
        if !self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            let what = format!("`{}` is no name of this server: list it in chat.hosts", name.escape_debug());
            return Err(ChatError::new(ErrorCode::Forbidden, what));
        }
        match header(headers, &ORIGIN)? {
            Some(origin) if !self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)) => {
                let what = format!("the origin `{}` may not ask: list it in chat.origins", origin.escape_debug());
                Err(ChatError::new(ErrorCode::Forbidden, what))
            }
            _ => Ok(()),
        }
    }
}

impl App {
    /// Whose token a request shows; none where whoever reaches the server is trusted and shows none.
    pub(super) async fn shown(&self, headers: &HeaderMap) -> Result<Option<User>, ChatError> {
        let refused = || {
            ChatError::new(
                ErrorCode::Unauthorized,
                "the token is missing, wrong or revoked: send `Authorization: Bearer TOKEN`",
            )
        };
        let Some(value) = header(headers, &AUTHORIZATION)? else {
            return if self.door.trusts_user_id { Ok(None) } else { Err(refused()) };
        };
        let token = value.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let user = match token {
            Some((_, token)) => self.service.store().user_of(token.trim()).await?,
            None => None,
        };
        user.map(Some).ok_or_else(refused)
    }

    /// Notes what was refused to nobody in particular; so many in a minute, that nobody can fill the log.
    pub(super) async fn note_refusal(&self, detail: &str) {
        if self.rates.take("", Instant::now()).is_ok() {
            // The answer is the same where this can't be kept.
            let _ = self.service.store().note("", "refused", detail).await;
        }
    }

    /// The user of a request that names no user but by its token.
    pub(super) async fn user(&self, headers: &HeaderMap, named: Option<&str>) -> Result<User, ChatError> {
        let user = match (self.shown(headers).await?, named) {
            (Some(user), _) => user,
            (None, Some(name)) => self.trusted(name).await?,
            (None, None) => return Err(ChatError::field("user_id", "is missing")),
        };
        self.count(&user)?;
        Ok(user)
    }

    /// A user who is only named.
    pub(super) async fn trusted(&self, user_id: &str) -> Result<User, ChatError> {
        self.service.store().user(&format!("user_id:{user_id}")).await
    }

    /// Counts a request of a user.
    pub(super) fn count(&self, user: &User) -> Result<(), ChatError> {
        self.rates.take(&user.id, Instant::now()).map_err(|seconds| {
            let what = format!("more than {} requests in a minute", self.door.requests_per_minute);
            ChatError::new(ErrorCode::RateLimited, what).again_after(seconds)
        })
    }
}

/// The body of a request that is declared to be JSON.
pub(super) async fn body(request: Request<Body>) -> Result<Bytes, ChatError> {
    let encoding = header(request.headers(), &CONTENT_ENCODING)?.unwrap_or("identity");
    if !encoding.eq_ignore_ascii_case("identity") {
        let what =
            format!("the body is encoded as `{}`: send it as it is, without Content-Encoding", encoding.escape_debug());
        return Err(ChatError::new(ErrorCode::NotJson, what));
    }
    let kind = header(request.headers(), &CONTENT_TYPE)?.unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        let what =
            format!("the body is declared to be `{}`: send `Content-Type: application/json`", essence.escape_debug());
        return Err(ChatError::new(ErrorCode::NotJson, what));
    }
    let large = || ChatError::new(ErrorCode::TooLarge, format!("the body has more than {BODY} bytes"));
    let length = header(request.headers(), &CONTENT_LENGTH)?.and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > BODY as u64) {
        return Err(large());
    }
    match tokio::time::timeout(BODY_TIME, to_bytes(request.into_body(), BODY)).await {
        Ok(read) => read.map_err(|_| large()),
        Err(_) => Err(ChatError::new(ErrorCode::Slow, format!("the body isn't there after {} s", BODY_TIME.as_secs()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_one_as_browsers_send_it() {
        for (text, part) in [
            ("https://a.example", ""),
            ("http://localhost:3000", ""),
            ("http://[::1]:3000", ""),
            ("chrome-extension://ckfmhdkpalfpgelkpiibdfkllkfhffim", ""),
            ("foo", "SCHEME://HOST"),
            ("null", "SCHEME://HOST"),
            ("a.example:443", "SCHEME://HOST"),
            ("https://", "SCHEME://HOST"),
            ("https://a.example/", "write https://a.example"),
            ("https://a.example:443", "write https://a.example"),
            ("https://ann@a.example/x?y", "write https://a.example"),
        ] {
            let why = check_origin(text).err().unwrap_or_default();
            assert!(why.contains(part) && why.is_empty() == part.is_empty(), "{text}: {why}");
        }
    }
}
