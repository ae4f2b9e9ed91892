// Holds both captures of a page against each other: what the page script and the browser's accessibility tree say of the
// same elements, over the pages of the outside evaluation kit. Usage: compare.mjs KIT [PAGE…]
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { explained, plain, readRules } from './differences.mjs';
import { run } from './handeye.mjs';

/** How often a page is looked at again that changes while it is looked at. */
const LOOKS = 8;

const [kit, ...only] = process.argv.slice(2);
const part = async name => import(pathToFileURL(path.join(kit, 'corpus', name)).href);
const { startCorpus } = await part('server.mjs');
const { default: all } = await part('pages.mjs');
const pages = all.filter(page => !only.length || only.includes(page.id));
const rules = readRules();
const session = `compare-${process.pid}`;
const say = (...words) => run(['--session', session, ...words], 120000);
/** Some demo pages greet with an alert, which holds the page. */
const accept = async () => {
  let accepted = 0;
  while ((await say('dialog', 'accept')).code === 0) accepted += 1;
  return accepted;
};
/** What a command gives as JSON; a dialog that comes up before it is answered. */
const handeye = async (...words) => {
  for (;;) {
    const { out, err, code } = await say(...words.map(String), '--json');
    if (code === 0) return JSON.parse(out);
    if (!out.includes('"code":"blocked"') || !(await accept())) throw new Error(`handeye ${words.join(' ')}: ${out}${err}`);
  }
};
/** One fact, as `get` gives it; null where there is none. */
const ask = async (...words) => (await handeye('get', ...words)).value;
/** Targets of a state. */
const state = async (...words) => {
  for (;;) {
    const { targets, notices } = await handeye('state', ...words);
    if (!notices.some(notice => notice.kind === 'dialog')) return targets;
    await accept();
  }
};
const said = targets => JSON.stringify(targets.map(({ ref, role, name, states }) => [ref, role, name, states]));

/** Both captures of one and the same page: it is looked at until it is the same before and after the tree is read. */
async function looks() {
  let script = await state();
  for (let look = 0; look < LOOKS; look += 1) {
    const tree = await state('--via', 'ax');
    const after = await state();
    if (said(script) === said(after)) return [script, tree];
    script = after;
    await say('wait', '1');
  }
  throw new Error(`the page never stands still, over ${LOOKS} looks`);
}

/** What the captures tell differently: where, of which role, and how it reads. */
function differences(script, tree) {
  const byTree = new Map(tree.map(target => [target.ref, target]));
  const out = [];
  let both = 0;
  const alone = (side, target) => out.push({ side, ref: target.ref, role: target.role, text: `${target.role} ${JSON.stringify(target.name)} ${target.xpath}` });
  for (const target of script) {
    const other = byTree.get(target.ref);
    byTree.delete(target.ref);
    if (!other) {
      // The tree says nothing of what is hidden from it.
      if (!target.states.includes('aria-hidden')) alone('script', target);
      continue;
    }
    both += 1;
    const names = { script: plain(target.name), tree: plain(other.name) };
    if (target.role === other.role && names.script === names.tree) continue;
    const text = `${target.xpath}\n    script ${target.role} ${JSON.stringify(target.name)}\n    tree   ${other.role} ${JSON.stringify(other.name)}`;
    out.push({ side: target.role === other.role ? 'name' : 'role', ref: target.ref, role: target.role, names, text });
  }
  for (const target of byTree.values()) alone('tree', target);
  return { both, out };
}

/** Opens a page as the kit's truth has it. */
async function show(server, page) {
  const opened = await say('open', server.url + page.path, '--allow', 'eval');
  // A dialog holds the page that is coming; it comes once that is answered.
  if (!(await accept()) && opened.code !== 0) throw new Error(opened.err);
  await say('wait', '--idle');
  if (page.pre) {
    await handeye('eval', `(() => { ${page.pre} })()`);
    await say('wait', '--idle');
  }
}

const total = { both: 0, alike: 0, explained: 0, unexplained: 0, failed: 0 };
const clauses = new Map();
const server = await startCorpus();
try {
  for (const page of pages) {
    try {
      await show(server, page);
      const { both, out } = differences(...(await looks()));
      const own = { both, alike: both - out.filter(d => d.names).length, explained: 0, unexplained: 0 };
      for (const difference of out) {
        const clause = await explained(rules, difference, ask);
        own[clause ? 'explained' : 'unexplained'] += 1;
        if (clause) clauses.set(clause, (clauses.get(clause) ?? 0) + 1);
        else console.log(`  ${page.id}, ${difference.names ? 'different' : `${difference.side} alone`}: ${difference.text}`);
      }
      console.log(`${page.id}: ${own.alike}/${own.both} alike; of ${out.length} differences ${own.explained} explained, ${own.unexplained} not`);
      for (const key of Object.keys(own)) total[key] += own[key];
    } catch (error) {
      total.failed += 1;
      console.log(`${page.id}: FAILED: ${error.message}`);
    }
    // A session for each page: what one leaves open is no matter for the next.
    await say('sessions', 'stop', session);
  }
} finally {
  server.close();
}
for (const [clause, count] of clauses) console.log(`${count} by ${clause}`);
const percent = total.both ? ((100 * total.alike) / total.both).toFixed(2) : '0';
console.log(`COMPARED ${total.alike}/${total.both} = ${percent} % alike in role and name; ${total.explained} differences explained, ${total.unexplained} unexplained, ${total.failed} pages failed`);
process.exit(0);
