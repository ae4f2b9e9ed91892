// Adapter of the outside evaluation kit: every action is a tool call of a model that `handeye do` works for, and before each one
// the model makes a mistake, which must come to nothing. The page's own reward says what was done.
import Handeye from './handeye.mjs';
import { CONFIG, parseState } from './state.mjs';
import { Doing, Model, faults, isGivenBack } from './model.mjs';
import fs from 'node:fs';

let number = 0;

export default class extends Handeye {
  static title = 'handeye do';

  async start() {
    await super.start();
    this.model = new Model();
    await this.model.start();
    // For tasks alone: what is described in words is then held to what the state shows, and no picture is judged.
    fs.writeFileSync(this.config, `${CONFIG}\n[models.agent]\nurl = "${this.model.url}"\nmodel = "script"\n`);
    this.items = [];
  }

  async stop() {
    await this.doing?.end();
    this.model.stop();
    await super.stop();
  }

  async open(url) {
    await this.finish();
    const words = ['--session', this.session, '--config', this.config, 'do', 'the task of the page', '--on', url, '--max-steps', '1000', '--json'];
    this.doing = new Doing(this.model, words);
    this.calls += 1;
    if (!await this.doing.begun()) {
      throw new Error(`it didn't begin: ${this.doing.out} ${this.doing.err}`);
    }
    await this.doing.call('plan', { constraints: ['the task of the page is done'] });
    return true;
  }

  /** Ends the task of the page before: by a confirmed step, where there was one. */
  async finish() {
    if (!this.doing || this.doing.code !== undefined) return;
    if (this.step) {
      await this.doing.call('prove', { constraint: 1, by: 'step', step: this.step, expected_text: this.says });
      const end = await this.doing.finish();
      if (!end.startsWith('ended')) throw new Error(`its end was given back: ${end}`);
      await this.doing.ended;
      const report = JSON.parse(this.doing.out);
      if (report.outcome !== 'done') throw new Error(`it ended as ${report.outcome}: ${report.reason}`);
    }
    await this.doing.end();
    this.step = null;
  }

  async state() {
    // The model looks as the decider does; the indented text is what deciders read.
    await this.doing.call('state', { all: true, budget: 100000 + number });
    const text = await this.snapshotText();
    this.chars += text.length;
    this.items = parseState(text);
    return this.items;
  }

  async act(action) {
    const right = this.tool(action);
    if (!right) return { ok: false, err: `no tool does ${action.op}` };
    number += 1;
    if (right.args.ref !== undefined) {
      const [what, name, args] = faults(number, right, this.items, right.hasText);
      const result = await this.doing.call(name, args);
      if (!isGivenBack(result)) throw new Error(`${what} was carried out: ${result}`);
    }
    const result = await this.doing.call(right.name, right.args);
    const confirmed = /^step (\d+), \w+: confirmed/.exec(result);
    // A step proves what it was done to, or with; one on an icon says nothing.
    const { expected_text, text, options, keys } = right.args;
    const says = right.hasText ? expected_text : text || options?.[0] || keys?.[0];
    if (confirmed && says && !['scroll', 'hover'].includes(right.name)) [this.step, this.says] = [Number(confirmed[1]), says];
    const ok = Boolean(confirmed) || /^step \d+, \w+: no_effect/.test(result);
    return { ok, err: ok ? '' : result.slice(0, 200) };
  }

  /** An action of a decider as a tool call. */
  tool({ op, ref, text, value, key, to, dy }) {
    const item = this.items.find(one => one.ref === String(ref));
    const said = item?.name || item?.value;
    const target = { ref: Number(ref), expected_text: said || `the ${item?.role ?? 'target'} without a text` };
    const hasText = Boolean(said);
    switch (op) {
      case 'click':
      case 'dblclick':
      case 'hover':
        return { name: op, args: target, hasText };
      case 'fill':
      case 'typeinto':
        return { name: 'input', args: { ...target, text: String(text) }, hasText };
      case 'select':
        return { name: 'select', args: { ...target, options: [value].flat().map(String) }, hasText };
      case 'press':
        return { name: 'keys', args: { keys: [key] } };
      case 'drag':
        return { name: 'drag', args: { ...target, to: Number(to) }, hasText };
      case 'scroll':
        return { name: 'scroll', args: { ...(ref ? target : {}), direction: dy > 0 ? 'down' : 'up', pixels: Math.abs(dy) }, hasText };
      default:
        return null;
    }
  }
}
