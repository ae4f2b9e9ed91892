"""The official Python client of the Model Context Protocol, on a server of handeye's: what an agent does, step by step.

Arguments: the page's address, `legacy` (the handshake) or `auto` (the newest version both know), the state of the policy
(`open` or `asks`), and what is connected to: a program and its arguments, or one address. Ends with 0 where every step held.
"""

import asyncio
import base64
import json
import os
import sys

import jsonschema
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

ROOM = 12000


async def connected(target, mode, **more):
    if len(target) == 1 and target[0].startswith("http"):
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        headers = {"Authorization": "Bearer " + os.environ["HANDEYE_TEST_TOKEN"]}
        http = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(120))
        return Client(streamable_http_client(target[0], http_client=http), mode=mode, **more)
    server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
    return Client(server, mode=mode, **more)


class Agent:
    def __init__(self, client):
        self.client = client
        self.returns = {}

    async def value(self, tool, **arguments):
        """A call that is no error; its value is held to what the command says that it returns."""
        given = await self.client.call_tool(tool, arguments)
        assert not given.is_error, (tool, arguments, given)
        value = given.structured_content
        name = arguments["command"] if tool == "run" else tool
        if name not in ("commands", "help"):
            if name not in self.returns:
                told = await self.client.call_tool("help", {"command": name, "output": True})
                self.returns[name] = told.structured_content["result"]["output"]
            jsonschema.validate(value["result"], self.returns[name])
        return value["result"]

    async def number(self, name):
        found = await self.value("find", name=name)
        return found["targets"][0]["ref"]


def told(given):
    return "".join(part.text for part in given.content if part.type == "text")


async def works(target, mode, page):
    """Every core tool, a confirmed and a refused click, a picture, the last state, errors, progress, cancellation."""
    async with await connected(target, mode) as client:
        agent = Agent(client)
        tools = (await client.list_tools()).tools
        size = sum(len(json.dumps(t.model_dump(by_alias=True, exclude_none=True, mode="json"), separators=(",", ":"), ensure_ascii=False)) for t in tools)
        version = client.session.protocol_version
        print(f"protocol {version}: {len(tools)} tools, {size} characters")
        assert version == {"auto": "2026-07-28", "legacy": "2025-11-25"}[mode]
        assert len(tools) == 18 and size <= ROOM
        assert all(t.output_schema and t.annotations for t in tools)
        left = {t.name for t in tools}

        async def value(tool, **arguments):
            left.discard(tool)
            return await agent.value(tool, **arguments)

        assert (await value("open", url=page))["title"] == "Shop"
        state = await client.call_tool("state", {})
        assert 'button "Pay 10"' in told(state), told(state)
        resources = (await client.list_resources()).resources
        kept = (await client.read_resource(resources[0].uri)).contents[0].text
        assert kept == told(state), kept
        assert json.loads((await client.read_resource(resources[1].uri)).contents[0].text) == state.structured_content["result"]
        await value("state")
        add, pay, later = [await agent.number(name) for name in ("Add", "Pay 10", "Later")]
        left.discard("find")
        assert (await value("click", ref=add, expect="Add"))["verdict"] == "confirmed"
        # What was shown is no longer there: refused, which is a result and no error.
        await client.call_tool("click", {"ref": later})
        await value("wait", text="Pay 999")
        refused = await client.call_tool("click", {"ref": pay})
        assert not refused.is_error and refused.structured_content["result"]["verdict"] == "contradicted", refused
        shot = await client.call_tool("screenshot", {})
        picture = next(part for part in shot.content if part.type == "image")
        assert picture.mime_type == "image/png" and base64.b64decode(picture.data).startswith(b"\x89PNG"), picture.mime_type

        name, gift, amount = [await agent.number(name) for name in ("Name", "Gift", "Size")]
        assert (await value("inspect", ref=name))["name"] == "Name"
        for tool, arguments in (
            ("input", {"ref": name, "text": "Ann"}),
            ("keys", {"keys": ["End", "a"], "target": name}),
            ("select", {"ref": amount, "options": ["Large"]}),
            ("check", {"ref": gift}),
            ("scroll", {"direction": "down"}),
            ("scroll", {"direction": "top"}),
        ):
            receipt = await value(tool, **arguments)
            assert receipt["verdict"] == "confirmed", (tool, receipt)
        await value("drag", ref=add, to=name)
        await value("screenshot")
        await value("tabs", action="list")
        commands = (await value("commands"))["commands"]
        for command in commands:
            await value("help", command=command["name"])
        assert (await value("run", command="get", arguments={"what": "value", "ref": name})) is not None

        unknown = await client.call_tool("click", {"ref": 4000})
        assert unknown.is_error and unknown.structured_content["error"]["code"] == "not_found", unknown
        try:
            await client.call_tool("nonsense", {})
            raise AssertionError("there is no such tool")
        except MCPError:
            pass

        heard = []

        async def progress(done, total, message):
            heard.append(done)

        await client.call_tool("wait", {"seconds": 2.5}, progress_callback=progress)
        assert heard and heard == sorted(heard), heard
        try:
            await asyncio.wait_for(client.call_tool("wait", {"seconds": 60}), 1)
            raise AssertionError("it was not waited for")
        except TimeoutError:
            pass
        await asyncio.wait_for(client.call_tool("state", {}), 20)
        assert (await value("close"))["ended"] is True
        assert not left, left


async def asks(target, mode, page):
    """A policy that asks: a person accepts, refuses, ticks nothing, or isn't there."""
    answers = []

    async def person(context, params):
        assert params.mode == "form" and "`click`" in params.message or "`open`" in params.message, params
        return answers.pop(0)

    yes = types.ElicitResult(action="accept", content={"allow": True})
    async with await connected(target, mode, elicitation_callback=person) as client:
        agent = Agent(client)
        await agent.value("open", url=page)
        add = await agent.number("Add")
        answers.append(yes)
        assert (await agent.value("click", ref=add))["verdict"] == "confirmed"
        for no in (
            types.ElicitResult(action="decline"),
            types.ElicitResult(action="cancel"),
            types.ElicitResult(action="accept", content={"allow": False}),
        ):
            answers.append(no)
            denied = await client.call_tool("click", {"ref": add})
            assert denied.is_error and denied.structured_content["error"]["code"] == "denied", denied
            assert "refused" in told(denied), told(denied)
        assert not answers
        answers.append(yes)
        assert (await agent.value("click", ref=add))["verdict"] == "confirmed"
        await client.call_tool("close", {})
    async with await connected(target, mode) as client:
        agent = Agent(client)
        await agent.value("open", url=page)
        add = await agent.number("Add")
        denied = await client.call_tool("click", {"ref": add})
        assert denied.is_error and "no one to ask" in told(denied), told(denied)


if __name__ == "__main__":
    page, mode, policy, *target = sys.argv[1:]
    asyncio.run(asyncio.wait_for((asks if policy == "asks" else works)(target, mode, page), 240))
    print("ok")
