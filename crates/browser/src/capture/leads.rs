//! Where a target leads.

use handeye_scene::Destination;

/// Longest address kept where all of it counts.
const ADDRESS_KEPT: usize = 200;

/// Where a target leads: what the page script tells, and the place of its address, as `page/capture/leads.js` takes it.
pub(crate) fn leads_of(told: Option<Destination>, href: Option<&str>) -> Destination {
    let mut leads = told.unwrap_or_default();
    if let (true, Some(href)) = (leads.0.is_empty(), href) {
        leads.0.insert("link".to_owned(), place_of(href));
    }
    leads
}

/// Schemes of what is somewhere, as `page/capture/leads.js` has them.
const NETWORK: [&str; 6] = ["http", "https", "ws", "wss", "ftp", "file"];

/// Scheme and origin of an address; all of it where it has none.
fn place_of(href: &str) -> String {
    let blob = href.strip_prefix("blob:").filter(|inner| inner.contains("://"));
    let rest = blob.unwrap_or(href);
    let is_network = |scheme: &str| NETWORK.iter().any(|known| known.eq_ignore_ascii_case(scheme));
    let Some((scheme, after)) = rest.split_once("://").filter(|(scheme, _)| is_network(scheme)) else {
        return href.chars().take(ADDRESS_KEPT).collect();
    };
    let authority = after.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{}{scheme}://{host}", if blob.is_some() { "blob:" } else { "" })
}
