// A model of OpenAI's wire whose answers are decided from outside, one at a time, and one `handeye do` that it works for.
import { spawn } from 'node:child_process';
import http from 'node:http';

const BIN = process.env.TOOL_BIN || 'handeye';
/** How long a tool call may take. */
const LIMIT = 60000;

/** A server that holds each request until its answer is decided. */
export class Model {
  constructor() {
    this.open = null;
    this.waiting = null;
  }

  start() {
    this.server = http.createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', part => { body += part; }).on('end', () => {
        this.open = { response, messages: JSON.parse(body).messages };
        this.waiting?.();
      });
    });
    return new Promise(done => this.server.listen(0, '127.0.0.1', () => {
      this.url = `http://127.0.0.1:${this.server.address().port}/v1`;
      done();
    }));
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** The next request's messages; null where none comes in time, or `ended` does first. */
  async next(ended) {
    if (!this.open) {
      const late = new Promise(done => setTimeout(done, LIMIT).unref());
      await Promise.race([new Promise(done => { this.waiting = done; }), ended, late]);
      this.waiting = null;
    }
    return this.open?.messages ?? null;
  }

  /** Answers the open request by a call; `text` is what the arguments are, as they are written. */
  call(name, text) {
    const { response } = this.open;
    this.open = null;
    const call = { id: 'call_0', type: 'function', function: { name, arguments: text } };
    const choice = { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: '', tool_calls: [call] } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [choice], usage: { prompt_tokens: 100, completion_tokens: 20 } }));
  }
}

/** A task that `handeye do` works on, with its model's answers decided here. */
export class Doing {
  constructor(model, words) {
    this.model = model;
    this.out = '';
    this.err = '';
    this.child = spawn(BIN, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout.setEncoding('utf8').on('data', text => { this.out += text; });
    this.child.stderr.setEncoding('utf8').on('data', text => { this.err += text; });
    this.ended = new Promise(done => this.child.on('close', code => { this.code = code; done(); }));
  }

  /** Waits until the model is asked; whether it was. */
  async begun() {
    return (await this.model.next(this.ended)) !== null;
  }

  /** Calls a tool; what it returned, or what the task ended with. */
  async call(name, args) {
    const begun = Date.now();
    this.model.call(name, typeof args === 'string' ? args : JSON.stringify(args));
    const messages = await this.model.next(this.ended);
    this.slowest = Math.max(this.slowest ?? 0, Date.now() - begun);
    const result = messages?.findLast(message => message.role === 'tool');
    return result?.content ?? `ended: ${this.code} ${this.out} ${this.err.slice(-500)}`;
  }

  /** Finishes with success, and once more where something came up by itself since the last look: that is told once, and until it is
   * answered the task waits for its model. */
  async finish() {
    const answer = { success: true, answer: 'done' };
    const told = await this.call('finish', answer);
    return told.startsWith('this came up since your last look') ? this.call('finish', answer) : told;
  }

  /** Ends it, where it goes on. */
  async end() {
    if (this.code === undefined) {
      this.child.kill('SIGINT');
    }
    this.model.open?.response.destroy();
    this.model.open = null;
    await this.ended;
  }
}

/** What models do wrong, each as a tool call that must be given back; `right` is the call that they should have made. A target that
 * shows no text is described, and a description is compared with nothing: there, another one is no mistake. */
export function faults(number, right, others, hasText = true) {
  const { name, args } = right;
  const text = args.expected_text;
  const other = others.find(item => item.ref && item.name && item.ref !== String(args.ref) && !item.name.includes(text));
  const all = [
    ['an unknown number', name, { ...args, ref: 90000 + number }],
    ['no text', name, { ...args, expected_text: undefined }],
    ['arguments that are cut off', name, `{"ref": ${args.ref}, "expected_te`],
    ['a tool that there is not', 'run_script', { script: `${number}` }],
    ['an argument that there is not', name, { ...args, force: number }],
  ];
  if (hasText) {
    all.push(['another text', name, { ...args, expected_text: `Another text ${number}` }]);
  }
  if (other && hasText) {
    all.push(['the number of another', name, { ...args, ref: Number(other.ref) }]);
  }
  return all[number % all.length];
}

/** Whether a result says that nothing was done. */
export const isGivenBack = result =>
  /^nothing was done|^not carried out|: (contradicted|unverifiable|stale|not_found|bad_request|ambiguous|blocked|unsupported)/.test(result);
