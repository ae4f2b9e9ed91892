//! Links and forms that lead where nothing answers: the browser's own page about that is no effect that was meant.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;
use std::sync::OnceLock;

/// A port of the machine that nobody listens at.
fn nowhere() -> &'static str {
    static NOWHERE: OnceLock<String> = OnceLock::new();
    NOWHERE.get_or_init(|| {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", free.local_addr().unwrap())
    })
}

fn site(_: &str) -> Answer {
    let nowhere = nowhere();
    page(format!(
        "<title>Leads away</title><a id=link href={nowhere}/pay>Pay now</a>
        <form action={nowhere}/find><button id=find>Find</button></form>
        <form action={nowhere}/pay method=post><button id=send>Send order</button></form>
        <iframe name=inside srcdoc='inside'></iframe> <a id=within href={nowhere}/in target=inside>Within</a>
        <button id=adds>Adds</button> <p id=out></p>
        <a id=beside href={nowhere}/tab target=_blank>Beside</a> <a id=there href=/there target=_blank>There</a>
        <form action={nowhere}/sent method=post target=_blank><button id=posts>Posts</button></form>
        <button id=opens>Opens</button> <button id=pays>Pays</button>
        <script>pays.onclick = () => {{ out.textContent = 'paid'; open('{nowhere}/advert') }}; opens.onclick = () => {{ open('{nowhere}/opened') }}; adds.onclick = () => {{
            out.textContent = 'added';
            document.body.append(Object.assign(document.createElement('iframe'), {{ src: '{nowhere}/advert' }}));
        }}</script>"
    ))
}

#[test]
fn what_leads_where_nothing_answers_is_not_confirmed() {
    let nowhere = nowhere();
    let live = Live::open(site);
    let mut sample = Sample::one_in(3);
    for (id, verdict, to) in [
        ("link", "contradicted", Some("/pay")),
        ("find", "contradicted", Some("/find?")),
        // What was sent may have arrived before the answer was lost.
        ("send", "unverifiable", Some("/pay")),
        ("within", "contradicted", Some("/in")),
        ("beside", "contradicted", Some("/tab")),
        ("opens", "contradicted", Some("/opened")),
        ("posts", "unverifiable", Some("/sent")),
        // What the page says itself may be the answer.
        ("pays", "unverifiable", Some("/advert")),
        ("there", "confirmed", None),
        // What the page puts in beside its own answer decides nothing.
        ("adds", "confirmed", None),
    ] {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at("/")));
        let told: Value = live.run(&format!("click css=#{id} --json")).json();
        assert_eq!(told["verdict"], verdict, "{id}: {told:#}");
        let evidence = told["evidence"].as_array().unwrap();
        let unreached = evidence.iter().find(|e| e["kind"] == "unreachable").map(|e| e["url"].clone());
        assert_eq!(unreached, to.map(|to| format!("{nowhere}{to}").into()), "{id}: {told:#}");
    }
}
