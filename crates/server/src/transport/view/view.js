// The live view: asks for what happens, shows it as text alone, and sends what the person decides.
'use strict';
const token = location.hash.slice(1);
const $ = (id) => document.getElementById(id);
/** How many events stay on the page. */
const KEPT = 200;
/** Milliseconds between pictures while nothing happens. */
const PAUSE = 1500;
/** Milliseconds for which a question must have been there before it can be allowed: a press that comes sooner was begun before. */
const UNREAD = 1000;
/** Milliseconds by which a timer may come too soon. */
const TURN = 20;
let since = 0, open = null, held = false, marks = [], acted = null, area = null;
/** The question that the page shows, by its number, and since when; and the one that it showed when the pointer came down. */
let shown = null, shownAt = 0, pressed = null;
/** The question whose safe answer got the focus. */
let focused = null;

async function ask(path, body) {
  const headers = { Authorization: `Bearer ${token}` };
  if (body) headers['Content-Type'] = 'application/json';
  const answer = await fetch(path, { headers, method: body ? 'POST' : 'GET', body: body && JSON.stringify(body) });
  if (answer.status === 401) throw new Error('the token in the address is missing or wrong: open the one that `handeye view` printed');
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error?.message ?? 'the view has ended');
  return told;
}

function say(text) { if ($('status').textContent !== text) $('status').textContent = text }

function element(name, text, kind) {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function list(event) {
  const time = element('time', new Date(event.time).toLocaleTimeString());
  const item = document.createElement('li');
  item.append(time);
  item.dataset.kind = event.kind;
  if (event.kind === 'begun') {
    say(`${event.command} runs`);
    return;
  }
  if (event.kind === 'ended') {
    say('ready');
    const verdict = event.verdict ?? event.status ?? 'given up';
    item.className = verdict;
    item.append(element('b', event.command), ` ${verdict.replace('_', ' ')}, ${event.took} ms`, element('pre', event.text));
    if (event.marks) marks = event.marks;
    acted = event.target ?? null;
  } else if (event.kind === 'asked') {
    const { command, does, place, target, details = [] } = event.question;
    $('asks').textContent = `The policy asks: ${command}${place ? ` on ${place}` : ''} (${does})`;
    $('target').textContent = target ?? '';
    $('details').replaceChildren(...details.map((detail) => element('li', detail)));
    present(event.id);
    item.append(element('b', 'asks '), `${command} ${target ?? ''}`);
  } else if (event.kind === 'answered') {
    const answer = { true: 'allowed', false: 'refused', null: 'not answered' }[event.consent];
    item.append(`${answer}${event.by === 'nobody' ? '' : ` by ${event.by === 'watcher' ? 'you' : 'the caller'}`}`);
  } else {
    item.append(event.held ? 'stopped' : 'goes on');
  }
  $('events').prepend(item);
  while ($('events').children.length > KEPT) $('events').lastChild.remove();
}

/** A question came into the panel, maybe in place of another: it can't be allowed by who hasn't read it. */
function present(id) {
  [shown, shownAt, pressed] = [id, performance.now(), null];
  $('yes').disabled = true;
  setTimeout(() => { if (shown === id) $('yes').disabled = false }, UNREAD + TURN);
}

function draw() {
  const shown = $('picture');
  if (!area || !shown.clientWidth) return $('marks').replaceChildren();
  const [left, top, width, height] = area;
  const place = ({ ref, rect: [x, y, w, h] }, kind) => {
    const mark = document.createElement('div');
    if (kind) mark.className = kind;
    mark.append(element('span', String(ref)));
    const at = { left: (x - left) / width, top: (y - top) / height, width: w / width, height: h / height };
    for (const side in at) mark.style[side] = `${at[side] * 100}%`;
    return mark;
  };
  $('marks').replaceChildren(...marks.map((mark) => place(mark)), ...(acted ? [place(acted, 'acted')] : []));
}

function settle(told) {
  $('session').textContent = told.session;
  held = told.held;
  open = told.open;
  $('hold').textContent = held ? 'Go on' : 'Stop';
  $('hold').classList.toggle('held', held);
  if (held) say('stopped: calls are refused until you let it go on');
  const wasHidden = $('question').hidden;
  // What is open and what is shown are one, or nothing is asked.
  $('question').hidden = open === null || open !== shown;
  document.title = open === null ? 'handeye' : '(?) handeye';
  if ($('question').hidden) return;
  if (wasHidden) present(shown);
  // The safe answer has the focus, of each question anew.
  if (wasHidden || focused !== open) $('no').focus();
  focused = open;
}

async function listen() {
  for (;;) {
    try {
      const told = await ask(`/api/events?since=${since}`);
      if (told.last < since) $('events').replaceChildren();
      told.events.forEach(list);
      since = told.last;
      settle(told);
      draw();
      if ($('status').textContent === 'connecting') say('ready');
    } catch (problem) {
      say(problem.message);
      $('question').hidden = true;
      await new Promise((go) => setTimeout(go, 2000));
    }
  }
}

async function watch() {
  let before = '';
  for (;;) {
    try {
      const { png, area: covers, why } = await ask('/api/picture');
      $('why').textContent = why ?? '';
      if (png && png !== before) {
        const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
        const last = $('picture').src;
        $('picture').src = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
        if (last) URL.revokeObjectURL(last);
        await $('picture').decode().catch(() => {});
      }
      [before, area] = [png, covers ?? area];
      draw();
    } catch { /* The events say what is amiss. */ }
    await new Promise((go) => setTimeout(go, PAUSE));
  }
}

/** Whether a press of Allow is about the question that is shown: one by the pointer was begun on it, too. */
function isMeant(event) {
  const isBegun = event.detail === 0 || pressed === shown;
  return isBegun && performance.now() - shownAt >= UNREAD;
}

async function decide(consent) {
  if (open === null || open !== shown) return;
  const id = shown;
  open = null;
  $('question').hidden = true;
  const told = await ask('/api/answer', { id, consent }).catch((problem) => ({ taken: true, problem }));
  if (told.problem) say(told.problem.message);
  if (!told.taken) say('that question was over already');
}

$('yes').onpointerdown = () => { pressed = shown };
$('yes').onclick = (event) => { if (isMeant(event)) decide(true) };
$('no').onclick = () => decide(false);
$('hold').onclick = () => ask('/api/hold', { held: !held }).catch((problem) => say(problem.message));
addEventListener('resize', draw);
if (token) { listen(); watch() } else say('the address lacks its token: open the one that `handeye view` printed');
