//! Cookies and web storage.

use crate::cdp::link::{CALL_LIMIT, Link};
use crate::protocol::Evaluated;
use crate::targets::hidden_tab::{self, value_of};
use async_trait::async_trait;
use handeye_scene::{Code, Cookie, Hint, Problem, StorageArea, StorageChange, StorageItem, Stores};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// `Storage.getCookies`.
#[derive(Debug, Deserialize)]
struct Cookies {
    cookies: Vec<Cookie>,
}

/// Runs a script on a storage: in a document of the active tab where one is of the origin, so that a session storage is
/// the tab's and a local one the document's; else in an empty page of the origin.
async fn on_storage<T: DeserializeOwned>(
    link: &Link,
    area: StorageArea,
    origin: &str,
    body: &str,
    arguments: &Value,
) -> Result<T, Problem> {
    let expression = script(area, body, arguments);
    let here = {
        let model = link.model();
        let documents = model.pages.active_documents();
        // A sandboxed document is of no origin, whatever its address.
        let is_of = |frame: &String| model.pages.frames.get(frame).is_some_and(|f| f.origin == origin && !f.opaque);
        let found = documents.iter().find(|(frame, _)| is_of(frame));
        found.and_then(|(_, id)| model.pages.document(*id)).map(|d| (d.session.clone(), d.context.clone()))
    };
    if let Some((session, context)) = here {
        link.check_dialog()?;
        let params = json!({ "expression": expression, "uniqueContextId": context, "returnByValue": true });
        let pending = link.connection.send(Some(&session), "Runtime.evaluate", params);
        return value_of(link.answer::<Evaluated>(pending, CALL_LIMIT).await?, origin);
    }
    if area == StorageArea::Session {
        return Err(Problem::new(
            Code::NotFound,
            format!("no document of {origin} is open in the active tab, and a session storage belongs to its tab"),
        )
        .hint(Hint::command("open").arg(origin)));
    }
    let mut all = hidden_tab::at_origins(link, &[(origin.to_owned(), expression)]).await?;
    all.pop().ok_or_else(|| Problem::new(Code::Bug, "the hidden tab gave no answer"))
}

/// A script of an isolated world or an empty page: the page can't have put something else in the storage's place.
fn script(area: StorageArea, body: &str, arguments: &Value) -> String {
    let name = match area {
        StorageArea::Local => "localStorage",
        StorageArea::Session => "sessionStorage",
    };
    format!("((s, a) => {{ {body} }})({name}, {arguments})")
}

/// A cookie as the browser takes it: one that ends with the browser has no end.
fn as_asked(cookie: &Cookie) -> Value {
    let mut asked = json!(cookie);
    if cookie.expires < 0.0
        && let Some(members) = asked.as_object_mut()
    {
        members.remove("expires");
    }
    asked
}

const LIST: &str =
    "return Object.keys(s).map(name => ({ name, value: s.getItem(name) })).sort((a, b) => a.name < b.name ? -1 : 1)";
const SET: &str = "for (const { name, value } of a) s.setItem(name, value)";
const REMOVE: &str = "const had = s.getItem(a) !== null; s.removeItem(a); return had";
const CLEAR: &str = "s.clear()";

/// Cookies, local and session storage.
pub(crate) struct Storage {
    pub(crate) link: Link,
}

#[async_trait]
impl Stores for Storage {
    async fn cookies(&mut self) -> Result<Vec<Cookie>, Problem> {
        let of = self.link.in_context(json!({}));
        Ok(self.link.call::<Cookies>(None, "Storage.getCookies", of, CALL_LIMIT).await?.cookies)
    }

    async fn set_cookies(&mut self, cookies: &[Cookie]) -> Result<(), Problem> {
        for cookie in cookies {
            url::Host::parse(cookie.domain.trim_start_matches('.')).map_err(|e| {
                Problem::new(Code::BadRequest, format!("`{}` is no host of a cookie: {e}", cookie.domain))
                    .hint("handeye cookies set NAME VALUE --domain example.com")
            })?;
        }
        let cookies: Vec<Value> = cookies.iter().map(as_asked).collect();
        let params = self.link.in_context(json!({ "cookies": cookies }));
        let set = self.link.call::<Value>(None, "Storage.setCookies", params, CALL_LIMIT).await;
        set.map(drop).map_err(|problem| match problem.code {
            Code::Bug => {
                Problem::new(Code::BadRequest, format!("the browser doesn't take the cookie: {}", problem.message))
                    .hint("handeye cookies set --help")
            }
            _ => problem,
        })
    }

    async fn remove_cookies(&mut self, cookies: &[Cookie]) -> Result<(), Problem> {
        // Only a tab can remove single ones.
        let session = self.link.session()?;
        for cookie in cookies {
            let mut params = json!({ "name": cookie.name, "domain": cookie.domain, "path": cookie.path });
            if let Some(key) = &cookie.partition_key {
                params["partitionKey"] = key.clone();
            }
            self.link.call::<Value>(Some(&session), "Network.deleteCookies", params, CALL_LIMIT).await?;
        }
        Ok(())
    }

    async fn storage(&mut self, area: StorageArea, origin: &str) -> Result<Vec<StorageItem>, Problem> {
        on_storage(&self.link, area, origin, LIST, &Value::Null).await
    }

    async fn change_storage(&mut self, area: StorageArea, origin: &str, change: &StorageChange) -> Result<(), Problem> {
        match change {
            StorageChange::Set(items) => on_storage::<()>(&self.link, area, origin, SET, &json!(items)).await,
            StorageChange::Clear => on_storage::<()>(&self.link, area, origin, CLEAR, &Value::Null).await,
            StorageChange::Remove(name) => match on_storage::<bool>(&self.link, area, origin, REMOVE, &json!(name))
                .await?
            {
                true => Ok(()),
                false => Err(Problem::new(Code::NotFound, format!("the storage of {origin} has no entry `{name}`"))
                    .hint(Hint::command("storage").arg("list").arg("--origin").arg(origin))),
            },
        }
    }

    fn origins(&self) -> Vec<String> {
        self.link.model().pages.origins.clone()
    }

    fn origin(&self) -> String {
        origin(&self.link)
    }
}

/// Origin of the active tab's page.
pub(crate) fn origin(link: &Link) -> String {
    let model = link.model();
    let Some(frame) = model.pages.main_frame() else { return "null".into() };
    // In place of a page that can't be loaded the browser shows one of its own.
    match frame.unreachable.as_deref().map(url::Url::parse) {
        Some(Ok(url)) => url.origin().ascii_serialization(),
        _ => model.pages.active.as_deref().and_then(|active| model.pages.origin_of(active)).unwrap_or_default(),
    }
}
