//! Looking: state, find, inspect, get, screenshot.

use crate::schema;
use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::{Value, json};

const ORDER: &str = r#"<title>Order "7"</title>
<body style="margin:0; font:16px/20px sans-serif">
<nav aria-label="Main"><a href="/next?a=1#top">Home</a></nav>
<h1>Your order</h1>
<p>Three things <b>to do</b> today.</p>
<form aria-label="Order">
  <label>Name <input value="Ann" required></label>
  <input type="search" placeholder="Search orders" title="Finds orders">
  <label>Fruit <select><option>Apple<option selected>Pear<option>Plum<option>Quince</select></label>
  <label><input type="checkbox" checked> Gift</label>
  <label>Secret <input type="password" value="hunter2"></label>
  <button type="button" data-testid="next" disabled>下一页</button>
  <button type="button" aria-expanded="false" aria-label="More options">…</button>
</form>
<ul><li>First item</li><li>Second item</li></ul>
<img alt="A red square" width=20 height=20 src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><rect width='20' height='20' fill='red'/></svg>">
<div style="height:2000px"></div>
<div id="low"><button>Low one</button> <button>Low two</button></div>"#;

fn order(path: &str) -> Answer {
    match path {
        "/" => page(ORDER),
        path if path.starts_with("/show/") => page(SHOW.replace("NAME", path.trim_start_matches("/show/"))),
        path => Answer::File(path.trim_start_matches("/files/").to_owned()),
    }
}

