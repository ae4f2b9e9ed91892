'use strict';
// What pages said is put in as text alone, never as markup.
const data = JSON.parse(document.getElementById('data').textContent);
const by = id => document.getElementById(id);
const make = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};
const known = ['confirmed', 'no_effect', 'contradicted', 'unverifiable'];

/** How a call ended, in one word. */
const ending = call => {
  if (!call.answer) return 'cancelled';
  if (call.answer.error) return 'error';
  const verdict = call.answer.result && call.answer.result.verdict;
  return known.includes(verdict) ? verdict : call.answer.status === 'ok' ? 'ok' : 'no_effect';
};
const target = call => call.answer && call.answer.result && call.answer.result.target;

/** A call as somebody would write it. */
const written = call => {
  const words = [call.command];
  for (const [name, value] of Object.entries(call.args || {})) {
    if (value === null || value === false || (Array.isArray(value) && !value.length)) continue;
    words.push(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  for (const [name, value] of Object.entries(call.flags || {})) words.push(`--${name}=${value}`);
  return words.join(' ');
};

/** The states, each made of the one before it. */
let lines = null;
const states = data.calls.map(({ call }) => {
  if (!call.state) return null;
  const marked = [];
  if (call.state.whole) {
    lines = call.state.whole;
    for (const line of lines) marked.push(['same', line]);
    return { marked, lines };
  }
  const now = [];
  let at = 0;
  for (const step of call.state.change) {
    if (Array.isArray(step)) {
      for (const line of step) { now.push(line); marked.push(['come', line]); }
    } else if (step < 0) {
      for (const line of (lines || []).slice(at, at - step)) marked.push(['gone', line]);
      at -= step;
    } else {
      for (const line of (lines || []).slice(at, at + step)) { now.push(line); marked.push(['same', line]); }
      at += step;
    }
  }
  lines = now;
  return { marked, lines };
});

const fold = text => text.normalize('NFKC').toLowerCase();
const items = data.calls.map(({ line, call }, at) => {
  const how = ending(call);
  const item = make('li', how);
  const aimed = target(call);
  item.append(make('div', 'what', written(call)));
  const name = aimed ? ` · ${aimed.role} ${aimed.name || aimed.text || ''}` : '';
  item.append(make('div', 'when', `${call.at.toFixed(1)} s · ${how.replace('_', ' ')}${name}`));
  item.addEventListener('click', () => show(at));
  by('timeline').append(item);
  const said = states[at] ? states[at].lines.join('\n') : '';
  return { item, text: fold(JSON.stringify({ ...call, state: null }) + '\n' + written(call) + '\n' + said + ` line ${line}`) };
});

const section = (title, ...parts) => {
  if (parts.length) by('detail').append(make('h3', '', title), ...parts);
};

const shot = (title, picture, aimed) => {
  const figure = make('figure');
  figure.append(make('figcaption', '', title));
  const url = data.pictures[picture.sha256];
  if (!url) {
    figure.append(make('p', '', 'this picture is not in the page'));
    return figure;
  }
  const frame = make('div', 'shot');
  const image = make('img');
  image.alt = title;
  image.src = url;
  frame.append(image);
  const [left, top, wide, high] = picture.area;
  if (aimed && aimed.rect && wide > 0 && high > 0) {
    const percent = (value, whole) => `${(100 * value / whole).toFixed(3)}%`;
    const [x, y, width, height] = aimed.rect;
    const rect = make('div', 'rect');
    rect.style.left = percent(x - left, wide);
    rect.style.top = percent(y - top, high);
    rect.style.width = percent(width, wide);
    rect.style.height = percent(height, high);
    const point = make('div', 'point');
    point.style.left = percent(x + width / 2 - left, wide);
    point.style.top = percent(y + height / 2 - top, high);
    frame.append(rect, point);
  }
  figure.append(frame);
  return figure;
};

/** Lines that stay, but those next to what changed, folded into one. */
const diff = marked => {
  const pre = make('pre', 'diff');
  const isNear = marked.map((_, at) => marked.slice(Math.max(0, at - 2), at + 3).some(([kind]) => kind !== 'same'));
  let left = 0;
  const fill = () => { if (left) pre.append(make('span', 'same', `  … ${left} lines`)); left = 0; };
  marked.forEach(([kind, line], at) => {
    if (!isNear[at]) { left += 1; return; }
    fill();
    pre.append(make('span', kind, { come: '+ ', gone: '- ', same: '  ' }[kind] + line));
  });
  fill();
  return pre;
};

let current = -1;
const show = at => {
  const entry = data.calls[at];
  if (!entry) return;
  const { line, call } = entry;
  current = at;
  items.forEach(({ item }, other) => other === at ? item.setAttribute('aria-current', 'true') : item.removeAttribute('aria-current'));
  items[at].item.scrollIntoView({ block: 'nearest' });
  const detail = by('detail');
  detail.replaceChildren();
  detail.scrollTop = 0;
  const how = ending(call);
  detail.append(make('h2', '', written(call)), make('span', `verdict ${how}`, how.replace('_', ' ')));
  detail.append(make('span', 'when', ` · line ${line} · ${call.time} · ${call.at.toFixed(3)} s · took ${call.seconds.toFixed(3)} s`));
  const aimed = target(call);
  const pictures = make('div', 'pictures');
  if (call.before) pictures.append(shot('before', call.before, aimed));
  if (call.after) pictures.append(shot('after', call.after, call.before ? null : aimed));
  if (pictures.childNodes.length) section('Pictures', pictures);
  const answer = call.answer || {};
  if (answer.error) section('Problem', make('pre', '', `error[${answer.error.code}]: ${answer.error.message || ''}`));
  if (answer.text) section('Answer', make('pre', '', answer.text));
  const state = states[at];
  if (state) {
    const hasChanged = state.marked.some(([kind]) => kind !== 'same');
    if (!call.state.whole) section('What changed in the state', hasChanged ? diff(state.marked) : make('p', '', 'nothing'));
    const all = make('details');
    all.append(make('summary', '', `${state.lines.length} lines`), make('pre', '', state.lines.join('\n')));
    section('State', all);
  }
  if (call.console && call.console.length) {
    section('Console', make('pre', '', call.console.map(m => `${m.kind}: ${m.text}${m.source ? ` (${m.source})` : ''}`).join('\n')));
  }
  for (const asked of call.models || []) {
    section(`Model ${asked.model} as ${asked.role}`, make('p', '', `${asked.input} + ${asked.output} tokens, ${asked.seconds.toFixed(2)} s`), ...(asked.thinking ? [make('pre', '', `thinking: ${asked.thinking}`)] : []), make('pre', '', asked.answer));
  }
  if (answer.result && answer.result.verdict) section('Receipt', make('pre', '', JSON.stringify(answer.result, null, 1)));
  if (call.notes && call.notes.length) {
    const notes = make('ul', 'notes');
    for (const note of call.notes) notes.append(make('li', '', note));
    section('Not in this trace', notes);
  }
};

const step = by => {
  for (let at = current + by; at >= 0 && at < items.length; at += by) {
    if (!items[at].item.hidden) return show(at);
  }
};

const filter = () => {
  const words = fold(by('search').value).split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { item, text } of items) {
    item.hidden = !words.every(word => text.includes(word));
    shown += item.hidden ? 0 : 1;
  }
  by('count').textContent = `${shown} of ${items.length} calls`;
  const first = items.findIndex(({ item }) => !item.hidden);
  if (first >= 0 && (current < 0 || items[current].item.hidden)) show(first);
};

by('search').addEventListener('input', filter);
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target === by('search');
  if (event.key === 'Escape') { by('search').value = ''; by('search').blur(); filter(); }
  else if (event.key === '/' && !isTyping) { by('search').focus(); event.preventDefault(); }
  else if (event.key === 'ArrowDown' || (event.key === 'j' && !isTyping)) { step(1); event.preventDefault(); }
  else if (event.key === 'ArrowUp' || (event.key === 'k' && !isTyping)) { step(-1); event.preventDefault(); }
});

const begun = data.begun || {};
by('name').textContent = `Trace of session ${begun.session || '?'}`;
by('about').textContent = `${begun.time || ''} · handeye ${begun.version || ''}`;
by('found').textContent = data.found.words;
by('found').className = data.found.is_good ? 'good' : 'bad';
for (const fault of data.found.faults) by('faults').append(make('li', '', fault));
filter();
