// Which differences between the captures are explained: the table of docs/captures.md, and how its conditions are checked.
import fs from 'node:fs';

/** What the table's `when` may ask of an element; `ask` runs `handeye get`. */
const CONDITIONS = {
  'not focusable': async ({ ref }, ask) =>
    (await ask('attr', ref, 'tabindex')) === null && (await ask('attr', ref, 'contenteditable')) === null,
  'title repeats text': async ({ ref, names }, ask) => {
    const [title, text] = [await ask('attr', ref, 'title'), await ask('text', ref)];
    return title !== null && names.script === title && names.tree === '' && plain(title) === plain(text ?? '');
  },
};

/** White space and characters without width say nothing to who reads a name. */
export const plain = text => text.replace(/[\s\u200b\ufeff]+/g, ' ').trim();

/** Rows of the table, as rules. */
export function rulesOf(markdown) {
  const rules = [];
  for (const line of markdown.split('\n')) {
    const [side, roles, when, clause] = line.split('|').slice(1, -1).map(cell => cell.trim());
    if (!['script', 'tree', 'role', 'name'].includes(side)) continue;
    if (!CONDITIONS[when]) throw new Error(`docs/captures.md: there is no condition ${JSON.stringify(when)}`);
    if (!/\d+\.\d+/.test(clause ?? '')) throw new Error(`docs/captures.md: a row names no clause: ${line}`);
    rules.push({ side, roles: new Set(roles.split(' ')), when, clause });
  }
  return rules;
}

export const readRules = () => rulesOf(fs.readFileSync(new URL('../docs/captures.md', import.meta.url), 'utf8'));

/** The clause that explains a difference, or null. */
export async function explained(rules, difference, ask) {
  for (const { side, roles, when, clause } of rules) {
    if (side !== difference.side || !roles.has(difference.role)) continue;
    if (await CONDITIONS[when](difference, ask)) return clause;
  }
  return null;
}
