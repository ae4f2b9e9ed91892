// Holds both captures of a page against each other: what the page script and the browser's accessibility tree say of the
// same elements, over the pages of the outside evaluation kit. Usage: compare.mjs KIT [PAGE…]
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './handeye.mjs';

const [kit, ...only] = process.argv.slice(2);
const part = async name => import(pathToFileURL(path.join(kit, 'corpus', name)).href);
const { startCorpus } = await part('server.mjs');
const { default: all } = await part('pages.mjs');
const pages = all.filter(page => !only.length || only.includes(page.id));
const session = `compare-${process.pid}`;
const handeye = async (...words) => {
  const { out, err, code } = await run(['--session', session, ...words], 120000);
  if (code !== 0) throw new Error(`handeye ${words.join(' ')}: ${out}${err}`);
  return out;
};
/** Targets of a state; some demo pages greet with an alert, which holds the page. */
const state = async (...words) => {
  for (;;) {
    const { targets, notices } = JSON.parse(await handeye('state', '--json', ...words));
    if (!notices.some(notice => notice.kind === 'dialog')) return targets;
    await handeye('dialog', 'accept');
  }
};
const line = target => `${target.role} ${JSON.stringify(target.name)} ${target.xpath}`;

/** White space and case of a name say nothing to who reads it; half a character is half a character either way. */
const plain = text => text.replace(/[\s\u200b\ufeff]+/g, ' ').trim();
const total = { both: 0, role: 0, name: 0, alike: 0, script: 0, tree: 0 };
const server = await startCorpus();
try {
  for (const page of pages) {
    const own = { both: 0, alike: 0, script: 0, tree: 0 };
    try {
      await handeye('open', server.url + page.path).catch(() => handeye('dialog', 'accept'));
      await handeye('wait', '--idle').catch(() => {});
      const [script, tree] = [await state(), await state('--via', 'ax')];
      const byTree = new Map(tree.map(target => [target.ref, target]));
      for (const target of script) {
        const other = byTree.get(target.ref);
        if (!other) {
          // The tree says nothing of what is hidden from it.
          if (target.states.includes('aria-hidden')) continue;
          own.script += 1;
          console.log(`  ${page.id} script alone: ${line(target)}`);
          continue;
        }
        byTree.delete(target.ref);
        own.both += 1;
        const role = target.role === other.role;
        const name = plain(target.name) === plain(other.name);
        if (!role) total.role += 1;
        if (!name) total.name += 1;
        if (role && name) own.alike += 1;
        else console.log(`  ${page.id} ${other.xpath ?? target.xpath}\n    script ${target.role} ${JSON.stringify(target.name)}\n    tree   ${other.role} ${JSON.stringify(other.name)}`);
      }
      own.tree = byTree.size;
      for (const target of byTree.values()) console.log(`  ${page.id} tree alone: ${line(target)}`);
      console.log(`${page.id}: ${own.alike}/${own.both} alike, ${own.script} in the script's alone, ${own.tree} in the tree's alone`);
      for (const key of ['both', 'alike', 'script', 'tree']) total[key] += own[key];
    } catch (error) {
      console.log(`${page.id}: ${error.message}`);
    }
    // A session for each page: what one leaves open is no matter for the next.
    await handeye('close').catch(() => {});
  }
} finally {
  server.close();
}
const percent = total.both ? ((100 * total.alike) / total.both).toFixed(2) : '0';
console.log(`COMPARED ${total.alike}/${total.both} = ${percent} % alike in role and name; ${total.role} roles and ${total.name} names differ; ${total.script} in the script's alone, ${total.tree} in the tree's alone`);
process.exit(0);
