//! Reading the boxes out of what a model says: fences and chatter around them, other names of the members, and an end that is
//! missing are put up with.

use serde_json::{Map, Value};

/// Brackets of an answer that are tried as the begin of the list.
const TRIED: usize = 50;
/// Most boxes of one answer that are read.
const MOST: usize = 10_000;

/// A box of an answer, as it was said.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Said {
    pub(super) role: String,
    pub(super) name: String,
    /// Left, top, right and bottom; none where that can't be read.
    pub(super) sides: Option<[f64; 4]>,
    pub(super) confidence: Option<f64>,
    /// Numbers of the elements that it was computed from.
    pub(super) anchors: Vec<u64>,
}

/// The boxes of an answer; none where it holds no list. `true`: the list has no end, as it was cut off.
pub(super) fn boxes(text: &str) -> Option<(Vec<Said>, bool)> {
    let begins: Vec<usize> = begins(text).take(TRIED).collect();
    let whole = begins.iter().filter_map(|at| list(&text[*at..]));
    // The longest: a model may give an example first.
    if let Some(list) = whole.reduce(|best, next| if next.len() > best.len() { next } else { best }) {
        return Some((list.iter().take(MOST).filter_map(said).collect(), false));
    }
    let (first, rest) = (begins.first()?, begins.iter());
    let objects = rest.map(|at| objects(&text[at + 1..])).find(|(found, _)| !found.is_empty());
    let nothing = || text[first + 1..].trim_start().starts_with('{').then(|| (Vec::new(), true));
    let (objects, is_cut) = objects.or_else(nothing)?;
    Some((objects.iter().filter_map(said).collect(), is_cut))
}

/// Where a list may begin: before an object, or before its own end.
fn begins(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices('[').filter(|(at, _)| text[at + 1..].trim_start().starts_with(['{', ']'])).map(|(at, _)| at)
}

/// A whole list of objects that a text begins with.
fn list(text: &str) -> Option<Vec<Value>> {
    match serde_json::Deserializer::from_str(text).into_iter::<Value>().next()? {
        Ok(Value::Array(items)) if items.iter().all(Value::is_object) => Some(items),
        _ => None,
    }
}

/// The objects at the begin of a list that can't be read as a whole, without those that can't be read themselves; `true`: it has no end.
fn objects(mut text: &str) -> (Vec<Value>, bool) {
    let mut found = Vec::new();
    for _ in 0..MOST {
        text = text.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Some(end) = object_end(text) else { break };
        found.extend(serde_json::from_str::<Value>(&text[..end]).ok().filter(Value::is_object));
        text = &text[end..];
    }
    (found, !text.starts_with(']'))
}

/// Where the object ends that a text begins with, whatever is in it.
fn object_end(text: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if std::mem::take(&mut escaped) => {}
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' if !in_text => depth += 1,
            b'}' if !in_text => depth = depth.checked_sub(1)?,
            _ => {}
        }
        match depth {
            0 if byte == b'}' && !in_text => return Some(at + 1),
            0 => return None,
            _ => {}
        }
    }
    None
}

fn said(value: &Value) -> Option<Said> {
    let object = value.as_object()?;
    let word = |keys: &[&str]| member(object, keys).and_then(Value::as_str).unwrap_or_default().to_owned();
    let anchors = member(object, &["anchors", "anchor", "from"]);
    let anchors = match anchors {
        Some(Value::Array(numbers)) => numbers.iter().filter_map(number).map(|n| n as u64).collect(),
        Some(one) => number(one).map(|n| n as u64).into_iter().collect(),
        None => Vec::new(),
    };
    Some(Said {
        role: word(&["role", "type", "kind", "control_type"]),
        name: word(&["name", "label", "text", "description"]),
        // `box_2d` is another convention: thousandths, top first.
        sides: member(object, &["box", "bbox", "rect", "bounding_box"]).and_then(sides),
        // What is no share of 1 says nothing.
        confidence: member(object, &["confidence", "score"]).and_then(number).filter(|said| (0.0..=1.0).contains(said)),
        anchors,
    })
}

fn member<'a>(object: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().find_map(|key| object.get(*key))
}

/// A number, or a text that is one.
fn number(value: &Value) -> Option<f64> {
    let text = value.as_str().map(|text| text.trim_matches(['[', ']', ' ']).parse().ok());
    value.as_f64().or(text.flatten()).filter(|n| n.is_finite())
}

