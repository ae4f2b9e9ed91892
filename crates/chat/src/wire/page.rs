//! The page that the person looks at, as the client tells it. All of it is data: a page says of itself what it likes.

use super::error::ChatError;
use super::fields::Fields;
use super::json::Json;
use serde::{Deserialize, Serialize};
use url::Url;

/// Elements that a request may list. Clients send 30.
pub const ELEMENTS: usize = 500;
/// Characters of an address.
const ADDRESS: usize = 8_192;
/// Characters of a title or a description.
const TEXT: usize = 2_000;
/// Characters of an element's id.
const ID: usize = 200;
/// Characters of what is selected.
const SELECTION: usize = 20_000;

/// A page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Its address, where it is told.
    pub url: Option<String>,
    /// Its title, where it is told.
    pub title: Option<String>,
    /// What can be acted on.
    pub elements: Vec<Element>,
    /// What the person has selected.
    pub selected: Option<String>,
    /// What tells its document from every other, also from one that is loaded later at the same address; where the client tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// What stands for its address where that was told with values that are kept of no text. Never stored.
    #[serde(skip)]
    pub places: Places,
}

/// What stands for addresses: it differs where what is hidden in them does. None where nothing is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// For the whole address.
    pub whole: Option<String>,
    /// For the address without its fragment.
    pub bare: Option<String>,
}

/// Something that can be acted on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Its id.
    pub id: String,
    /// What it is.
    pub desc: String,
    /// What it is held to: by it the client knows whether it is still what it was. No model is told of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub print: Option<String>,
}

impl Element {
    /// What it was told to be: its fingerprint, or its description where the client tells none.
    pub fn fingerprint(&self) -> &str {
        self.print.as_deref().unwrap_or(&self.desc)
    }
}

impl Page {
    /// Reads `current_page_info`. An empty object is no page.
    pub fn read(value: &Json, place: &str) -> Result<Option<Self>, ChatError> {
        let fields = Fields::of(value, place)?;
        if *value == Json::Object(Vec::new()) {
            return Ok(None);
        }
        let list = fields.path("elements");
        let elements = fields.list("elements", ELEMENTS)?.iter().enumerate().map(|(at, element)| {
            let place = format!("{list}[{at}]");
            let element = Fields::of(element, &place)?;
            let (id, desc) = (element.filled("id", ID)?.to_owned(), element.needed("desc", TEXT)?.to_owned());
            Ok(Element { id, desc, print: element.text("print", ID)?.map(str::to_owned) })
        });
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Ok(Some(Self {
            url: owned(fields.text("url", ADDRESS)?),
            title: owned(fields.text("title", TEXT)?),
            elements: elements.collect::<Result<_, ChatError>>()?,
            selected: owned(fields.text("selectedText", SELECTION)?).filter(|text| !text.is_empty()),
            document: owned(fields.text("document", ID)?),
            places: Places::default(),
        }))
    }

    /// Its whole address, by which what the browser does is held to it. Many an app shows another record under another fragment alone
    /// (`#/orders/2`), and no rule tells such from a place that the page was only scrolled to. An empty fragment is none.
    pub fn whole_address(&self) -> Option<String> {
        let mut url = Url::parse(self.url.as_deref()?).ok()?;
        if url.fragment() == Some("") {
            url.set_fragment(None);
        }
        Some(url.into())
    }

    /// Its address without its fragment, by which rules and grants know it, and what the server does is held to it.
    pub fn address(&self) -> Option<String> {
        let mut url = Url::parse(self.url.as_deref()?).ok()?;
        url.set_fragment(None);
        Some(url.into())
    }
}
