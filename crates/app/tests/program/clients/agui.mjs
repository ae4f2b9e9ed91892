// The official TypeScript client of AG-UI, on a chat of handeye's: a conversation with calls of both sides, an approval, an edit and a
// refusal, as an app does it that was written from the protocol's documents alone.
//
// Arguments: the address of the endpoint, the session. The environment holds a token. Ends with 0 where every step held.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The package lies in the folder of tools, not beside this file.
const require = createRequire(pathToFileURL(`${process.env.HANDEYE_TEST_MODULES}/`));
const { HttpAgent, buildResumeArray } = require("@ag-ui/client");

const [url, threadId] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${process.env.HANDEYE_TEST_TOKEN}` };
const clear = { name: "clear_ai_styles", description: "", parameters: { type: "object", properties: {} } };
const selected = { ...clear, name: "get_selected_text" };
const forwardedProps = { agent_id: "default", current_page_info: { url: "https://shop.example/a", title: "Shop", elements: [] } };

const agent = new HttpAgent({ url, threadId, headers });
let messages = 0;

/** A run, and how it ended. */
async function run(more = {}) {
  const ended = { text: "", types: [] };
  const heard = await agent.runAgent({ tools: [clear, selected], forwardedProps, ...more }, {
    onTextMessageContentEvent: ({ event }) => void (ended.text += event.delta),
    onEvent: ({ event }) => void (ended.types.push(event.type), (ended.usage = event.usage)),
    onRunFinishedEvent: (finished) => void Object.assign(ended, { outcome: finished.outcome, pending: finished.pendingToolCallIds ?? [] }),
    onRunErrorEvent: ({ event }) => void Object.assign(ended, { outcome: "error", code: event.code }),
  });
  return { ...ended, messages: heard.newMessages };
}

const say = (content) => agent.addMessage({ id: `m-${++messages}`, role: "user", content });
const returned = (toolCallId, content) => agent.addMessage({ id: `m-${++messages}`, role: "tool", toolCallId, content });
const called = (ended) => ended.messages.flatMap((message) => message.toolCalls ?? []).map((call) => call.function.name);

// Words.
say("hello");
const words = await run();
assert.equal(words.outcome, "success");
assert.deepEqual(words.usage, [{ inputTokens: 100, outputTokens: 20, totalTokens: 120 }]);
assert.equal(words.text, "answer to hello");
assert.deepEqual(words.messages.map((message) => [message.role, message.content]), [["assistant", "answer to hello"]]);

// Two calls of the client's, answered together.
say("both");
const both = await run();
assert.deepEqual(called(both), ["clear_ai_styles", "get_selected_text"]);
assert.equal(both.pending.length, 2);
for (const id of both.pending) returned(id, JSON.stringify({ success: true }));
assert.equal((await run()).text, "answer to both");

// A call of the server's, approved.
say("search one");
const asked = await run();
assert.equal(asked.outcome, "interrupt");
const [interrupt] = agent.pendingInterrupts;
assert.deepEqual([interrupt.reason, interrupt.metadata.tool_name, JSON.parse(interrupt.metadata.arguments)], ["tool_call", "search_web", { query: "one" }]);
assert.ok(Date.parse(interrupt.expiresAt) > Date.now(), interrupt.expiresAt);
const resume = (interrupts, answer) => ({ resume: buildResumeArray(interrupts, Object.fromEntries(interrupts.map(({ id }) => [id, answer]))) });
const yes = (more = {}) => ({ status: "resolved", payload: { approved: true, hash: interrupt.metadata.hash, ...more } });
const done = await run(resume(agent.pendingInterrupts, yes()));
assert.ok(done.types.includes("TOOL_CALL_RESULT"), done.types.join());
assert.deepEqual([done.outcome, done.text], ["success", "answer to search one"]);
assert.equal(agent.pendingInterrupts.length, 0);

// One with the person's own words.
say("search two");
await run();
const [edited] = agent.pendingInterrupts;
assert.equal((await run(resume([edited], { status: "resolved", payload: { approved: true, arguments: { query: "three" } } }))).text, "answer to search two");

// One that is refused.
say("search four");
await run();
assert.equal((await run(resume(agent.pendingInterrupts, { status: "cancelled" }))).outcome, "success");
say("goodbye");
assert.equal((await run()).text, "answer to goodbye");

// An answer that fails is an error, and the thread goes on.
say("fail");
assert.deepEqual(await run().then(({ outcome, code }) => [outcome, code]), ["error", "model_failed"]);
say("hello again");
assert.equal((await run()).text, "answer to hello again");

// Nobody else's token.
const stranger = new HttpAgent({ url, threadId, headers: { Authorization: "Bearer he_wrong" } });
stranger.addMessage({ id: "m", role: "user", content: "hello" });
await assert.rejects(stranger.runAgent({ tools: [] }), /401/);
console.log("ok");
