//! What /proc says about processes: whose they are, what they used.

use std::{collections::BTreeMap, fs, path::PathBuf};

/// Clock ticks in a second, as Linux counts them for user space on every architecture it runs on today.
const TICKS: f64 = 100.0;

fn all() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Fields of /proc/PID/stat from the third on: the second, the name, may hold spaces.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest = &text[text.rfind(')')? + 1..];
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

fn ticks(pid: u32, fields: [usize; 2]) -> u64 {
    let stat = stat(pid).unwrap_or_default();
    fields.iter().filter_map(|field| stat.get(field - 3)?.parse::<u64>().ok()).sum()
}

/// Living processes (not those that only wait to be reaped) whose environment holds `mark`.
pub(crate) fn marked(mark: &str) -> Vec<u32> {
    with(|var| var == mark.as_bytes())
}

fn with(is_it: impl Fn(&[u8]) -> bool) -> Vec<u32> {
    let holds =
        |pid: &u32| fs::read(format!("/proc/{pid}/environ")).is_ok_and(|bytes| bytes.split(|b| *b == 0).any(&is_it));
    all().into_iter().filter(|pid| *pid != std::process::id()).filter(holds).collect()
}

/// Ends what carries our mark.
pub(crate) fn end_all(mark: &str) {
    end(&marked(mark));
}

/// Ends what carries a mark that is a folder, or one of a folder in it.
pub(crate) fn end_below(mark: &str) {
    let is_below =
        |var: &[u8]| var.strip_prefix(mark.as_bytes()).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"));
    end(&with(is_below));
}

fn end(pids: &[u32]) {
    for pid in pids {
        // One that ended by itself in between is as it should be.
        let _ = crate::run::output(std::process::Command::new("kill").arg("-KILL").arg(pid.to_string()));
    }
}

/// `root` and everything below it.
pub(crate) fn family(root: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for pid in all() {
        if let Some(parent) = stat(pid).and_then(|stat| stat.get(1)?.parse().ok()) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = vec![root];
    let mut at = 0;
    while let Some(pid) = found.get(at) {
        found.extend(children.remove(pid).unwrap_or_default());
        at += 1;
    }
    found
}

/// Processor time that threads have used so far, in milliseconds: by process and thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage(BTreeMap<(u32, u32), f64>);

impl Usage {
    /// What these processes have used. The scheduler's own count is exact to the nanosecond; without it (a kernel built
    /// without scheduler statistics) the ticks of utime and stime are taken, a hundredth of a second each.
    pub(crate) fn of(pids: &[u32]) -> Self {
        let mut used = BTreeMap::new();
        for pid in pids {
            let mut exact = false;
            for tid in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
                let Some(tid) = tid.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
                let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/schedstat")).unwrap_or_default();
                if let Some(ns) = text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()) {
                    used.insert((*pid, tid), ns / 1e6);
                    exact = true;
                }
            }
            if !exact {
                used.insert((*pid, *pid), ticks(*pid, [14, 15]) as f64 * 1000.0 / TICKS);
            }
        }
        Self(used)
    }

    /// What was used since `before`, in milliseconds. A thread that ended in between takes its last part with it.
    pub(crate) fn since(&self, before: &Self) -> f64 {
        self.0.iter().map(|(thread, ms)| ms - before.0.get(thread).copied().unwrap_or_default()).sum()
    }
}

/// Processor time of our children that have ended, in milliseconds.
pub(crate) fn children_cpu_ms() -> f64 {
    ticks(std::process::id(), [16, 17]) as f64 * 1000.0 / TICKS
}

/// The most memory that the process ever held, in MiB.
pub(crate) fn peak_mib(pid: u32) -> Option<f64> {
    status_mib(pid, "VmHWM:")
}

/// The memory that the process holds now, in MiB.
pub(crate) fn held_mib(pid: u32) -> Option<f64> {
    status_mib(pid, "VmRSS:")
}

fn status_mib(pid: u32, key: &str) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

/// The program that the process runs.
pub(crate) fn program(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_child_is_found_by_its_mark_and_by_its_parent() {
        let mark = format!("xtask-test-{}", std::process::id());
        let mut child = Command::new("sleep").arg("60").env("XTASK_MARK", &mark).spawn().unwrap();
        // Until it has become `sleep`, it still shows our own environment.
        let wanted = format!("XTASK_MARK={mark}");
        let found = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            marked(&wanted) == [child.id()]
        });
        let related = family(std::process::id()).contains(&child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found && related);
        assert!(marked(&wanted).is_empty());
    }

    #[test]
    fn what_has_a_folder_below_ours_is_ended_and_its_neighbour_is_not() {
        let mark = format!("XTASK_FOLDER=/none/{}", std::process::id());
        let begin = |rest: &str| {
            let folder = mark.split_once('=').unwrap().1;
            Command::new("sleep").arg("60").env("XTASK_FOLDER", format!("{folder}{rest}")).spawn().unwrap()
        };
        let (mut below, mut beside) = (begin("/browser/tmp"), begin("1/browser/tmp"));
        let ended = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            end_below(&mark);
            below.try_wait().unwrap().is_some()
        });
        let is_left = beside.try_wait().unwrap().is_none();
        for child in [&mut below, &mut beside] {
            let _ = child.kill();
            child.wait().unwrap();
        }
        assert!(ended && is_left);
    }

    #[test]
    fn a_process_has_used_something() {
        assert!(peak_mib(std::process::id()).is_some_and(|mib| mib > 0.1));
        assert!(program(std::process::id()).is_some());
        let before = Usage::of(&[std::process::id()]);
        let begun = std::time::Instant::now();
        // On a busy machine it may take a while to get its share.
        let used = || Usage::of(&[std::process::id()]).since(&before);
        let mut enough = false;
        while !enough && begun.elapsed().as_secs() < 20 {
            enough = used() > 5.0;
        }
        assert!(enough);
    }
}