#[test]
fn the_state_is_a_numbered_list() {
    let live = Live::open(order);
    let url = live.site.at("/");
    let state = live.ok("state");
    let wanted = format!(
        r#"page "Order \"7\"" {url}  10 targets
navigation "Main"
[1] link "Home"
heading 1 "Your order"
text "Three things to do today."
form "Order"
[2] textbox "Name" value="Ann" required
[3] searchbox "Finds orders" placeholder="Search orders"
[4] combobox "Fruit" value="Pear" 4 options
[5] checkbox "Gift" checked
[6] textbox "Secret" value="•••••••" type=password
[7] button "下一页" disabled
[8] button "More options" collapsed
text "…"
listitem "First item · Second item"
img "A red square"
[9] button "Low one" ↓
[10] button "Low two" ↓"#
    );
    assert_eq!(state, wanted);
    // The same again: refs are stable.
    assert_eq!(live.ok("state"), state);

    let visible = live.ok("state --visible");
    assert!(visible.starts_with(&format!(r#"page "Order \"7\"" {url}  8 targets, 2 more not shown"#)), "{visible}");
    assert!(!visible.contains("Low one"), "{visible}");

    let verbose = live.ok("state --verbose");
    let line = |text: &str, of: &str| {
        text.lines().find(|l| l.contains(of)).unwrap_or_else(|| panic!("{of}: {text}")).to_owned()
    };
    let home = line(&verbose, "[1] link");
    assert!(home.ends_with(&format!("xpath=/html[1]/body[1]/nav[1]/a[1] href={url}next?a=1#top")), "{home}");
    assert_eq!(live.ok("get rect 1"), home.split("rect=").nth(1).unwrap().split(' ').next().unwrap());

    let all = live.ok("state --all");
    for wanted in ["listitem \"First item\"", "heading \"Your order\"", "img \"A red square\""] {
        let line = line(&all, wanted);
        assert!(line.starts_with('[') && line.contains(&format!("] {wanted}")), "{line}");
    }
    let item = line(&all, "First item");
    let number = item.split(['[', ']']).nth(1).unwrap();
    assert_eq!(live.ok(&format!("get text {number}")), "First item");

    let tree = live.ok("state --tree");
    let depth = |of: &str| line(&tree, of).chars().take_while(|c| *c == ' ').count() / 2;
    assert!(depth("[2] textbox") > depth("heading 1"), "{tree}");

    let low = live.number("#low");
    let within = live.ok(&format!("state --within {low}"));
    let lines: Vec<&str> = within.lines().skip(1).collect();
    assert_eq!(lines, ["[9] button \"Low one\" ↓", "[10] button \"Low two\" ↓"], "{within}");
    assert!(live.problem("state --within 9999").starts_with("error[not_found]: there is no target [9999]"));

    live.ok("state --screenshot state.png");
    assert_eq!(std::fs::read(live.home.work().join("state.png")).unwrap()[1..4], *b"PNG");
}

#[test]
fn the_json_form_is_the_documented_one() {
    let live = Live::open(order);
    let state = live.json("state --screenshot s.png");
    let members: Vec<&String> = state.as_object().unwrap().keys().collect();
    let mut wanted = vec![
        "surface",
        "window",
        "process",
        "url",
        "title",
        "timestamp",
        "screenshot",
        "generation",
        "documents",
        "targets",
        "omitted",
        "notices",
        "viewport",
        "scale",
    ];
    wanted.sort_unstable();
    let mut sorted = members.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, wanted);
    assert_eq!(state["surface"], "web");
    assert_eq!(state["title"], "Order \"7\"");
    assert_eq!(state["omitted"], 0);
    assert_eq!(state["screenshot"], live.home.work().join("s.png").display().to_string());
    let time = state["timestamp"].as_str().unwrap();
    assert!(time.len() == 20 && time.ends_with('Z') && time.as_bytes()[10] == b'T', "{time}");
    let documents = state["documents"].as_array().unwrap();
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0]["origin"], format!("http://127.0.0.1:{}", live.site.port));
    assert_eq!(documents[0]["parent_ref"], Value::Null);
    let name = &state["targets"][1];
    let mut rect = name["rect"].as_array().unwrap().iter();
    assert!(rect.len() == 4 && rect.all(|n| n.as_f64().is_some_and(|n| n >= 0.0)), "{name}");
    let fixed = |key: &str| name[key].clone();
    assert_eq!(
        ["ref", "role", "name", "value", "states", "document", "source"].map(fixed).to_vec(),
        [
            json!(2),
            json!("textbox"),
            json!("Name"),
            json!("Ann"),
            json!(["required"]),
            documents[0]["id"].clone(),
            json!("native")
        ]
    );
    assert_eq!(state["targets"][0]["href"], live.site.at("/next?a=1#top"));
    assert_eq!(live.json("state")["generation"].as_u64(), state["generation"].as_u64().map(|g| g + 1));

    // What comes is what the generated schema says.
    let docs = live.run("_docs schema").exit(0).json();
    schema::holds(&docs["state"], &state);
    for (line, command) in [
        ("get rect 1", "get"),
        ("find --role button", "find"),
        ("inspect 4", "inspect"),
        ("click 8", "click"),
        ("scroll down 100", "scroll"),
        ("reload", "reload"),
        ("tabs list", "tabs"),
        ("wait 0", "wait"),
        ("config show", "config"),
    ] {
        let ran = live.run(&format!("{line} --json"));
        schema::holds(&docs["commands"][command]["output"], &ran.json());
    }
    let problem = live.run("click 999 --json").exit(2).json();
    schema::holds(&docs["problem"], &problem["error"]);
}

#[test]
fn find_tells_what_has_no_name_by_its_text() {
    let live = Live::open(|_| page("<div id=bare onclick=0>Bare one</div>"));
    assert_eq!(live.ok("find --css '#bare'"), "[1] generic \"Bare one\"");
}

