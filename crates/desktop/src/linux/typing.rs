//! Key strokes: to which window, and by which keys.

use super::bus::{Place, Unanswered};
use super::display::Display;
use super::gestures::{Ready, TYPING_LIMIT, by, fault, no_keyboard, withheld};
use super::input::{Sent, Stroke};
use super::probe::is_focused;
use super::sight::root_of;
use super::surface::Linux;
use super::windows::Seen;
use handeye_scene::{Chord, Code, Delivery, Guard, Problem, Withheld};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use x11rb::protocol::xproto::Window;

/// Strokes between two checks of the target.
const CHUNK: usize = 24;

impl Linux {
    pub(super) async fn type_text(
        &mut self,
        text: &str,
        pace: Duration,
        guard: &Guard,
        ready: Option<&Ready>,
        seen: &[Seen],
    ) -> Result<Delivery, Problem> {
        self.strokes(of_text(text), pace, guard, ready, seen).await
    }

    /// Key strokes to the target, or to what has the keyboard in the current window.
    pub(super) async fn strokes(
        &mut self,
        strokes: Vec<Stroke>,
        pace: Duration,
        guard: &Guard,
        ready: Option<&Ready>,
        seen: &[Seen],
    ) -> Result<Delivery, Problem> {
        let window = match ready {
            Some(ready) => {
                // A window in the background may say of its field that it has the keyboard.
                let active = seen.iter().any(|w| Some(w.id) == ready.tree.window && w.focused);
                if !(active && is_focused(&ready.probe)) {
                    self.focus(ready).await?;
                    if !self.has_focus(ready).await? {
                        return Ok(no_keyboard());
                    }
                }
                ready.tree.window
            }
            None => Some(self.keyboard_window(seen).await?),
        };
        for (i, chunk) in strokes.chunks(CHUNK).enumerate() {
            if i > 0
                && guard.target.is_some()
                && let Some(stopped) = self.strays(guard).await?
            {
                return Ok(Delivery::Withheld(Withheld { partial: true, ..stopped }));
            }
            if let Some(delivery) = self.send(chunk, pace, window, ready).await? {
                return Ok(match delivery {
                    Delivery::Withheld(stopped) => {
                        Delivery::Withheld(Withheld { partial: i > 0 || stopped.partial, ..stopped })
                    }
                    other => other,
                });
            }
        }
        Ok(by("keys"))
    }

    /// What keeps the rest of the keys from the target, which may have lost the keyboard by now.
    async fn strays(&mut self, guard: &Guard) -> Result<Option<Withheld>, Problem> {
        match self.ready(guard).await? {
            Err(Delivery::Withheld(stopped)) => Ok(Some(stopped)),
            Ok(Some(ready)) if !guard.follow && !self.has_focus(&ready).await? => {
                let detail = Some("it lost the keyboard".into());
                Ok(Some(Withheld { reason: "miss".into(), actual: None, partial: true, detail }))
            }
            _ => Ok(None),
        }
    }

    /// Presses a key in the current window, and keeps it down.
    pub(super) async fn key_down(&mut self, chord: &Chord, seen: &[Seen]) -> Result<Delivery, Problem> {
        let stroke = stroke(chord)?;
        let window = self.keyboard_window(seen).await?;
        let sent = self.display.run(move |side| side.key_down(&stroke, window)).await.map_err(fault)?;
        self.answer(sent, "keys").await
    }

    /// Lets a key go, wherever the keyboard is now.
    pub(super) async fn key_up(&mut self, chord: &Chord) -> Result<Delivery, Problem> {
        let stroke = stroke(chord)?;
        let was_down = self.display.run(move |side| side.key_up(&stroke)).await.map_err(fault)?;
        Ok(if was_down { by("keys") } else { withheld("refused", true, Some("it wasn't down".into())) })
    }

    /// The window that keys to the focus go to: the current one, or a dialog of its own that has the keyboard.
    pub(super) async fn keyboard_window(&mut self, seen: &[Seen]) -> Result<Window, Problem> {
        let current = self.current_of(seen)?.clone();
        let root = root_of(seen, &current);
        let window = match seen.iter().find(|w| w.focused && root_of(seen, w) == root) {
            Some(focused) => focused.clone(),
            None => {
                let id = current.id;
                self.display.run(move |side| side.activate(id)).await.map_err(fault)?;
                current
            }
        };
        self.acted_on = self.app_root(window.pid).await?;
        self.acted_in = Some(window.id);
        self.refuse_if_waiting(&window, seen).await?;
        Ok(window.id)
    }

    /// An app of GTK 3 that waits for a dialog inside an accessible action asks about each key before it takes it, and waits for
    /// an answer that it can't hear any more: measured, one key, and it never does anything again.
    async fn refuse_if_waiting(&self, window: &Seen, seen: &[Seen]) -> Result<(), Problem> {
        let Some(app) =
            self.acted_on.as_ref().filter(|app| self.apps.quirks(&app.bus).is_some_and(|q| q.actions_block))
        else {
            return Ok(());
        };
        match self.bus.call(app, super::bus::ACCESSIBLE, "GetRole", &()).await {
            Err(why @ Unanswered::Late) => {
                let members: Vec<&Seen> = seen.iter().collect();
                Err(self.unanswered_of(why, window.pid, &members))
            }
            _ => Ok(()),
        }
    }

    async fn app_root(&mut self, pid: u32) -> Result<Option<Place>, Problem> {
        Ok(self.apps_of(pid).await?.first().map(|a| a.root.clone()))
    }

