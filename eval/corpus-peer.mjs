// Peer of the outside evaluation kit: what `handeye state` lists on real pages, attached to the kit's browser.
import { run } from './handeye.mjs';

/** How many questions are asked at once. */
const AT_ONCE = 8;

class Peer {
  session = `corpus-${process.pid}`;

  run(words) {
    return run(['--session', this.session, ...words], 60000);
  }

  async attach(port) {
    const { out, err, code } = await this.run(['open', '--cdp', `http://127.0.0.1:${port}`]);
    if (code !== 0) throw new Error(`handeye could not attach: ${out}${err}`);
  }

  async snap() {
    const begun = performance.now();
    const { out: text, err, code } = await this.run(['state']);
    const ms = performance.now() - begun;
    if (code !== 0) throw new Error(`handeye state failed: ${text}${err}`);
    // The text shortens long names; the JSON form of the same state has them whole.
    const { targets } = JSON.parse((await this.run(['state', '--json'])).out);
    const listed = new Set(Array.from(text.matchAll(/^ *\[(\d+)\]/gm), match => match[1]));
    const waiting = targets.filter(target => listed.has(String(target.ref)));
    const refs = [];
    const ask = async () => {
      for (let target = waiting.shift(); target; target = waiting.shift()) {
        const { out, code } = await this.run(['get', 'attr', String(target.ref), 'data-gtc']);
        refs.push({ gtc: code === 0 ? out.trim() || null : null, role: target.role, name: target.name });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
    return { text: text.trimEnd(), ms, refs };
  }

  async stop() {
    await this.run(['close']);
  }
}

export default () => new Peer();
