//! What the main thread of an app does, as proc(5) tells: whether it sleeps, how often it did, and when a timer of its is due.

use std::time::{Duration, Instant};

/// A timer that is due sooner after the last look than this may run before the event does.
const SOON: Duration = Duration::from_millis(8);

/// What an app's first thread does, by proc(5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thread {
    /// Whether it sleeps. One that doesn't answer and doesn't sleep is at work.
    pub(crate) sleeps: bool,
    /// How often it has gone to sleep by itself so far.
    pub(crate) slept: u64,
}

impl Thread {
    /// None where nothing tells.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        Self::read(&std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/status")).ok()?)
    }

    fn read(status: &str) -> Option<Self> {
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let slept = field("voluntary_ctxt_switches:")?.parse().ok()?;
        Some(Self { sleeps: field("State:")?.starts_with('S'), slept })
    }
}

/// What a thread waits for the next thing to happen with, by proc(5): after how long it goes on in any case. Loops of GLib, and so
/// those of GTK and Qt, wait in poll(2) until their next timer is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    Ever,
    AtMost(Duration),
    /// It does something else, or may not be asked.
    Unknown,
}

impl Wait {
    fn of(pid: u32) -> Self {
        let path = format!("/proc/{pid}/task/{pid}/syscall");
        std::fs::read_to_string(path).map_or(Self::Unknown, |told| Self::read(&told))
    }

    /// The number of the system call, and its arguments in hexadecimal.
    fn read(syscall: &str) -> Self {
        /// Where poll, epoll_wait and epoll_pwait of x86-64 have their timeout, in milliseconds.
        const TIMEOUTS: [(&str, usize); 3] = [("7", 3), ("232", 4), ("281", 4)];
        let mut words = syscall.split_whitespace();
        let number = words.next().unwrap_or_default();
        let place = TIMEOUTS.iter().find(|(known, _)| cfg!(target_arch = "x86_64") && *known == number);
        let timeout = place.and_then(|(_, place)| words.nth(place - 1)?.strip_prefix("0x"));
        match timeout.and_then(|hex| u64::from_str_radix(hex, 16).ok()) {
            None => Self::Unknown,
            // An int: what is above its 32 bits is left over.
            Some(bits) => {
                u64::try_from(bits as u32 as i32).map_or(Self::Ever, |ms| Self::AtMost(Duration::from_millis(ms)))
            }
        }
    }
}

/// What an app's first thread did from one answer to the next: it goes to sleep once, if nothing else is to be done.
pub(crate) struct Steps {
    pid: u32,
    last: Option<Thread>,
    /// Whether nothing told of it.
    untold: bool,
    are_all: bool,
    /// When it was last known not to wait yet.
    awake: Instant,
    /// When the first of its timers is due, at the earliest.
    due: Option<Instant>,
}

impl Steps {
    /// From when it sleeps, which it is given some time for.
    pub(crate) async fn begin(pid: u32, limit: Duration) -> Self {
        let last = asleep(pid, limit).await;
        let are_all = last.is_some_and(|thread| thread.sleeps);
        Self { pid, last, untold: last.is_none(), are_all, awake: Instant::now(), due: None }
    }

    /// It is asked something, and wakes.
    pub(crate) fn wake(&mut self) {
        self.awake = Instant::now();
    }

    /// One more, once it sleeps again.
    pub(crate) async fn step(&mut self, limit: Duration) {
        let now = asleep(self.pid, limit).await;
        let once = self.last.zip(now).is_some_and(|(last, now)| now.sleeps && now.slept == last.slept + 1);
        self.are_all &= once;
        self.last = now;
        if let Wait::AtMost(timeout) = Wait::of(self.pid) {
            let due = self.awake + timeout;
            self.due = Some(self.due.map_or(due, |known| known.min(due)));
        }
    }

    /// Whether one of its timers may have run meanwhile, or may run before the event does.
    pub(crate) fn is_due(&self) -> bool {
        self.due.is_some_and(|due| due <= Instant::now() + SOON)
    }

    /// Whether it did nothing else.
    pub(crate) fn are_all(&self) -> bool {
        self.are_all
    }

    /// Whether it slept at the last of them.
    pub(crate) fn sleeps(&self) -> bool {
        self.last.is_none_or(|thread| thread.sleeps)
    }

    /// Whether anything tells of it.
    pub(crate) fn are_told(&self) -> bool {
        !self.untold
    }
}

/// What a thread does once it sleeps, or when it still doesn't after a time.
async fn asleep(pid: u32, limit: Duration) -> Option<Thread> {
    let deadline = Instant::now() + limit;
    loop {
        let thread = Thread::of(pid)?;
        if thread.sleeps || Instant::now() >= deadline {
            return Some(thread);
        }
        tokio::task::yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_does_is_read() {
        let told =
            "Name:\tState: R\nState:\tS (sleeping)\nvoluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t4\n";
        assert_eq!(Thread::read(told), Some(Thread { sleeps: true, slept: 17 }));
        assert_eq!(Thread::read("State:\tS (sleeping)\n"), None);
        assert!(Thread::of(std::process::id()).is_some());
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn how_long_a_thread_waits_is_read() {
        let ms = |ms| Wait::AtMost(Duration::from_millis(ms));
        for (told, wait) in [
            ("7 0x5581 0x3 0x1f4 0x0 0x0 0x7f 0x7ffd 0x7f52", ms(500)),
            ("7 0x5581 0x3 0x0 0x0 0x0 0x7f 0x7ffd 0x7f52", ms(0)),
            ("7 0x5581 0x3 0xffffffff 0x0 0x0 0x7f 0x7ffd 0x7f52", Wait::Ever),
            ("7 0x5581 0x3 0xffffffffffffffff 0x0 0x0 0x7f 0x7ffd 0x7f52", Wait::Ever),
            ("232 0x4 0x7ffd 0x20 0x10 0x0 0x8 0x7ffd 0x7f52", ms(16)),
            ("281 0x4 0x7ffd 0x20 0xffffffff 0x0 0x8 0x7ffd 0x7f52", Wait::Ever),
            ("202 0x4 0x7ffd 0x20 0x10 0x0 0x8 0x7ffd 0x7f52", Wait::Unknown),
            ("running", Wait::Unknown),
            ("-1 0x7ffd 0x7f52", Wait::Unknown),
            ("", Wait::Unknown),
        ] {
            assert_eq!(Wait::read(told), wait, "{told}");
        }
    }

    #[tokio::test]
    async fn a_timer_that_is_due_soon_is_known_of() {
        let step = |timeout: &'static str| async move {
            let mut child = std::process::Command::new("python3")
                .args(["-c", &format!("import select; p = select.poll()\nwhile True: p.poll({timeout})")])
                .spawn()
                .unwrap();
            let deadline = Instant::now() + Duration::from_secs(20);
            while Wait::of(child.id()) == Wait::Unknown && Instant::now() < deadline {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            let mut steps = Steps::begin(child.id(), Duration::from_secs(5)).await;
            // It may wake between the look at whether it sleeps and the one at how long.
            let mut is_due = false;
            for _ in 0..50 {
                steps.step(Duration::from_secs(5)).await;
                is_due |= steps.is_due();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            is_due
        };
        assert!(!step("60000").await);
        assert!(!step("None").await);
        assert!(step("6").await);
    }
}
