//! What a browser keeps for pages: cookies and web storage.

use crate::Problem;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One cookie, named as browsers and files of saved logins name its members.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host it is sent to; with a dot before it, to hosts below it too.
    pub domain: String,
    /// The path below which it is sent.
    pub path: String,
    /// When it ends, in seconds since 1970; -1 with the browser.
    pub expires: f64,
    /// Whether scripts can't read it.
    pub http_only: bool,
    /// Whether it is sent over HTTPS alone.
    pub secure: bool,
    /// `Strict`, `Lax` or `None`; absent where the site didn't say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
    /// The site under which alone it holds, for cookies kept apart by site; as the browser writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<serde_json::Value>,
}

/// Which of the two storages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StorageArea {
    /// Kept in the profile, shared by the tabs of an origin.
    #[default]
    Local,
    /// Kept as long as its tab.
    Session,
}

/// One entry of a storage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StorageItem {
    /// Its key.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What to do to a storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageChange {
    /// Set these entries.
    Set(Vec<StorageItem>),
    /// Remove one entry.
    Remove(String),
    /// Remove all.
    Clear,
}

/// Cookies and web storage.
#[async_trait]
pub trait Stores: Send {
    /// Every cookie of the session's browser.
    async fn cookies(&mut self) -> Result<Vec<Cookie>, Problem>;
    /// Sets cookies; those of the same name, domain and path are replaced.
    async fn set_cookies(&mut self, cookies: &[Cookie]) -> Result<(), Problem>;
    /// Removes these cookies.
    async fn remove_cookies(&mut self, cookies: &[Cookie]) -> Result<(), Problem>;
    /// Entries of a storage, sorted by name.
    async fn storage(&mut self, area: StorageArea, origin: &str) -> Result<Vec<StorageItem>, Problem>;
    /// Changes a storage.
    async fn change_storage(&mut self, area: StorageArea, origin: &str, change: &StorageChange) -> Result<(), Problem>;
    /// Origins that were shown in tabs since the browser was opened, `http` and `https` alone.
    fn origins(&self) -> Vec<String>;
    /// Origin of the active tab's document; `null` for one that has none.
    fn origin(&self) -> String;
}
