//! Pages as pictures, with what their DOM says is on them.

use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest that the browser may take for a page.
const LIMIT: Duration = Duration::from_secs(90);
/// Height of the window, in units.
const HEIGHT: u32 = 800;
/// The script that tells what a page shows.
const TRUTH: &str = include_str!("../../../fixtures/vision/truth.js");

/// A page's picture, and what is on it.
pub struct Rendered {
    pub width: u32,
    pub height: u32,
    pub scale: f64,
    /// Red, green, blue of each pixel, row by row.
    pub rgb: Vec<u8>,
    /// The words that are visible: text and rect in pixels of the picture.
    pub words: Vec<Known>,
    /// The controls of which the picture shows something.
    pub controls: Vec<Known>,
}

/// Something on a page, as its DOM has it.
#[derive(Debug, Clone)]
pub struct Known {
    pub text: String,
    /// What kind of control it is, or nothing.
    pub kind: String,
    /// Left, top, width, height.
    pub rect: [f64; 4],
}

impl Rendered {
    /// Renders a file of HTML in a window of 1280 by 800 units.
    pub fn page(path: &Path, scale: f64) -> Self {
        let folder = tempfile::Builder::new().prefix("he-rendered").tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("page.html"), with_truth(path)).unwrap();
        browse(folder.path(), scale, HEIGHT, &format!("--screenshot={}", at("page.png").display()));
        // A picture is of the whole window, but the page is laid out below its bars until the picture is taken: for the
        // document, the window is made as much higher.
        let mut height = HEIGHT;
        let truth = loop {
            browse(folder.path(), scale, height, "--dump-dom");
            let truth = told(&fs::read_to_string(at("dump.html")).unwrap(), path);
            let bars = HEIGHT as i64 - truth["height"].as_i64().unwrap();
            if bars == 0 {
                break truth;
            }
            assert_eq!(height, HEIGHT, "a window of {height} units still has not {HEIGHT} for the page");
            height = (height as i64 + bars) as u32;
        };
        let (width, height, rgb) = pixels(&at("page.png"));
        let mut page =
            Self { width, height, scale, rgb, words: known(&truth["words"]), controls: known(&truth["controls"]) };
        let controls = std::mem::take(&mut page.controls);
        page.controls = controls.into_iter().filter(|control| page.is_drawn(control.rect)).collect();
        page
    }

    /// Whether there is more in a rect than one colour. A link that is only an icon of a font which didn't come shows nothing:
    /// it is in the DOM, but not in the picture.
    fn is_drawn(&self, [left, top, width, height]: [f64; 4]) -> bool {
        const CONTRAST: u8 = 8;
        let at = |x: u32, y: u32| {
            let start = (y as usize * self.width as usize + x as usize) * 3;
            &self.rgb[start..start + 3]
        };
        // What lies beside it on the pixels that it covers in part isn't its own.
        let (from_x, from_y) = (left.ceil() as u32, top.ceil() as u32);
        let (to_x, to_y) = (((left + width) as u32).min(self.width), ((top + height) as u32).min(self.height));
        let mut places = (from_y..to_y).flat_map(|y| (from_x..to_x).map(move |x| (x, y)));
        let Some(first) = places.next().map(|(x, y)| at(x, y)) else { return false };
        places.any(|(x, y)| first.iter().zip(at(x, y)).any(|(a, b)| a.abs_diff(*b) >= CONTRAST))
    }
}

/// Runs the browser on the folder's page until it has done what it is asked for.
fn browse(folder: &Path, scale: f64, height: u32, wish: &str) {
    let at = |name: &str| folder.join(name);
    let mut command = Command::new(handeye_browser::find(None).unwrap());
    command.args(["--headless=new", "--no-first-run", "--disable-gpu", "--hide-scrollbars", wish]);
    command.args(["--disable-background-networking", "--allow-file-access-from-files"]);
    // The script notes what is on the page after 1.5 s; they don't have to pass.
    command.args(["--virtual-time-budget=3000", &format!("--window-size=1280,{height}")]);
    command.arg(format!("--force-device-scale-factor={scale}"));
    command.arg(format!("--user-data-dir={}", at("profile").display()));
    if nix::unistd::geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    command.arg(format!("file://{}", at("page.html").display()));
    let dump = File::create(at("dump.html")).unwrap();
    let mut child = command.stdin(Stdio::null()).stdout(dump).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser doesn't come to an end with {wish}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The page with the script at its end, and its resources where they are.
fn with_truth(path: &Path) -> String {
    let html = fs::read_to_string(path).unwrap();
    let folder = path.canonicalize().unwrap();
    let base = format!("<base href=\"file://{}/\">", folder.parent().unwrap().display());
    let start = html.find("<!").and_then(|from| html[from..].find('>').map(|to| from + to + 1)).unwrap_or(0);
    format!("{}{base}{}<script>{TRUTH}</script>", &html[..start], &html[start..])
}

fn told(dump: &str, path: &Path) -> Value {
    let start = dump.find("id=\"truth\">").unwrap_or_else(|| panic!("{} told nothing", path.display()));
    let rest = &dump[start + "id=\"truth\">".len()..];
    serde_json::from_str(&rest[..rest.find("</script>").unwrap()]).unwrap()
}

fn known(list: &Value) -> Vec<Known> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |value: &Value| Known {
        text: text(&value["text"]),
        kind: text(&value["kind"]),
        rect: [0, 1, 2, 3].map(|i| value["rect"][i].as_f64().unwrap()),
    };
    list.as_array().unwrap().iter().map(one).collect()
}

fn pixels(path: &Path) -> (u32, u32, Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::BufReader::new(File::open(path).unwrap()));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    bytes.truncate(info.buffer_size());
    let rgb = match info.color_type {
        png::ColorType::Rgb => bytes,
        png::ColorType::Rgba => bytes.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        other => panic!("a screenshot of {other:?}"),
    };
    (info.width, info.height, rgb)
}