#[test]
fn find_takes_every_condition() {
    let live = Live::open(order);
    let found = |line: &str| live.ok(&format!("find {line}"));
    live.ok("state");
    assert_eq!(found("'more options'"), "[8] button \"More options\" collapsed");
    assert_eq!(found("--role checkbox"), "[5] checkbox \"Gift\" checked");
    assert_eq!(found("--name Home"), "[1] link \"Home\"");
    assert_eq!(found("--role textbox --name Name"), "[2] textbox \"Name\" value=\"Ann\" required");
    assert_eq!(found("--label Fruit"), "[4] combobox \"Fruit\" value=\"Pear\" 4 options");
    assert_eq!(found("--placeholder 'Search orders'"), "[3] searchbox \"Finds orders\" placeholder=\"Search orders\"");
    assert_eq!(found("--testid next"), "[7] button \"下一页\" disabled");
    assert_eq!(found("--css 'form button'"), "[7] button \"下一页\" disabled\n[8] button \"More options\" collapsed");
    assert_eq!(found("下一页"), "[7] button \"下一页\" disabled");
    assert_eq!(found("--css button --name 'Low two'"), "[10] button \"Low two\" off-screen");
    assert_eq!(found("--role link --in 0,0,300,20"), "[1] link \"Home\"");
    assert_eq!(found("--role button --in -10.5,1500,2000,900.25").lines().count(), 2);
    assert!(
        live.problem("find --role link --in 600,0,10,10")
            .starts_with("error[not_found]: nothing has role \"link\" and in 600,0,10,10")
    );
    assert!(live.problem("find nonsense").contains("nothing has text \"nonsense\""));
    assert!(live.problem("find").starts_with("error[bad_request]: nothing to look for was given"));
    assert!(live.problem("find --in 1,2,3").contains("error[bad_request]"));
    // Texts are found where nothing that can be operated says so.
    let text = live.ok("find 'three things'");
    assert!(text.ends_with(r#"text "Three things to do today.""#), "{text}");
    // The nearest first.
    assert_eq!(
        found("--role button --near 5").lines().collect::<Vec<_>>(),
        [
            r#"[7] button "下一页" disabled"#,
            r#"[8] button "More options" collapsed"#,
            r#"[10] button "Low two" off-screen"#,
            r#"[9] button "Low one" off-screen"#
        ]
    );
    assert!(live.problem("find --near 99").contains("there is no target [99]"));
    let json = live.json("find --testid next");
    assert_eq!(json["targets"][0]["ref"], 7);
    assert_eq!(json["targets"][0]["states"], json!(["disabled"]));
}

#[test]
fn inspect_and_get_tell_of_one_target() {
    let live = Live::open(order);
    live.ok("state");
    let select = live.ok("inspect 4");
    for wanted in [
        "[4] combobox \"Fruit\"\n",
        "tag: select",
        "value: \"Pear\"",
        "visible: true",
        "enabled: true",
        "options: \"Apple\", \"Pear\" selected, \"Plum\", \"Quince\"",
        "xpath: /html[1]/body[1]/form[1]/label[2]/select[1]",
    ] {
        assert!(select.contains(wanted), "{wanted}: {select}");
    }
    let search = live.json("inspect --css '[type=search]'");
    assert_eq!(search["texts"]["placeholder"], "Search orders");
    assert_eq!(search["texts"]["title"], "Finds orders");
    assert_eq!((&search["tag"], &search["type"]), (&json!("input"), &json!("search")));
    assert_eq!(live.json("inspect 7")["enabled"], false);
    assert_eq!(live.json("inspect 5")["checked"], true);

    assert_eq!(live.ok("get text 1"), "Home");
    assert_eq!(live.ok("get text --css p"), "Three things to do today.");
    assert!(live.ok("get text").starts_with("  | Home\n  | Your order\n"), "{}", live.ok("get text"));
    assert_eq!(live.ok("get value 2"), "Ann");
    assert_eq!(live.ok("get value 4"), "Pear");
    assert_eq!(live.ok("get attr 7 data-testid"), "next");
    assert_eq!(live.ok("get attr --css a href"), "/next?a=1#top");
    assert_eq!(live.json("get attr 7 nothing")["value"], Value::Null);
    assert_eq!(live.ok("get url"), live.site.at("/"));
    assert_eq!(live.ok("get title"), "  | Order \"7\"");
    assert_eq!(
        live.ok("get html --testid next"),
        "  | <button type=\"button\" data-testid=\"next\" disabled=\"\">下一页</button>"
    );
    assert!(live.ok("get html").contains("<h1>Your order</h1>"));
    let rect = live.json("get rect --css img")["value"].clone();
    assert_eq!((&rect[2], &rect[3]), (&json!(20.0), &json!(20.0)));
    // A password is told by nobody.
    for line in ["get value 6", "inspect 6", "state --verbose", "inspect 6 --json"] {
        let out = live.ok(line);
        assert!(!out.contains("hunter2"), "{line}: {out}");
    }
}

#[test]
fn how_far_the_page_is_scrolled_is_told() {
    let live = Live::open(|path| match path {
        "/short" => page("<title>Short</title><p>short"),
        _ => page("<title>Long</title><body style='margin:0; width:3000px; height:4000px'>"),
    });
    assert_eq!(live.ok("get scroll"), "0,0,1720,3280");
    live.ok("scroll down 600");
    live.ok("scroll right 100");
    assert_eq!(live.json("get scroll")["value"], json!([100.0, 600.0, 1720.0, 3280.0]));
    live.ok("scroll bottom");
    assert_eq!(live.ok("get scroll"), "100,3280,1720,3280");
    live.ok(&format!("open {}", live.site.at("/short")));
    assert_eq!(live.ok("get scroll"), "0,0,0,0");
}

const PICTURE: &str = r#"<title>Picture</title><body style="margin:0; height:1500px; background:#0000ff">
<div id=box style="position:absolute; left:100px; top:900px; width:50px; height:30px; background:#ff0000"></div>
<div style="position:absolute; left:0; top:0; width:40px; height:40px; background:#00ff00"></div>"#;

/// Draws a picture and logs its size and two pixels: the first, and the middle one.
const SHOW: &str = r#"<title>Show</title><script>
const image = new Image();
image.onload = () => {
  const c = document.createElement('canvas'), w = c.width = image.width, h = c.height = image.height;
  const g = c.getContext('2d');
  g.drawImage(image, 0, 0);
  const at = (x, y) => [...g.getImageData(x, y, 1, 1).data].slice(0, 3).map(v => v > 200 ? 1 : v < 50 ? 0 : '?').join('');
  log(w + 'x' + h, at(2, 2), at(w / 2, h / 2));
  document.title = 'done';
};
image.src = '/files/NAME';
</script>"#;

#[test]
fn a_page_longer_than_a_picture_is_cut_and_that_is_said() {
    let live = Live::open(|_| page("<style>body { margin: 0 } div { height: 20000px; background: red }</style><div>"));
    let mut sample = Sample::one_in(2);
    for (name, shown) in [("t.webp", 16383), ("t.png", 16384)] {
        if !sample.takes() {
            continue;
        }
        let said = live.ok(&format!("screenshot --full {name}"));
        assert!(said.contains(&format!("shows 0,0 1280×{shown} at scale 1)")), "{said}");
        assert!(
            said.contains(&format!(
                "\nnotice cut: the page is larger than a picture may be: 1280×20000, of which 1280×{shown} are shown"
            )),
            "{said}"
        );
        assert!(std::fs::metadata(live.home.work().join(name)).unwrap().len() > 1000, "{name} is empty");
    }
    let said = live.problem("screenshot --css div d.webp");
    assert!(said.starts_with("error[unsupported]: 1280×20000 CSS pixels are more"), "{said}");
    assert!(!live.home.work().join("d.webp").exists());
}

#[test]
fn screenshots_show_the_page_a_target_or_all_of_it() {
    fn route(path: &str) -> Answer {
        if path == "/" { page(PICTURE) } else { order(path) }
    }
    let live = Live::open(route);
    let cases = [
        ("v.png", "", &b"\x89PNG\r\n\x1a\n"[..], "1280x720 010 001"),
        ("v.jpg", "--quality 90", b"\xff\xd8\xff", "1280x720 010 001"),
        ("v.webp", "", b"RIFF", "1280x720 010 001"),
        ("full.png", "--full", b"\x89PNG", "1280x1500 010 001"),
        ("box.png", "--css #box", b"\x89PNG", "50x30 100 100"),
        ("box.jpeg", "--css #box", b"\xff\xd8\xff", "50x30 100 100"),
        ("odd.bin", "--format webp", b"RIFF", "1280x720 010 001"),
    ];
    // Both loops try the same ones: a picture as JPEG, one of all of the page, and one of a target.
    let (mut taken, mut shown) = (Sample::one_in(2).beginning_at(1), Sample::one_in(2).beginning_at(1));
    for (name, options, magic, _) in cases {
        if !taken.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at("/")));
        let saved = live.json(&format!("screenshot {name} {options}"));
        let bytes = std::fs::read(live.home.work().join(name)).unwrap();
        assert!(bytes.starts_with(magic), "{name}: {:?}", &bytes[..8]);
        assert_eq!(saved["bytes"], bytes.len());
        assert_eq!(saved["scale"], 1.0);
    }
    for (name, _, _, wanted) in cases {
        if !shown.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at(&format!("/show/{name}"))));
        live.ok("wait --idle");
        assert_eq!(live.ok("get title"), "done", "{name} is no picture");
        assert_eq!(live.ok("get attr --xpath /html data-log"), wanted, "{name}");
    }
    live.ok(&format!("open {}", live.site.at("/")));
    // A target out of view is brought into view; the area says where it is now.
    let area = live.json("screenshot again.png --css #box")["area"].clone();
    assert_eq!(live.json("get rect --css #box")["value"], area);
    for (line, wanted) in [
        ("screenshot page.txt", "error[bad_request]: the ending of "),
        ("screenshot p.png --quality 50", "error[bad_request]: --quality is for jpeg and webp"),
        ("screenshot p.png --full --css #box", "error[bad_request]: --full shows the whole page"),
        ("screenshot none/p.png", "error[file]: can't write "),
        ("screenshot p.jpg --quality 101", "error[bad_request]: "),
        ("screenshot p.png --css #none", "error[not_found]: nothing matches --css '#none'"),
    ] {
        let said = live.problem(line);
        assert!(said.starts_with(wanted), "{line}: {said}");
    }
    let left: Vec<_> = std::fs::read_dir(live.home.work()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|f| f.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn any_command_returns_the_state_or_its_change() {
    fn route(_: &str) -> Answer {
        page(
            "<title>Count</title><button onclick='n.textContent = +n.textContent + 1'>Add</button><p>Count <span id=n>1</span></p><button>Still</button>",
        )
    }
    let live = Live::open(route);
    // Nothing was shown yet: all of it.
    let first = live.ok("get title --return-state");
    assert_eq!(
        first,
        format!(
            "Count\npage \"Count\" {}  2 targets\n[1] button \"Add\"\ntext \"Count 1\"\n[2] button \"Still\"",
            live.site.at("/")
        )
    );
    let second = live.ok("click 1 --return-state");
    let tail: Vec<&str> = second.lines().skip_while(|l| !l.starts_with("page ")).collect();
    assert_eq!(tail[0], format!("page \"Count\" {}  2 changes since the state last shown", live.site.at("/")));
    assert_eq!(tail[1..], ["+ text \"Count 2\"", "- text \"Count 1\""]);
    let third = live.ok("get title --return-state");
    assert!(third.ends_with("  0 changes since the state last shown"), "{third}");
    let full = live.ok("get title --return-state=full");
    assert!(full.ends_with("[1] button \"Add\" focused\ntext \"Count 2\"\n[2] button \"Still\""), "{full}");
    let json = live.json("click 1 --return-state");
    assert_eq!(json["result"]["verdict"], "confirmed");
    assert_eq!(json["state"]["changes"].as_array().unwrap().len(), 2);
    assert_eq!(live.json("get title --return-state=full")["state"]["targets"].as_array().unwrap().len(), 2);
}

#[test]
fn a_state_returned_with_another_command_obeys_the_rules_for_looking() {
    let live = Live::closed(|_| page("<title>Bank</title><button>Balance 1,234</button>"));
    let own = live.home.path().join(".config/handeye/handeye.toml");
    let origin = live.site.at("");
    let rules = std::fs::read_to_string(&own).unwrap() + &format!("[policy]\ndeny = [\"reads@{origin}\"]\n");
    std::fs::write(&own, rules).unwrap();
    let said = live.ok(&format!("open {} --return-state=full", live.site.at("/")));
    assert!(said.contains("withheld") && !said.contains("Balance") && !said.contains("Bank"), "{said}");
    assert!(live.problem("state").contains("the policy refuses `state`"));
}

#[test]
fn text_stands_where_it_is_around_frames() {
    let live = Live::open(|_| {
        page(
            "<title>Order</title><button>A</button> one <iframe title=F srcdoc='<button>In</button>' height=60></iframe> two
             <iframe style='display:none'></iframe> three <a href=x>Link</a> four",
        )
    });
    live.ok("wait --text In");
    // Nothing is said of a frame that isn't rendered.
    for via in ["script", "ax"] {
        let state = live.ok(&format!("state --via {via}"));
        let lines: Vec<&str> = state.lines().skip(1).collect();
        let wanted = [
            "[1] button \"A\"",
            "text \"one\"",
            "[2] iframe \"F\" about:srcdoc",
            "  [3] button \"In\"",
            "text \"two three\"",
            "[4] link \"Link\"",
            "text \"four\"",
        ];
        assert_eq!(lines, wanted, "{via}");
    }
}

#[test]
fn many_of_one_name_are_told_apart_by_their_rows() {
    let live = Live::open(|_| {
        let rows: String = (1..=150).map(|i| format!("<tr><td>Order {i}<td><button>Pay</button></tr>")).collect();
        page(format!("<title>Orders</title><table>{rows}</table>{}", "<i></i>".repeat(120)))
    });
    let found = live.ok("find --name Pay");
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 101, "{found}");
    assert!(lines[0].ends_with("button \"Pay\" in row \"Order 1\""), "{}", lines[0]);
    assert!(lines[99].contains("in row \"Order 100\""), "{}", lines[99]);
    assert_eq!(lines[100], "… 50 more: narrow it by --near REF or --in X,Y,WIDTH,HEIGHT");
    assert_eq!(live.json("find --name Pay")["targets"].as_array().unwrap().len(), 150);
    // Of what no state lists, so many are told of.
    let bare = live.ok("find --css i");
    assert_eq!(bare.lines().count(), 51, "{bare}");
    assert!(bare.lines().last().unwrap().starts_with("… 70 more: "), "{bare}");
    assert_eq!(live.json("find --css i")["more"], 70);
    let said = live.problem("click --name Pay");
    assert!(said.contains("button \"Pay\" in row \"Order 1\", "), "{said}");
}

#[test]
fn a_picture_without_a_path_is_a_new_file_that_is_named() {
    let live = Live::open(|_| page("<title>Now</title><p>Hello</p>"));
    let saved = |line: &str| live.json(line)["path"].as_str().unwrap().to_owned();
    let (first, second, third) = (saved("screenshot"), saved("screenshot"), saved("screenshot --format jpeg"));
    let starts = [&first, &second, &third].map(|path| std::fs::read(path).unwrap()[..3].to_vec());
    assert_eq!(starts, [b"\x89PN".to_vec(), b"\x89PN".to_vec(), b"\xff\xd8\xff".to_vec()]);
    assert!(first != second && first.ends_with(".png") && third.ends_with(".jpg"), "{first} {second} {third}");
}
