//! The models that read text in pictures: what there is of them, and installing them with progress on standard error.

use crate::print;
use handeye_commands::{ModelFile, TextModels};
use handeye_scene::{Code, Problem};
use handeye_vision::weights::{self, Plan, Progress, WHEEL_SIZE, Weight};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often progress is told of where no terminal shows it.
const SELDOM: Duration = Duration::from_secs(10);

/// What there is in a folder.
pub(crate) fn look(folder: &Path) -> TextModels {
    let file = |weight: Weight| {
        let fault = weights::read(folder, weight).err().map(|e| e.to_string());
        ModelFile { name: weight.name().to_owned(), bytes: weight.size(), ready: fault.is_none(), fault }
    };
    let files: Vec<ModelFile> = Weight::ALL.into_iter().map(file).collect();
    TextModels { folder: folder.display().to_string(), ready: files.iter().all(|file| file.ready), files }
}

/// Installs them. Where the system asks the process to end (Ctrl-C), what isn't done is taken away first.
pub(crate) fn install(folder: PathBuf, plan: Plan) -> Result<TextModels, Problem> {
    let failed = |e: std::io::Error| Problem::new(Code::Unavailable, format!("nothing can be installed: {e}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = is_stopped.clone();
        handeye_server::when_asked_to_end(move || stop.store(true, Ordering::Relaxed)).map_err(failed)?;
        let work = tokio::task::spawn_blocking(move || {
            let mut told = Told::default();
            let outcome = weights::install(&folder, &plan, &mut |progress| {
                told.tell(progress);
                if is_stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            told.end();
            outcome.map(|()| look(&folder))
        });
        work.await.unwrap_or_else(|e| Err(Problem::new(Code::Bug, format!("the installation broke off: {e}"))))
    })
}

/// What was told of progress.
#[derive(Default)]
struct Told {
    /// Whether the last line is one that the next takes the place of.
    is_open: bool,
    /// When fetching was told of last, as time since it began.
    fetching: Option<Duration>,
}

impl Told {
    fn tell(&mut self, progress: Progress) {
        match progress {
            Progress::Fetching { time, bytes } => {
                let passing = print::is_passing();
                if !passing && self.fetching.is_some_and(|last| time < last + SELDOM) {
                    return;
                }
                self.fetching = Some(time);
                let text = format!("fetching: {} of about {}, {} s", size(bytes), size(WHEEL_SIZE), time.as_secs());
                print::progress(&text, passing);
                self.is_open = passing;
            }
            Progress::Present(weight) => self.line(&format!("is there: {}", weight.name())),
            Progress::Checking(weight) => self.line(&format!("checking: {} ({})", weight.name(), size(weight.size()))),
            Progress::Installed(weight) => self.line(&format!("installed: {}", weight.name())),
        }
    }

    fn line(&mut self, text: &str) {
        self.end();
        print::progress(text, false);
    }

    /// Ends the line that the next would take the place of.
    fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            print::progress("", false);
        }
    }
}

fn size(bytes: u64) -> String {
    if bytes < 100_000 { format!("{} kB", bytes.div_ceil(1000)) } else { format!("{:.1} MB", bytes as f64 / 1e6) }
}
