// Adapter of the outside evaluation kit: one `handeye` process per command, as a shell would run it.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CONFIG, parseState } from './state.mjs';

const BIN = process.env.TOOL_BIN || 'handeye';
let sessions = 0;

/** Runs to its end; the output of one that takes too long is what it printed until then. */
export function run(words, limit = 30000) {
  return new Promise(done => {
    const child = spawn(BIN, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', text => { out += text; });
    child.stderr.setEncoding('utf8').on('data', text => { err += text; });
    const late = setTimeout(() => child.kill('SIGKILL'), limit);
    child.on('error', error => { clearTimeout(late); done({ out, err: String(error), code: null }); });
    child.on('close', code => { clearTimeout(late); done({ out, err, code }); });
  });
}

/** Text that begins with a dash is no option. */
const operand = text => (String(text).startsWith('-') ? ['--', String(text)] : [String(text)]);

export default class {
  static title = 'handeye';

  constructor(options = {}) {
    sessions += 1;
    this.session = options.session || `eval-${process.pid}-${sessions}`;
    this.calls = 0;
    this.chars = 0;
  }

  run(words, limit) {
    this.calls += 1;
    return run(['--session', this.session, '--config', this.config, ...words], limit);
  }

  async start() {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'handeye-eval-'));
    this.config = path.join(this.folder, 'handeye.toml');
    fs.writeFileSync(this.config, CONFIG);
  }

  async stop() {
    await this.run(['close']);
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  async open(url) {
    return (await this.run(['open', url], 60000)).code === 0;
  }

  async snapshotText() {
    return (await this.run(['state', '--all', '--tree', '--budget', 'none'])).out;
  }

  async state() {
    const text = await this.snapshotText();
    this.chars += text.length;
    return parseState(text);
  }

  async box(ref) {
    const { out, code } = await this.run(['get', 'rect', ref]);
    const numbers = out.match(/-?\d+(?:\.\d+)?/g)?.map(Number);
    return code === 0 && numbers?.length === 4 ? numbers : null;
  }

  async act(action) {
    const { op, ref } = action;
    switch (op) {
      case 'click':
      case 'dblclick':
      case 'hover':
      case 'focus':
        return this.done([op, ref]);
      case 'fill':
        return this.done(['input', ref, ...operand(action.text)]);
      case 'select':
        return this.done(['select', ref, ...[action.value].flat().map(String)]);
      case 'type':
        return this.done(['type', ...operand(action.text)]);
      case 'typeinto': {
        const focused = await this.done(['focus', ref]);
        return focused.ok ? this.done(['type', ...operand(action.text)]) : focused;
      }
      case 'press':
        return this.done(['keys', action.key]);
      case 'drag':
        return this.done(['drag', ref, '--to', action.to]);
      case 'scroll':
        return this.done(['scroll', ...(ref ? [ref] : []), action.dy > 0 ? 'down' : 'up', String(Math.abs(action.dy))]);
      case 'mouse': {
        let last = { ok: true, err: '' };
        for (const [what, ...place] of action.path) {
          last = await this.done(['mouse', what, ...place.map(String)]);
        }
        return last;
      }
      default:
        return { ok: false, err: `no such action: ${op}` };
    }
  }

  /** Done unless it was refused or failed: an action without a visible effect was still carried out. */
  async done(words) {
    const { out, err, code } = await this.run(words);
    const carriedOut = code === 0 || (code === 1 && /: (?:no effect|unverifiable)/.test(out));
    return { ok: carriedOut, err: carriedOut ? '' : `${out} ${err}`.trim().slice(0, 200) };
  }
}
