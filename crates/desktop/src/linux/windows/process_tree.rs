//! Which windows are of a process, of those that it started, and of what belongs to them.

use crate::linux::windows::window_list::Seen;

/// How far up the processes that started a process are looked at.
const FOREBEARS: usize = 16;

/// Whether a window is of a process, of one that it started, or belongs to a window of it.
pub(crate) fn is_of(window: &Seen, pid: u32, all: &[Seen], parent_of: &dyn Fn(u32) -> Option<u32>) -> bool {
    // One that doesn't say whose it is may be anyone's.
    if window.pid == 0 || window.pid == pid {
        return true;
    }
    let owner = window.owner.and_then(|id| all.iter().find(|w| w.id == id));
    if owner.is_some_and(|owner| owner.pid == pid) {
        return true;
    }
    lineage(window.pid, parent_of).any(|at| at == pid)
}

/// A process, and those that started it.
fn lineage(pid: u32, parent_of: &dyn Fn(u32) -> Option<u32>) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(pid), |at| parent_of(*at)).take(FOREBEARS)
}

/// Whether a process is this one, or was started by it.
pub(crate) fn descends(pid: u32, from: u32) -> bool {
    lineage(pid, &parent).any(|at| at == from)
}

/// The process that started a process.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Its name stands in parentheses, and may hold any.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok().filter(|p| *p > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_of_its_process_of_what_that_started_and_of_what_it_belongs_to() {
        let window = |id, pid, owner| Seen { id, pid, owner, ..Seen::default() };
        let all =
            [window(1, 10, None), window(2, 20, Some(1)), window(3, 30, None), window(4, 40, None), window(5, 0, None)];
        let parents = |pid| (pid == 30).then_some(10);
        let of_ten: Vec<u32> = all.iter().filter(|w| is_of(w, 10, &all, &parents)).map(|w| w.id).collect();
        assert_eq!(of_ten, [1, 2, 3, 5]);
        assert_eq!(parent(std::process::id()), Some(std::os::unix::process::parent_id()).filter(|p| *p > 1));
    }
}
