// The text of `handeye state` as a list of items with parents and children.

/** A string as JSON writes it, at the start of `text`; null where there is none. */
const QUOTED = /^"(?:[^"\\]|\\.)*"/;

const word = (text, name) => new RegExp(`(?:^| )${name}(?: |$)`).test(text);

/**
 * @param {string} text what `handeye state --all --tree --budget none` printed
 * @returns {object[]} items in document order
 */
export function parseState(text) {
  const items = [];
  const open = [];
  for (const line of text.split('\n').slice(1)) {
    const [, indent, number, role, rest] = /^( *)(?:\[(\d+)\] )?(\S+)(?: \d+(?= "))? ?(.*)$/.exec(line) ?? [];
    if (role === undefined || (!number && role === 'notice')) continue;
    const depth = indent.length / 2;
    const quoted = QUOTED.exec(rest)?.[0];
    const name = quoted ? JSON.parse(quoted) : '';
    const more = quoted ? rest.slice(quoted.length) : ` ${rest}`;
    const inner = / value=("(?:[^"\\]|\\.)*")/.exec(more)?.[1];
    // States are bare words: what stands in quotes is none.
    const words = more.replace(/"(?:[^"\\]|\\.)*"/g, '');
    const item = {
      ref: number ?? null,
      role,
      name,
      value: inner ? JSON.parse(inner) : '',
      checked: word(words, 'checked') || (word(words, 'mixed') ? 'mixed' : false),
      selected: word(words, 'selected'),
      expanded: word(words, 'expanded') ? true : word(words, 'collapsed') ? false : undefined,
      disabled: word(words, 'disabled'),
      raw: line.trim() + (word(words, 'editable') ? ' contenteditable' : ''),
      depth,
      kids: [],
      i: items.length,
    };
    item.parent = open.slice(0, depth).findLast(above => above) ?? null;
    item.parent?.kids.push(item);
    open[depth] = item;
    open.length = depth + 1;
    items.push(item);
  }
  return items;
}

/** Settings of the evaluation: long texts are wanted whole. */
export const CONFIG = '[limits]\ntext = 4000\n';
