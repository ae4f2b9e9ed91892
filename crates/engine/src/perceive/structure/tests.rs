//! Places in, places out.

use super::claims;
use crate::replay::node;
use handeye_scene::{Border, Capture, Claim, Node, NodeKind, Rect};

fn at(number: u32, role: &str, name: &str, rect: [f64; 4], parent: Option<usize>) -> Node {
    Node { rect: Rect::from(rect), parent, ..node(NodeKind::Item, number, role, name) }
}

fn capture(surface: &str, nodes: Vec<Node>) -> Capture {
    Capture { surface: surface.into(), viewport: Rect::new(0.0, 0.0, 1280.0, 1000.0), nodes, ..Capture::default() }
}

fn told(claims: &[Claim]) -> Vec<(&str, &str, [f64; 4])> {
    claims.iter().map(|c| (c.role.as_str(), c.name.as_str(), c.rect.into())).collect()
}

#[test]
fn columns_of_a_table_have_their_borders_at_the_right_of_their_headers() {
    let nodes = vec![
        at(1, "table", "", [8.0, 69.5, 481.0, 76.0], None),
        at(2, "row", "", [8.5, 70.0, 480.0, 25.0], Some(0)),
        at(3, "columnheader", "Name", [8.5, 70.0, 160.0, 25.0], Some(1)),
        at(4, "columnheader", "Amount", [168.5, 70.0, 160.0, 25.0], Some(1)),
        at(5, "rowheader", "Ada", [8.5, 95.0, 160.0, 25.0], Some(0)),
        // No table's.
        at(6, "columnheader", "Stray", [600.0, 70.0, 160.0, 25.0], None),
        // Out of the viewport.
        at(7, "columnheader", "Far", [1300.0, 70.0, 160.0, 25.0], Some(1)),
    ];
    let found = claims(&capture("web", nodes));
    assert_eq!(
        told(&found),
        [
            ("column border", "right of Name", [165.5, 70.0, 4.0, 25.0]),
            ("column border", "right of Amount", [325.5, 70.0, 4.0, 25.0]),
        ]
    );
    assert_eq!(found[1].reason.as_deref(), Some("right edge of columnheader \"Amount\""));
    assert_eq!(found[1].anchors, [node(NodeKind::Item, 4, "", "").id.unwrap()]);
}

#[test]
fn a_sheet_has_its_borders_in_the_headers_that_its_scroll_bars_reach_along() {
    let nodes = vec![
        at(1, "window", "Calc", [0.0, 0.0, 1280.0, 1000.0], None),
        at(2, "scrollbar", "Vertical", [1207.0, 169.0, 14.0, 796.0], Some(0)),
        at(3, "scrollbar", "Horizontal", [0.0, 965.0, 1202.0, 14.0], Some(0)),
        at(4, "grid", "Sheet1", [41.0, 182.0, 1166.0, 783.0], Some(0)),
        at(5, "gridcell", "A1", [41.0, 182.0, 82.0, 17.0], Some(3)),
        at(6, "gridcell", "B1", [123.0, 182.0, 82.0, 17.0], Some(3)),
        at(7, "gridcell", "A2", [41.0, 199.0, 82.0, 17.0], Some(3)),
        at(8, "gridcell", "B2", [123.0, 199.0, 82.0, 17.0], Some(3)),
    ];
    let found = claims(&capture("desktop", nodes.clone()));
    assert_eq!(
        told(&found)[..4],
        [
            ("column border", "right of A", [120.0, 169.0, 4.0, 13.0]),
            ("column border", "right of B", [202.0, 169.0, 4.0, 13.0]),
            ("row border", "below 1", [0.0, 196.0, 41.0, 4.0]),
            ("row border", "below 2", [0.0, 213.0, 41.0, 4.0]),
        ]
    );
    // Without scroll bars nobody knows of headers.
    let bare: Vec<Node> = nodes
        .into_iter()
        .filter(|n| n.role != "scrollbar")
        .map(|n| Node { parent: n.parent.map(|p| p.saturating_sub(2)), ..n })
        .collect();
    assert_eq!(told(&claims(&capture("desktop", bare))), []);
}

#[test]
fn scroll_bars_have_ends_and_number_fields_arrows() {
    let mut field = at(2, "spinbutton", "Count", [10.0, 10.0, 100.0, 20.0], None);
    field.extra.kind = Some("number".into());
    let mut custom = at(3, "spinbutton", "Made of divs", [10.0, 50.0, 100.0, 20.0], None);
    custom.extra.kind = None;
    let bar = Node { value: Some("0".into()), ..at(1, "scrollbar", "", [600.0, 0.0, 14.0, 400.0], None) };
    let found = claims(&capture("web", vec![bar, field, custom]));
    assert_eq!(
        told(&found),
        [
            ("scroll button", "upper end of scrollbar without a name", [600.0, 0.0, 14.0, 14.0]),
            ("scroll button", "lower end of scrollbar without a name", [600.0, 386.0, 14.0, 14.0]),
            ("scroll thumb", "thumb of scrollbar without a name", [600.0, 14.0, 14.0, 14.0]),
            ("spin arrow", "up in spinbutton \"Count\"", [93.0, 10.0, 15.0, 10.0]),
            ("spin arrow", "down in spinbutton \"Count\"", [93.0, 20.0, 15.0, 10.0]),
        ]
    );
}

