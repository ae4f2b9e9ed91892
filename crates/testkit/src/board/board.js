// A board of cases from fixtures/matching.json: targets whose text, or where they lead, changes at a chosen moment, and a
// log of what each target's own listener received, with what the target said then. The log is the judge.
'use strict';

/** @type {{n: number, type: string, changed: boolean, says: string}[]} what the targets received, oldest first */
window.log = [];
const TYPES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
/** What a click brings about by itself, without a listener. */
const EFFECTS = ['change', 'submit', 'reset'];
const MOMENTS = ['pointerover', 'mousemove', 'focusin', ...TYPES];
const query = new URLSearchParams(location.search);
const OWN = location.origin;
const OTHER = OWN.includes('127.0.0.1') ? OWN.replace('127.0.0.1', 'localhost') : OWN.replace('localhost', '127.0.0.1');

let root = document;
let board, out;
/** Its event is one of input, and it is nothing to click. */
const asking = document.createElement('details');
let cases = [];
let owners = new WeakMap();
let begun = false;
/** Ends what listens for the cases of a board. */
let listening = new AbortController();

// A form's controls may go by the names of its own members.
const from = (prototype, name) => prototype[name].call.bind(prototype[name]);
const listen = from(EventTarget.prototype, 'addEventListener');
const rectOf = from(Element.prototype, 'getBoundingClientRect');
const closest = from(Element.prototype, 'closest');
const rootOf = from(Node.prototype, 'getRootNode');
const parentGetter = Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode').get;
const parentOf = node => parentGetter.call(node);
const escaped = text => text.replace(/[&<>'"]/g, c => `&#${c.charCodeAt(0)};`);
const filled = (html, {n, from}) => html.replaceAll('{n}', n).replaceAll('{text}', escaped(from));
const code = body => new Function('el', 'text', 'n', 'OWN', 'OTHER', body);

/** Where the board is: in the document, or in a shadow root of it. */
function setUp() {
  const inside = document.createElement('div');
  const mode = query.get('root');
  if (mode) {
    document.body.append(inside);
    root = inside.attachShadow({mode});
    root.append(document.querySelector('style').cloneNode(true));
  } else document.body.append(inside);
  const into = mode ? root : inside;
  [board, out] = ['div', 'p'].map(tag => document.createElement(tag));
  board.id = 'board';
  out.id = 'out';
  into.append(board, out);
  board.addEventListener('submit', event => event.preventDefault());
  // What a link does by itself. It comes later, so that it tells of what was changed before where nothing came between.
  addEventListener('hashchange', () => {
    const one = cases.find(({n}) => location.hash === `#case${n}`);
    if (one?.how === 'stop') note(one, 'effect');
  });
}

/**
 * Shows these cases. In an event of input, as a page that is asked for something else: what changes over and over by itself
 * would be no evidence of a click.
 */
function build(list) {
  return new Promise((resolve, reject) => {
    const show = () => { try { resolve(rebuild(list)); } catch (error) { reject(error); } };
    asking.addEventListener('toggle', show, {once: true});
    asking.open = !asking.open;
  });
}

/** Cases of one kind that stand together share what wraps them. */
function rebuild(list) {
  listening.abort();
  [cases, owners, begun, listening] = [list, new WeakMap(), false, new AbortController()];
  board.textContent = out.textContent = '';
  for (let i = 0; i < list.length;) {
    const kind = list[i].kind;
    const same = [];
    while (list[i]?.kind === kind) same.push(list[i++]);
    const wrapped = document.createElement('div');
    const html = same.map(one => kind.root ? `<x-host>${filled(kind.light ?? '', one)}</x-host>` : filled(kind.html, one)).join('\n');
    wrapped.innerHTML = (kind.wrap ?? '{cases}').replace('{cases}', html);
    board.append(wrapped);
    if (kind.root) {
      wrapped.querySelectorAll('x-host').forEach((host, k) => {
        const inner = host.attachShadow({mode: kind.root});
        inner.innerHTML = filled(kind.html, same[k]);
        own(same[k], inner.querySelector('[data-case]'), host);
      });
    } else wrapped.querySelectorAll('[data-case]').forEach((el, k) => own(same[k], el, closest(el, 'label')));
  }
  // Where each is, and where its label is: what isn't rendered or is out of view may be told by that.
  return cases.map(one => [one.el, one.outer].filter(el => el && rectOf(el).width).map(el => {
    const {left, top, width, height} = rectOf(el);
    return [left, top, width, height];
  }));
}

function own(one, el, outer) {
  one.el = el;
  one.outer = outer;
  for (const node of [el, outer]) if (node) owners.set(node, one);
  one.put = code(one.kind.put);
  one.read = one.kind.read ? code(`return ${one.kind.read}`) : () => one.from;
  if (one.kind.make) code(one.kind.make)(el, one.from, one.n, OWN, OTHER);
  const at = {target: el, 'target-capture': el, root: rootOf(el)}[one.place];
  // A root is told of other cases' events, too.
  const early = event => { if (caseOf(event) === one) ambush(one, event); };
  if (at) listen(at, one.moment, early, {capture: one.place !== 'target', signal: listening.signal});
  for (const type of TYPES) listen(el, type, event => heard(one, event));
  for (const type of EFFECTS) listen(closest(el, 'form') ?? el, type, () => note(one, 'effect'));
}

function note(one, type) {
  log.push({n: one.n, type, changed: Boolean(one.changed), says: String(one.read(one.el, '', one.n))});
}

/** The target's own listener: last in the event's way. */
function heard(one, event) {
  note(one, event.type);
  if (event.type !== 'click') return;
  // Something that a receipt can see.
  out.textContent = `clicked ${one.n}`;
  if (one.kind.destination) event.preventDefault();
}

function change(one) {
  if (one.changed) return;
  one.changed = true;
  one.put(one.el, one.to, one.n, OWN, OTHER);
}

/** What a listener of the page's does in the chosen event. */
function ambush(one, event) {
  if (!begun || one.changed || one.moment === 'between' || one.moment === 'never') return;
  const now = () => {
    change(one);
    if (one.how === 'stop') event?.stopImmediatePropagation();
  };
  switch (one.how) {
    case 'microtask': return queueMicrotask(now);
    case 'frame': return requestAnimationFrame(now);
    case 'task': return setTimeout(now);
    // A listener that comes into the event's way inside the event.
    case 'added': return listen(parentOf(one.el), one.moment, now, {capture: true, once: true});
    case 'opened': return reopen(one);
    default: return now();
  }
}

/** Clears the document, and with it every listener that there is, and puts the changed target back where it was. */
function reopen(one) {
  const place = rectOf(one.el);
  const {el} = one;
  change(one);
  document.open();
  document.write('<!doctype html><body></body>');
  document.close();
  document.body.append(el);
  Object.assign(el.style, {position: 'fixed', left: `${place.left}px`, top: `${place.top}px`, margin: 0, width: `${place.width}px`});
  for (const type of TYPES) listen(el, type, () => note(one, type));
}

/** The case that an event is about. In closed roots the path says nothing: its place does. */
function caseOf(event) {
  const known = event.composedPath().map(node => owners.get(node)).find(Boolean);
  if (known || !(event instanceof MouseEvent)) return known;
  return cases.find(({el}) => {
    const {left, top, right, bottom} = rectOf(el);
    return event.clientX >= left && event.clientX < right && event.clientY >= top && event.clientY < bottom;
  });
}

/** From here on changes are made: those between a look and the click at once. */
function begin() {
  begun = true;
  for (const one of cases) if (one.moment === 'between') change(one);
}

/** Changes one case after a time. */
function later(n, ms) {
  const one = cases.find(each => each.n === n);
  setTimeout(() => change(one), ms);
}

// There before the board, so before any listener of the targets'. Those of the window are older than ours in a browser
// that is attached to.
setUp();
for (const type of MOMENTS) {
  for (const [place, node] of Object.entries({window, document, ancestor: board})) {
    node.addEventListener(type, event => {
      const one = caseOf(event);
      if (one?.place === place && one.moment === type) ambush(one, event);
    }, true);
  }
}