/// Left, top, right and bottom, whichever way they are given.
fn sides(value: &Value) -> Option<[f64; 4]> {
    if let Value::Array(sides) = value {
        let sides: Vec<f64> = sides.iter().filter_map(number).collect();
        return sides.try_into().ok();
    }
    let object = value.as_object()?;
    let side = |keys: &[&str]| member(object, keys).and_then(number);
    let (left, top) = (side(&["left", "x", "x1"])?, side(&["top", "y", "y1"])?);
    let right = side(&["right", "x2"]).or_else(|| Some(left + side(&["width", "w"])?))?;
    let bottom = side(&["bottom", "y2"]).or_else(|| Some(top + side(&["height", "h"])?))?;
    Some([left, top, right, bottom])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"role":"button","name":"Save","box":[1,2,30,40],"confidence":0.9}"#;

    fn names(text: &str) -> Option<(Vec<String>, bool)> {
        let (found, is_cut) = boxes(text)?;
        Some((found.into_iter().map(|said| said.name).collect(), is_cut))
    }

    #[test]
    fn the_list_is_found_in_whatever_stands_around_it() {
        let one = (vec!["Save".to_owned()], false);
        for text in [
            format!("[{ONE}]"),
            format!("```json\n[{ONE}]\n```"),
            format!("Here [as asked] are the elements:\n[ {ONE} ]\nNote: [2] is left out."),
            format!("{{\"elements\": [{ONE}]}}"),
            format!("For example [] or {{}}; here:\n[{ONE}]"),
            format!("\u{feff}[{ONE}]"),
        ] {
            assert_eq!(names(&text), Some(one.clone()), "{text}");
        }
        assert_eq!(names("```\n[]\n```"), Some((Vec::new(), false)));
    }

    #[test]
    fn of_a_list_that_is_cut_off_the_whole_boxes_count() {
        assert_eq!(names(&format!("[{ONE}, {{\"role\":\"but")), Some((vec!["Save".to_owned()], true)));
        assert_eq!(names("[{\"role\":\"but"), Some((Vec::new(), true)));
    }

    #[test]
    fn a_box_that_cannot_be_read_takes_no_other_with_it() {
        let two = vec!["Save".to_owned(); 2];
        for bad in [r#"{"box":[1e309,1,2,3]}"#, r#"{"name":"a } ] \" {"!}"#, r#"{"a":{"b":[}}"#] {
            assert_eq!(names(&format!("[{ONE}, {bad}, {ONE}]")), Some((two.clone(), false)), "{bad}");
            assert_eq!(names(&format!("[{ONE}, {bad}, {ONE}, {{\"role")), Some((two.clone(), true)), "{bad}");
        }
    }

    #[test]
    fn a_confidence_that_is_no_share_of_one_says_nothing() {
        for (said, wanted) in
            [("0", Some(0.0)), ("1", Some(1.0)), ("\"0.5\"", Some(0.5)), ("7", None), ("-1", None), ("1e309", None)]
        {
            let (found, _) = boxes(&format!("[{ONE}, {{\"confidence\":{said}}}]")).unwrap();
            assert_eq!(found.get(1).and_then(|one| one.confidence), wanted, "{said}");
        }
    }

    #[test]
    fn what_holds_no_list_is_none() {
        for text in ["", "I can't help with that.", "<html><body>502</body></html>", "[1, 2, 3]", "{\"a\": 1}", "["] {
            assert_eq!(boxes(text), None, "{text}");
        }
    }

    #[test]
    fn members_have_more_than_one_name_and_form() {
        let text = r#"[{"type":"Button","label":"A","bbox":{"x":1,"y":2,"width":3,"height":4},"score":"0.8","anchors":["[3]", 4]},
            {"role":"link","box":{"left":1,"top":2,"right":3,"bottom":4},"anchors":7}, {"box":[1,2,3]}, {"box":[1,2,"x",4]}]"#;
        let (found, _) = boxes(text).unwrap();
        let expected = Said {
            role: "Button".into(),
            name: "A".into(),
            sides: Some([1.0, 2.0, 4.0, 6.0]),
            confidence: Some(0.8),
            anchors: vec![3, 4],
        };
        assert_eq!(found[0], expected);
        assert_eq!((found[1].sides, &found[1].anchors), (Some([1.0, 2.0, 3.0, 4.0]), &vec![7]));
        assert_eq!((found[2].sides, found[3].sides), (None, None));
    }

    #[test]
    fn ten_thousand_boxes_and_a_thousand_brackets_are_read_soon() {
        let many = format!("[{}]", vec![ONE; 20_000].join(","));
        assert_eq!(boxes(&many).unwrap().0.len(), 10_000);
        let deep = "[{\"a\":".repeat(5_000);
        assert_eq!(boxes(&deep), Some((Vec::new(), true)));
        assert_eq!(boxes(&"[ {".repeat(100_000)), Some((Vec::new(), true)));
    }
}