#[test]
fn panes_are_split_and_text_areas_have_handles() {
    let panes = vec![
        at(1, "navigation", "Folders", [0.0, 0.0, 200.0, 900.0], None),
        at(2, "main", "Mails", [206.0, 0.0, 900.0, 900.0], None),
        // Too short beside the others to be split from them.
        at(3, "region", "Card", [1112.0, 0.0, 100.0, 200.0], None),
    ];
    let splitter = ("splitter", "between navigation \"Folders\" and main \"Mails\"", [200.0, 0.0, 6.0, 900.0]);
    assert_eq!(told(&claims(&capture("web", panes))), [splitter]);
    let mut notes = at(1, "textbox", "Notes", [100.0, 100.0, 180.0, 40.0], None);
    notes.extra.tag = Some("textarea".into());
    let handle = ("resize handle", "corner of textbox \"Notes\"", [265.0, 125.0, 15.0, 15.0]);
    assert_eq!(told(&claims(&capture("web", vec![notes.clone()]))), [handle]);
}

#[test]
fn a_split_pane_has_a_splitter_between_its_parts_however_they_are_called() {
    let part = |number: u32, kind: &str, rect: [f64; 4], parent: Option<usize>| {
        let mut made = at(number, "group", "", rect, parent);
        made.extra.kind = Some(kind.into());
        made
    };
    let holders = |gap: f64| {
        vec![
            part(1, "split pane", [0.0, 0.0, 400.0, 90.0], None),
            part(2, "pane", [0.0, 0.0, 120.0, 90.0], Some(0)),
            part(3, "pane", [120.0 + gap, 0.0, 280.0 - gap, 90.0], Some(0)),
            // Another one below, whose parts lie above each other.
            part(4, "split pane", [0.0, 100.0, 400.0, 90.0], None),
            part(5, "pane", [0.0, 100.0, 400.0, 40.0], Some(3)),
            part(6, "pane", [0.0, 146.0, 400.0, 44.0], Some(3)),
        ]
    };
    for (gap, wanted) in [(0.0, [118.0, 4.0]), (1.0, [118.5, 4.0]), (8.0, [120.0, 8.0])] {
        let found = claims(&Capture { holders: holders(gap), ..capture("desktop", Vec::new()) });
        let rects: Vec<[f64; 4]> = found.iter().map(|c| c.rect.into()).collect();
        assert_eq!(rects, [[wanted[0], 0.0, wanted[1], 90.0], [0.0, 140.0, 400.0, 6.0]], "{gap}");
        assert!(found.iter().all(|c| c.role == "splitter" && c.anchors.len() == 2));
    }
    // Too far apart, or not of one split pane.
    assert_eq!(claims(&Capture { holders: holders(40.0), ..capture("desktop", Vec::new()) }).len(), 1);
    let mut loose = holders(4.0);
    loose.iter_mut().for_each(|node| node.parent = None);
    assert_eq!(claims(&Capture { holders: loose, ..capture("desktop", Vec::new()) }), []);
    // A bar without a name has its ends, too.
    let bar = Capture {
        holders: vec![at(1, "scrollbar", "", [390.0, 0.0, 10.0, 300.0], None)],
        ..capture("desktop", Vec::new())
    };
    assert_eq!(told(&claims(&bar)).len(), 2);
}

#[test]
fn a_window_has_edges_where_its_manager_draws_a_border() {
    let inner = [104.0, 130.0, 300.0, 200.0];
    let told_at = |place: [f64; 4], outer: Option<[f64; 4]>| Capture {
        border: outer.map(|outer| Border { outer: outer.into(), inner: inner.into() }),
        ..capture("desktop", vec![at(1, "window", "Notes", place, None)])
    };
    let outer = |rect: Option<[f64; 4]>| told_at(inner, rect);
    let found = claims(&outer(Some([100.0, 106.0, 308.0, 228.0])));
    assert_eq!(
        told(&found),
        [
            ("window edge", "left edge of window \"Notes\"", [100.0, 130.0, 4.0, 200.0]),
            ("window edge", "right edge of window \"Notes\"", [404.0, 130.0, 4.0, 200.0]),
            ("window edge", "lower edge of window \"Notes\"", [104.0, 330.0, 300.0, 4.0]),
            ("window edge", "lower left corner of window \"Notes\"", [100.0, 330.0, 4.0, 4.0]),
            ("window edge", "lower right corner of window \"Notes\"", [404.0, 330.0, 4.0, 4.0]),
        ]
    );
    assert!(found.iter().all(|c| c.anchors.len() == 1 && c.reason.is_some()));
    let whole = [100.0, 106.0, 308.0, 228.0];
    assert_eq!(told(&claims(&told_at(whole, Some(whole)))), told(&found), "a toolkit that counts the border in");
    assert_eq!(claims(&told_at([0.0, 0.0, 50.0, 50.0], Some(whole))), [], "another window's tree");
    // A title alone, no border, another window's border, a shadow's width.
    for other in
        [None, Some([104.0, 106.0, 300.0, 224.0]), Some([500.0, 500.0, 50.0, 50.0]), Some([54.0, 80.0, 400.0, 300.0])]
    {
        assert_eq!(claims(&outer(other)), [], "{other:?}");
    }
}
