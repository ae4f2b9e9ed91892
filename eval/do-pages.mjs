// Tasks of `handeye do` on pages of the outside evaluation kit: `node eval/do-pages.mjs KIT`. A script is the model; before each
// action it makes a mistake, which must come to nothing. The page's own log, kept by a script that the server adds, says what was done.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './handeye.mjs';
import { Doing, Model, faults, isGivenBack } from './model.mjs';
import { CONFIG, parseState } from './state.mjs';

const LOG = `<script>for (const type of ['click', 'change']) addEventListener(type, event => {
  const at = event.composedPath().find(part => part instanceof Element && part.matches('a, button, input, select, label, [role]'));
  if (event.isTrusted && at) navigator.sendBeacon('/__log', type + ' ' + (at.textContent.trim().replace(/\\s+/g, ' ').slice(0, 40) || at.value || at.id));
}, true)</script>`;

/** A page, what is done on it, and what its log must hold: nothing more, nothing less. */
const JOBS = [
  {
    page: '/npm/startbootstrap-sb-admin-2/register.html',
    steps: [
      ['input', 'textbox', 'First Name', { text: 'Ann' }],
      ['input', 'textbox', 'Email Address', { text: 'ann@example.com' }],
      ['click', 'link', 'Already have an account? Login!', {}],
    ],
    log: ['change Ann', 'change ann@example.com', 'click Already have an account? Login!'],
  },
  {
    page: '/npm/admin-lte/dist/examples/login.html',
    steps: [
      ['input', 'textbox', 'Email', { text: 'ann@example.com' }],
      ['check', 'checkbox', 'Remember Me', {}],
    ],
    log: ['change ann@example.com', 'click flexCheckDefault', 'change flexCheckDefault'],
  },
  {
    page: '/npm/admin-lte/dist/mailbox/inbox.html',
    steps: [['click', 'link', 'Sent', {}]],
    log: ['click Sent'],
  },
  {
    page: '/pydoc/library/functions.html',
    steps: [['click', 'link', 'abs()', {}]],
    log: ['click abs()'],
  },
  {
    page: '/pydoc/search.html?q=json',
    steps: [['click', 'link', 'modules', {}]],
    log: ['click modules'],
  },
];

const kit = path.resolve(process.argv[2]);
process.env.EVALKIT_DEPS ??= path.join(kit, '.deps');
const { startCorpus } = await import(pathToFileURL(path.join(kit, 'corpus/server.mjs')));
const corpus = await startCorpus();
const logged = [];
const site = http.createServer(async (request, response) => {
  if (request.url === '/__log') {
    let body = '';
    for await (const part of request) body += part;
    logged.push(body);
    return response.end();
  }
  const answer = await fetch(corpus.url + request.url);
  const kind = answer.headers.get('content-type') ?? '';
  let bytes = Buffer.from(await answer.arrayBuffer());
  if (kind.startsWith('text/html')) bytes = Buffer.from(LOG + bytes.toString());
  response.writeHead(answer.status, { 'content-type': kind });
  response.end(bytes);
});
await new Promise(done => site.listen(0, '127.0.0.1', done));
const base = `http://127.0.0.1:${site.address().port}`;

const model = new Model();
await model.start();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'handeye-do-'));
const config = path.join(folder, 'handeye.toml');
fs.writeFileSync(config, `${CONFIG}\n[models.agent]\nurl = "${model.url}"\nmodel = "script"\n`);
const options = ['--session', `do-${process.pid}`, '--config', config];
let number = 0;
let failed = 0;

/** One page; what is wrong, or nothing. */
async function job(one) {
  const { page, steps, log } = one;
  logged.length = 0;
  const doing = new Doing(model, [...options, 'do', 'the steps of the page', '--on', base + page, '--json']);
  try {
    if (!await doing.begun()) return `it didn't begin: ${doing.out} ${doing.err}`;
    await doing.call('plan', { constraints: ['the steps are done'] });
    let [last, says] = [null, ''];
    for (const [name, role, text, more] of steps) {
      const found = await doing.call('find', { role, name: text });
      const items = parseState(`page\n${found.split('\n').filter(line => line.startsWith('[')).join('\n')}`);
      const item = items.find(one => one.name === text) ?? items[0];
      if (!item?.ref) return `there is no ${role} ${text}: ${found.slice(0, 300)}`;
      const right = { name, args: { ref: Number(item.ref), expected_text: text, ...more } };
      for (let n = 0; n < 3; n += 1) {
        number += 1;
        const [what, tool, args] = faults(number, right, items);
        const result = await doing.call(tool, args);
        if (!isGivenBack(result)) return `${what} was carried out: ${result.slice(0, 300)}`;
      }
      const result = await doing.call(name, right.args);
      last = /^step (\d+), \w+: confirmed/.exec(result)?.[1];
      says = text;
      if (!last) return `${name} ${text}: ${result.slice(0, 300)}`;
    }
    const early = await doing.call('finish', { success: true, answer: 'done' });
    if (!early.includes('unproven')) return `a claim without evidence was taken: ${early}`;
    await doing.call('prove', { constraint: 1, by: 'step', step: Number(last), expected_text: says });
    const end = await doing.finish();
    if (!end.startsWith('ended')) return `its end was given back: ${end}`;
    await doing.ended;
    const report = JSON.parse(doing.out);
    if (report.outcome !== 'done' || doing.code !== 0) return `it ended as ${report.outcome}: ${report.reason}`;
    // Beacons may come in another order.
    const same = JSON.stringify(logged.toSorted()) === JSON.stringify(log.toSorted());
    return same ? null : `the page's log is ${JSON.stringify(logged)}`;
  } finally {
    await doing.end();
    one.slowest = doing.slowest;
  }
}

for (const one of JOBS) {
  const wrong = await job(one);
  failed += wrong ? 1 : 0;
  console.log(`${wrong ? 'NOT DONE' : 'done'}  ${one.page}${wrong ? `\n  ${wrong}` : `  ${JSON.stringify(logged)}`}  slowest call ${one.slowest} ms`);
}
await run([...options, 'close']);
model.stop();
site.close();
corpus.close();
fs.rmSync(folder, { recursive: true, force: true });
console.log(`TOTAL ${JOBS.length - failed}/${JOBS.length} pages`);
process.exit(failed ? 1 : 0);
