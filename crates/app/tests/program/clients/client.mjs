// The official TypeScript client of the Model Context Protocol, on a server of handeye's: what an agent does, step by step.
//
// Arguments: the page's address, `legacy` (the only handshake it knows), the state of the policy (`open` or `asks`), and what
// is connected to: a program and its arguments, or one address. Ends with 0 where every step held.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The packages lie in the folder of tools, not beside this file.
const require = createRequire(pathToFileURL(`${process.env.HANDEYE_TEST_MODULES}/`));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { ElicitRequestSchema } = require("@modelcontextprotocol/sdk/types.js");
const Ajv = require("ajv/dist/2020.js").default;

const ROOM = 12000;
const [page, , policy, ...target] = process.argv.slice(2);

async function connect(person) {
  const capabilities = person ? { elicitation: {} } : {};
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  if (person) client.setRequestHandler(ElicitRequestSchema, person);
  const headers = { Authorization: `Bearer ${process.env.HANDEYE_TEST_TOKEN}` };
  const transport = target[0].startsWith("http")
    ? new StreamableHTTPClientTransport(new URL(target[0]), { requestInit: { headers } })
    : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env });
  await client.connect(transport);
  return client;
}

const call = (client, name, args = {}, options) => client.callTool({ name, arguments: args }, undefined, options);
const told = (given) => given.content.filter((part) => part.type === "text").map((part) => part.text).join("");

/** Calls that are no errors; each value is held to what the command says that it returns. */
function agent(client) {
  const returns = new Map();
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const value = async (tool, args = {}) => {
    const given = await call(client, tool, args);
    assert.ok(!given.isError, `${tool} ${JSON.stringify(args)}: ${told(given)}`);
    const name = tool === "run" ? args.command : tool;
    if (name !== "commands" && name !== "help") {
      if (!returns.has(name)) {
        const described = await call(client, "help", { command: name, output: true });
        returns.set(name, ajv.compile(described.structuredContent.result.output));
      }
      const holds = returns.get(name);
      assert.ok(holds(given.structuredContent.result), `${name}: ${JSON.stringify(holds.errors)}`);
    }
    return given.structuredContent.result;
  };
  const number = async (name) => (await value("find", { name })).targets[0].ref;
  return { value, number };
}

/** Every core tool, a confirmed and a refused click, a picture, the last state, errors, progress, cancellation. */
async function works() {
  const client = await connect();
  const tools = (await client.listTools()).tools;
  const size = tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  console.log(`${tools.length} tools, ${size} characters`);
  assert.ok(tools.length === 18 && size <= ROOM);
  assert.ok(tools.every((tool) => tool.outputSchema && tool.annotations));
  const left = new Set(tools.map((tool) => tool.name));
  const { value: checked, number } = agent(client);
  const value = (tool, args) => (left.delete(tool), checked(tool, args));

  assert.equal((await value("open", { url: page })).title, "Shop");
  const state = await call(client, "state");
  assert.match(told(state), /button "Pay 10"/);
  const { resources } = await client.listResources();
  assert.equal((await client.readResource({ uri: resources[0].uri })).contents[0].text, told(state));
  const kept = JSON.parse((await client.readResource({ uri: resources[1].uri })).contents[0].text);
  assert.deepEqual(kept, state.structuredContent.result);
  await value("state");
  const [add, pay, later] = [await number("Add"), await number("Pay 10"), await number("Later")];
  left.delete("find");
  assert.equal((await value("click", { ref: add, expect: "Add" })).verdict, "confirmed");
  // What was shown is no longer there: refused, which is a result and no error.
  await call(client, "click", { ref: later });
  await value("wait", { text: "Pay 999" });
  const refused = await call(client, "click", { ref: pay });
  assert.ok(!refused.isError);
  assert.equal(refused.structuredContent.result.verdict, "contradicted");
  const shot = await call(client, "screenshot");
  const picture = shot.content.find((part) => part.type === "image");
  assert.equal(picture.mimeType, "image/png");
  assert.equal(Buffer.from(picture.data, "base64").subarray(1, 4).toString(), "PNG");

  const [name, gift, amount] = [await number("Name"), await number("Gift"), await number("Size")];
  assert.equal((await value("inspect", { ref: name })).name, "Name");
  for (const [tool, args] of [
    ["input", { ref: name, text: "Ann" }],
    ["keys", { keys: ["End", "a"], target: name }],
    ["select", { ref: amount, options: ["Large"] }],
    ["check", { ref: gift }],
    ["scroll", { direction: "down" }],
    ["scroll", { direction: "top" }],
  ]) {
    assert.equal((await value(tool, args)).verdict, "confirmed", tool);
  }
  await value("drag", { ref: add, to: name });
  await value("screenshot");
  await value("tabs", { action: "list" });
  for (const command of (await value("commands")).commands) await value("help", { command: command.name });
  await value("run", { command: "get", arguments: { what: "value", ref: name } });

  const unknown = await call(client, "click", { ref: 4000 });
  assert.ok(unknown.isError);
  assert.equal(unknown.structuredContent.error.code, "not_found");
  await assert.rejects(call(client, "nonsense"));

  const heard = [];
  await call(client, "wait", { seconds: 2.5 }, { onprogress: (progress) => heard.push(progress.progress) });
  assert.ok(heard.length > 0 && heard.every((one, at) => at === 0 || one >= heard[at - 1]), `${heard}`);
  const gone = new AbortController();
  setTimeout(() => gone.abort(), 1000);
  await assert.rejects(call(client, "wait", { seconds: 60 }, { signal: gone.signal }));
  await call(client, "state", {}, { timeout: 20000 });
  assert.equal((await value("close")).ended, true);
  assert.equal(left.size, 0, [...left].join(" "));
  await client.close();
}

/** A policy that asks: a person accepts, refuses, ticks nothing, or isn't there. */
async function asks() {
  const answers = [];
  const yes = { action: "accept", content: { allow: true } };
  const client = await connect((request) => {
    assert.match(request.params.message, /`click`/);
    return answers.shift();
  });
  const { value, number } = agent(client);
  await value("open", { url: page });
  const add = await number("Add");
  answers.push(yes);
  assert.equal((await value("click", { ref: add })).verdict, "confirmed");
  for (const no of [{ action: "decline" }, { action: "cancel" }, { action: "accept", content: { allow: false } }]) {
    answers.push(no);
    const denied = await call(client, "click", { ref: add });
    assert.ok(denied.isError);
    assert.equal(denied.structuredContent.error.code, "denied");
    assert.match(told(denied), /refused/);
  }
  assert.equal(answers.length, 0);
  answers.push(yes);
  assert.equal((await value("click", { ref: add })).verdict, "confirmed");
  await call(client, "close");
  await client.close();

  const mute = await connect();
  const alone = agent(mute);
  await alone.value("open", { url: page });
  const denied = await call(mute, "click", { ref: await alone.number("Add") });
  assert.ok(denied.isError);
  assert.match(told(denied), /no one to ask/);
  await mute.close();
}

setTimeout(() => {
  console.error("not done in time");
  process.exit(1);
}, 240_000).unref();
await (policy === "asks" ? asks() : works());
console.log("ok");