    /// Sends strokes; what stopped them, if something did. Characters that no key stands for borrow spare keys until the app
    /// has dealt with them.
    pub(super) async fn send(
        &mut self,
        strokes: &[Stroke],
        pace: Duration,
        window: Option<Window>,
        ready: Option<&Ready>,
    ) -> Result<Option<Delivery>, Problem> {
        if strokes.iter().any(|s| is_control(s.symbol)) {
            return Err(Problem::new(Code::BadRequest, "the text holds a control character that no key stands for"));
        }
        let (known, spare) =
            self.display.run(|side| side.keymap().map(|map| (map.symbols(), map.spare()))).await.map_err(fault)?;
        if let Some(app) = ready.map(|r| r.tree.frame.clone()) {
            self.acted_on = Some(app);
        }
        let mut rest = strokes;
        let mut before = 0;
        while !rest.is_empty() {
            let (part, missing) = take(rest, &known, spare);
            if part.is_empty() {
                return Err(Problem::new(
                    Code::Unsupported,
                    "every key of the keyboard means something: none can stand for others",
                )
                .hint("handeye input REF TEXT"));
            }
            rest = &rest[part.len()..];
            let symbols: Vec<u32> = missing.into_iter().collect();
            let part = part.to_vec();
            let mut lent = Lent { display: &self.display, window, any: !symbols.is_empty() };
            let sent = self
                .display
                .run_while(TYPING_LIMIT, move |side, wanted| {
                    let lent = if symbols.is_empty() { HashMap::new() } else { side.lend_keys(&symbols, window)? };
                    side.strokes(&part, &lent, window, pace, wanted)
                })
                .await;
            if lent.any {
                self.dealt_with(window).await;
                self.display.run(|side| side.restore_keys()).await.map_err(fault)?;
                lent.any = false;
            }
            drop(lent);
            let (count, sent) = sent.map_err(fault)?;
            before += count;
            if sent != Sent::Yes {
                return Ok(Some(match self.answer(sent, "keys").await? {
                    Delivery::Withheld(stopped) => Delivery::Withheld(Withheld { partial: before > 0, ..stopped }),
                    other => other,
                }));
            }
        }
        Ok(None)
    }

    /// Gives the app the time to read its keys: they mean what the keyboard says when they are read.
    pub(super) async fn dealt_with(&self, window: Option<Window>) {
        const LIMIT: Duration = Duration::from_secs(5);
        if let Some(window) = window
            && self.has_read(window, LIMIT).await
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
        if let Some(app) = &self.acted_on {
            // One that doesn't answer doesn't read its keys either.
            let _ = self.bus.call(app, super::bus::ACCESSIBLE, "GetRole", &()).await;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

/// Keys that are lent. Dropped, as when the command is given up, they are taken back once the app has read what was sent.
struct Lent<'a> {
    display: &'a Display,
    window: Option<Window>,
    any: bool,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        /// How long an app may take that nobody waits for.
        const LIMIT: Duration = Duration::from_millis(500);
        if self.any {
            let window = self.window;
            self.display.post(move |side| {
                if let Some(window) = window {
                    // One that is gone has nothing to read.
                    let _ = side.ping(window, LIMIT);
                }
                side.restore_keys()
            });
        }
    }
}

/// The keys of a chord.
pub(super) fn stroke(chord: &Chord) -> Result<Stroke, Problem> {
    Stroke::chord(chord).ok_or_else(|| Problem::new(Code::Unsupported, format!("there is no key `{}` here", chord.key)))
}

/// The keys of a text. The two characters that end a line on Windows are one Enter.
pub(super) fn of_text(text: &str) -> Vec<Stroke> {
    text.replace("\r\n", "\n").chars().map(Stroke::of).collect()
}

/// Whether a symbol is that of a control character, which keyboards don't have.
fn is_control(symbol: u32) -> bool {
    matches!(symbol, 0x0100_0000..=0x0100_001f | 0x0100_007f..=0x0100_009f)
}

/// The longest beginning whose missing characters fit onto the spare keys, and those characters.
fn take<'a>(strokes: &'a [Stroke], known: &BTreeSet<u32>, spare: usize) -> (&'a [Stroke], BTreeSet<u32>) {
    let mut missing = BTreeSet::new();
    for (i, stroke) in strokes.iter().enumerate() {
        if known.contains(&stroke.symbol) || missing.contains(&stroke.symbol) {
            continue;
        }
        if missing.len() >= spare {
            return (&strokes[..i], missing);
        }
        missing.insert(stroke.symbol);
    }
    (strokes, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_taken_as_far_as_spare_keys_go() {
        let strokes: Vec<Stroke> = "a中b文c中😀".chars().map(Stroke::of).collect();
        let known: BTreeSet<u32> = "abc".chars().map(|c| c as u32).collect();
        let (part, missing) = take(&strokes, &known, 2);
        assert_eq!((part.len(), missing.len()), (6, 2));
        assert_eq!(take(&strokes, &known, 0).0.len(), 1);
        assert_eq!(take(&strokes, &known, 9).0.len(), 7);
    }

    #[test]
    fn a_line_has_one_end_and_control_characters_have_no_key() {
        assert_eq!(of_text("a\r\nb\n"), "a\nb\n".chars().map(Stroke::of).collect::<Vec<_>>());
        let odd: Vec<bool> = "\0\u{1b}\u{7f}\u{9f}\t\n a中".chars().map(|c| is_control(Stroke::of(c).symbol)).collect();
        assert_eq!(odd, [true, true, true, true, false, false, false, false, false]);
    }
}
