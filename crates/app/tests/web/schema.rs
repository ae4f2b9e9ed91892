//! Whether a JSON value is as a JSON Schema says: the keywords that our schemas use, no others.

use serde_json::Value;

/// Keywords that describe and don't restrict.
const WORDS: &[&str] = &["$schema", "$defs", "title", "description", "default", "format"];

/// Checks `value` against `schema`.
#[track_caller]
pub(crate) fn holds(schema: &Value, value: &Value) {
    if let Err(why) = check(schema, schema, value) {
        panic!("{why}\n  in {value}");
    }
}

fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let schema = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Object(schema) => schema,
        other => return Err(format!("no schema: {other}")),
    };
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let require = |holds: bool, why: &dyn Fn() -> String| if holds { Ok(()) } else { Err(why()) };
    let mut matched = Vec::new();
    for (keyword, given) in schema {
        match keyword.as_str() {
            "$ref" => {
                let name = given.as_str().and_then(|r| r.strip_prefix("#/$defs/")).ok_or("a reference elsewhere")?;
                check(root, &root["$defs"][name], value)?;
            }
            "type" => {
                let kinds = if given.is_array() { list(given) } else { vec![given.clone()] };
                require(kinds.iter().any(|k| is(value, k.as_str().unwrap_or_default())), &|| {
                    format!("{value} is not {given}")
                })?;
            }
            "const" => require(value == given, &|| format!("{value} is not {given}"))?,
            "enum" => require(list(given).contains(value), &|| format!("{value} is not one of {given}"))?,
            "required" => {
                for name in list(given) {
                    require(value.get(name.as_str().unwrap()).is_some(), &|| format!("{name} is missing in {value}"))?;
                }
            }
            "properties" => {
                for (name, of) in given.as_object().unwrap() {
                    matched.push(name.clone());
                    if let Some(member) = value.get(name) {
                        check(root, of, member).map_err(|why| format!("{name}: {why}"))?;
                    }
                }
            }
            "items" if value.is_array() => {
                list(value).iter().try_for_each(|item| check(root, given, item))?;
            }
            "prefixItems" if value.is_array() => {
                list(given).iter().zip(&list(value)).try_for_each(|(of, item)| check(root, of, item))?;
            }
            "anyOf" | "oneOf" => {
                let results: Vec<_> = list(given).iter().map(|of| check(root, of, value)).collect();
                let good = results.iter().filter(|r| r.is_ok()).count();
                require(good == 1 || good > 1 && keyword == "anyOf", &|| format!("{good} of {keyword}: {results:?}"))?;
            }
            "allOf" => list(given).iter().try_for_each(|of| check(root, of, value))?,
            "minItems" if value.is_array() => {
                require(list(value).len() as u64 >= given.as_u64().unwrap(), &|| format!("{value} is short"))?
            }
            "maxItems" if value.is_array() => {
                require(list(value).len() as u64 <= given.as_u64().unwrap(), &|| format!("{value} is long"))?
            }
            "minimum" if value.is_number() => {
                require(value.as_f64() >= given.as_f64(), &|| format!("{value} is below {given}"))?
            }
            "maximum" if value.is_number() => {
                require(value.as_f64() <= given.as_f64(), &|| format!("{value} is above {given}"))?
            }
            "additionalProperties" | "items" | "prefixItems" | "minimum" | "maximum" | "minItems" | "maxItems" => {}
            word if WORDS.contains(&word) => {}
            word => return Err(format!("the keyword {word} is not known here")),
        }
    }
    // Members that no schema names would be undocumented.
    if let (false, Some(members)) = (matched.is_empty(), value.as_object()) {
        let combined = ["$ref", "oneOf", "anyOf", "allOf"].iter().any(|k| schema.contains_key(*k));
        if let Some(unknown) = members.keys().find(|k| !combined && !matched.contains(k)) {
            return Err(format!("{unknown} is not documented"));
        }
    }
    Ok(())
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no such type: {other}"),
    }
}
