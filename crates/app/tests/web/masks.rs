//! Fields that write what is put in in a way of their own: what they show is told, and what they lose or change is no success.
//!
//! A sample by default: each way of putting something in tries one row of four, each of them others; with
//! `HANDEYE_TRIALS=full`, all of them.

use handeye_testkit::Sample;
use handeye_testkit::live::{Live, page};
use serde_json::Value;

const PAGE: &str = r#"<title>Masks</title>
<input id=phone> <input id=money> <input id=date> <input id=card> <input id=upper> <input id=trim> <input id=lost> <input id=other> <input id=half>
<input id=decimals> <input id=comma> <input id=late> <input id=plain> <input id=blurred>
<script>
const digits = (text) => text.replace(/\D/g, '');
const shapes = {
  phone: (v) => { const d = digits(v).slice(0, 10); return d.length > 6 ? `(${d.slice(0, 3)}) ${d.slice(3, 6)}-${d.slice(6)}` : d.length > 3 ? `(${d.slice(0, 3)}) ${d.slice(3)}` : d },
  money: (v) => digits(v) && '$' + Number(digits(v)).toLocaleString('en-US'),
  date: (v) => { const d = digits(v).slice(0, 8); return [d.slice(0, 4), d.slice(4, 6), d.slice(6)].filter(Boolean).join('/') },
  card: (v) => digits(v).slice(0, 16).replace(/(.{4})(?=.)/g, '$1 '),
  upper: (v) => v.toUpperCase(),
  trim: (v) => v.trimStart(),
  lost: (v) => v.replace(/[aeiou]/g, ''),
  other: (v) => v.replace(/e/g, 'a'),
  half: (v) => v.slice(0, 3),
  decimals: (v) => digits(v),
  comma: (v) => v.replace('.', ','),
};
for (const [id, shape] of Object.entries(shapes)) {
  const field = document.getElementById(id);
  field.addEventListener('input', () => { const now = shape(field.value); if (now !== field.value) field.value = now });
}
late.addEventListener('input', () => setTimeout(() => { late.value = late.value.toUpperCase() }, 20));
blurred.addEventListener('change', () => { blurred.value = blurred.value.toUpperCase() });
</script>"#;

/// A field, what is put in, what it shows then, and the verdict.
const ROWS: &[(&str, &str, &str, &str)] = &[
    ("phone", "5551234567", "(555) 123-4567", "confirmed"),
    ("phone", "555-123-4567", "(555) 123-4567", "confirmed"),
    ("phone", "55512345678", "(555) 123-4567", "contradicted"),
    ("money", "1234567", "$1,234,567", "confirmed"),
    ("money", "12.50", "$1,250", "contradicted"),
    ("date", "20260314", "2026/03/14", "confirmed"),
    ("date", "2026-03-14", "2026/03/14", "confirmed"),
    ("card", "4111111111111111", "4111 1111 1111 1111", "confirmed"),
    ("card", "41111111111111112", "4111 1111 1111 1111", "contradicted"),
    ("upper", "hello", "HELLO", "confirmed"),
    ("trim", "  hello", "hello", "confirmed"),
    ("lost", "hello", "hll", "contradicted"),
    ("other", "hello", "hallo", "contradicted"),
    ("half", "hello", "hel", "contradicted"),
    ("decimals", "12.5", "125", "contradicted"),
    ("comma", "12.50", "12,50", "unverifiable"),
    ("late", "hello", "HELLO", "confirmed"),
    ("plain", "hello", "hello", "confirmed"),
];

/// Tries rows of the table, in the short run the part of this number.
fn shows_in_its_way(part: usize, line: impl Fn(&str, &str) -> String, rows: &[(&str, &str, &str, &str)]) {
    let mut sample = Sample::one_in(4).beginning_at(part);
    let live = Live::closed(|_| page(PAGE));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let mut wrong = Vec::new();
    for (id, text, shown, wanted) in rows {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at("/")));
        let told: Value = live.run(&format!("{} --json", line(id, text))).json();
        let value = live.json(&format!("eval 'document.getElementById(\"{id}\").value'"))["value"].clone();
        let told_value = told["evidence"].as_array().into_iter().flatten().any(|e| e["value"] == *shown);
        if told["verdict"] != *wanted || value != *shown || *wanted == "confirmed" && !told_value {
            wrong.push(format!("{id} {text}, shows {value}: {told:#}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_field_that_writes_its_text_in_its_own_way_holds_it() {
    shows_in_its_way(0, |id, text| format!("input css=#{id} '{text}'"), ROWS);
}

#[test]
fn keys_in_a_field_that_writes_in_its_own_way_are_judged_alike() {
    let rows: Vec<_> = ROWS.iter().filter(|(id, _, _, _)| !matches!(*id, "trim" | "comma" | "late")).copied().collect();
    shows_in_its_way(2, |id, text| format!("type '{text}' --target css=#{id}"), &rows);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_value_that_is_put_in_whole_is_judged_alike() {
    shows_in_its_way(3, |id, text| format!("input css=#{id} '{text}' --method value"), ROWS);
}
