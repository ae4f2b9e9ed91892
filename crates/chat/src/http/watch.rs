//! What is counted, for Prometheus.

use crate::run::Service;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// Answers by the first digit of their status.
#[derive(Default)]
pub(super) struct Watch {
    answers: [AtomicU64; 5],
}

impl Watch {
    pub(super) fn count(&self, status: u16) {
        if let Some(of_kind) = self.answers.get(usize::from(status / 100).wrapping_sub(1)) {
            of_kind.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Prometheus' text form.
    pub(super) fn text(&self, service: &Service) -> String {
        let name = "handeye_chat_http_responses_total";
        let mut text = format!("# HELP {name} Answers by kind of status\n# TYPE {name} counter\n");
        for (at, count) in self.answers.iter().enumerate() {
            let _ = writeln!(text, "{name}{{status=\"{}xx\"}} {}", at + 1, count.load(Ordering::Relaxed));
        }
        let (started, failed) = (&service.counts.0, &service.counts.1);
        for (name, kind, help, value) in [
            ("handeye_chat_runs_total", "counter", "Runs that were started", started.load(Ordering::Relaxed)),
            ("handeye_chat_runs_failed_total", "counter", "Runs that failed", failed.load(Ordering::Relaxed)),
            ("handeye_chat_runs_running", "gauge", "Runs under way", service.running() as u64),
        ] {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        text
    }
}
