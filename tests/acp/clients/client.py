"""The official Python library drives the agent.

usage: client.py SCENARIO PROGRAM [ARGUMENT…], in the workspace. A line `open NAME` on stdout opens a gate of the model.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any, Callable

from acp import (
    PROTOCOL_VERSION,
    audio_block,
    embedded_blob_resource,
    embedded_text_resource,
    image_block,
    resource_block,
    resource_link_block,
    spawn_agent_process,
    text_block,
)
from acp.schema import (
    AcceptElicitationResponse,
    AllowedOutcome,
    ClientCapabilities,
    CreateTerminalResponse,
    ElicitationCapabilities,
    ElicitationFormCapabilities,
    FileSystemCapabilities,
    Implementation,
    ReadTextFileResponse,
    RequestPermissionResponse,
    TerminalOutputResponse,
    WaitForTerminalExitResponse,
)

# Longer than anything takes on a busy machine.
PATIENCE = 120
WORK = os.getcwd()

# What the client offers, where that is not nothing.
OFFERS = {
    "files": ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True)),
    "form": ClientCapabilities(elicitation=ElicitationCapabilities(form=ElicitationFormCapabilities())),
    "terminal": ClientCapabilities(terminal=True),
}


class Client:
    """Hears everything, and answers questions by a kind of option."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.questions: list[Any] = []
        self.answer = "allow_once"
        self.texts: dict[str, str] = {}
        self.terminal: Any = None
        self.printed = ""
        self.changed = asyncio.Condition()
        self.agent: Any = None

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        async with self.changed:
            self.updates.append(update)
            self.changed.notify_all()

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        self.questions.append(tool_call)
        chosen = next(option for option in options if option.kind == self.answer)
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen.option_id))

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> Any:
        return ReadTextFileResponse(content=self.texts.get(path, ""))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> None:
        self.texts[path] = content
        Path(path).write_text(content)

    async def create_elicitation(self, message: str, mode: Any, **_: Any) -> Any:
        [name] = mode.requested_schema.properties
        return AcceptElicitationResponse(action="accept", content={name: "right"})

    async def create_terminal(self, session_id: str, command: str, args: Any = None, **_: Any) -> Any:
        pipe = asyncio.subprocess.PIPE
        self.terminal = await asyncio.create_subprocess_exec(command, *args, cwd=WORK, stdout=pipe)
        return CreateTerminalResponse(terminal_id="t1")

    async def wait_for_terminal_exit(self, session_id: str, terminal_id: str, **_: Any) -> Any:
        self.printed += (await self.terminal.stdout.read()).decode()
        return WaitForTerminalExitResponse(exit_code=await self.terminal.wait())

    async def terminal_output(self, session_id: str, terminal_id: str, **_: Any) -> Any:
        return TerminalOutputResponse(output=self.printed, truncated=False)

    async def release_terminal(self, session_id: str, terminal_id: str, **_: Any) -> None:
        self.terminal = None

    def on_connect(self, conn: Any) -> None:
        pass

    async def update(self, kind: str, wanted: Callable[[Any], bool] = lambda _: True) -> Any:
        """The first update that is wanted, be it told already or not."""

        def found() -> Any:
            return next((one for one in self.updates if one.session_update == kind and wanted(one)), None)

        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(lambda: found() is not None), PATIENCE)
            return found()

    def text(self, kind: str = "agent_message_chunk") -> str:
        return "".join(one.content.text for one in self.updates if one.session_update == kind)

    async def prompt(self, session: str, *blocks: Any) -> str:
        content = [text_block(block) if isinstance(block, str) else block for block in blocks]
        answer = await asyncio.wait_for(self.agent.prompt(session_id=session, prompt=content), PATIENCE)
        return answer.stop_reason

    def ended(self) -> list[str]:
        calls = [one for one in self.updates if one.session_update == "tool_call_update"]
        return [call.status for call in calls if call.status in ("completed", "failed")]


async def streaming(client: Client, session: Any) -> None:
    turn = asyncio.create_task(client.prompt(session.session_id, "hi"))
    await client.update("agent_message_chunk", lambda one: one.content.text == "Hello")
    print("open half", flush=True)
    assert await turn == "end_turn"
    await client.update("usage_update", lambda one: one.used == 25)
    assert client.text() == "Hello there", client.text()
    assert "Thinking" in client.text("agent_thought_chunk")


async def allowed(client: Client, session: Any) -> None:
    assert await client.prompt(session.session_id, "make it") == "end_turn"
    assert [question.raw_input["command"] for question in client.questions] == ["touch made && echo it is made"]
    assert client.ended()[-1] == "completed"
    assert Path("made").exists()


async def rejected(client: Client, session: Any) -> None:
    client.answer = "reject_once"
    assert await client.prompt(session.session_id, "make it") == "end_turn"
    assert set(client.ended()) == {"failed"}, client.ended()
    assert not Path("made").exists()
    assert client.text() == "something else then"
    assert await client.prompt(session.session_id, "and now?") == "end_turn"
    assert client.text() == "something else then, as you like"


async def edit(client: Client, session: Any) -> None:
    Path("a.txt").write_text("one\n")
    assert await client.prompt(session.session_id, "write") == "end_turn"
    diffs = [one for question in client.questions for one in question.content if one.type == "diff"]
    shown = [(diff.path, diff.old_text, diff.new_text) for diff in diffs]
    assert shown == [(f"{WORK}/new.txt", None, "fresh\n"), (f"{WORK}/a.txt", "one\n", "two\n")], shown
    assert (Path("new.txt").read_text(), Path("a.txt").read_text()) == ("fresh\n", "two\n")


async def rejectedEdit(client: Client, session: Any) -> None:
    Path("a.txt").write_text("one\n")
    client.answer = "reject_once"
    assert await client.prompt(session.session_id, "write") == "end_turn"
    assert client.text() == "left as it is"
    assert Path("a.txt").read_text() == "one\n"


async def plan(client: Client, session: Any) -> None:
    assert await client.prompt(session.session_id, "plan") == "end_turn"
    told = await client.update("plan")
    assert [(one.content, one.status) for one in told.entries] == [("look", "completed"), ("change", "in_progress")]


async def mode(client: Client, session: Any) -> None:
    assert "plan" in [one.id for one in session.modes.available_modes]
    await client.agent.set_session_mode(session_id=session.session_id, mode_id="yolo")
    await client.update("current_mode_update", lambda one: one.current_mode_id == "yolo")
    assert await client.prompt(session.session_id, "make it") == "end_turn"
    assert client.questions == []
    assert Path("made").exists()


async def nothing(client: Client, session: Any) -> None:
    """Options are set, and all of them are answered; commands are offered."""
    for name, value in [("mode", "plan"), ("model", "flash")]:
        done = await client.agent.set_config_option(session_id=session.session_id, config_id=name, value=value)
        assert len(done.config_options) == len(session.config_options)
        chosen = next(option for option in done.config_options if option.id == name)
        assert chosen.current_value == value
    offered = await client.update("available_commands_update")
    assert len(offered.available_commands) > 6


async def loading(client: Client, session: Any) -> None:
    client.answer = "allow_once"
    assert await client.prompt(session.session_id, "first words") == "end_turn"


async def loaded(client: Client, _: Any) -> None:
    """In the next process."""
    listed = await client.agent.list_sessions(cwd=WORK)
    [before] = [one for one in listed.sessions if one.title or one.updated_at]
    assert before.cwd == WORK
    await client.agent.load_session(cwd=WORK, session_id=before.session_id, mcp_servers=[])
    await client.update("agent_message_chunk")
    assert client.text("user_message_chunk") == "first words"
    assert client.text() == "Hello there"
    assert await client.prompt(before.session_id, "and now?") == "end_turn"
    assert client.text() == "Hello therestill here"


async def cancel(client: Client, session: Any) -> None:
    turn = asyncio.create_task(client.prompt(session.session_id, "go"))
    await client.update("agent_message_chunk")
    await client.agent.cancel(session_id=session.session_id)
    assert await turn == "cancelled"
    assert await client.prompt(session.session_id, "again") == "end_turn"


async def content(client: Client, session: Any) -> None:
    """What `content.mjs` has, made by this library."""
    Path("lines.txt").write_text("first\nsecond\nthird\n")
    blocks = [
        "look at",
        image_block("iVBORw0KGgo=", "image/png"),
        audio_block("UklGRg==", "audio/wav"),
        resource_block(embedded_text_resource(f"file://{WORK}/open.txt", "not yet saved")),
        resource_block(
            embedded_blob_resource(f"file://{WORK}/small.gif", "R0lGODlhAQABAA==", mime_type="image/gif")
        ),
        resource_link_block("lines.txt", f"file://{WORK}/lines.txt#L2:3"),
        resource_link_block("a page", "https://example.com/page"),
    ]
    assert await client.prompt(session.session_id, *blocks) == "end_turn"


async def output(client: Client, session: Any) -> None:
    os.mkfifo("gate")
    turn = asyncio.create_task(client.prompt(session.session_id, "go"))
    await client.update("tool_call_update", lambda one: "begun" in str(one.content))
    assert client.ended() == []
    # In a thread: it waits for somebody who reads.
    await asyncio.to_thread(Path("gate").write_text, "through\n")
    assert await turn == "end_turn"
    assert "through" in str(client.updates)


async def files(client: Client, session: Any) -> None:
    Path("a.txt").write_text("one\n")
    client.texts[f"{WORK}/a.txt"] = "not saved\n"
    assert await client.prompt(session.session_id, "go") == "end_turn"
    [diff] = [one for question in client.questions for one in question.content if one.type == "diff"]
    assert (diff.old_text, diff.new_text) == ("not saved\n", "two\n")
    assert client.texts[f"{WORK}/a.txt"] == "two\n"


async def form(client: Client, session: Any) -> None:
    assert await client.prompt(session.session_id, "ask me") == "end_turn"
    await client.update("agent_message_chunk", lambda one: one.content.text == "right then")


async def terminal(client: Client, session: Any) -> None:
    await client.agent.set_session_mode(session_id=session.session_id, mode_id="yolo")
    assert await client.prompt(session.session_id, "go") == "end_turn"
    await client.update("tool_call_update", lambda one: "terminal_id='t1'" in str(one.content))
    assert client.printed == "out\n", client.printed


async def letGo(client: Client, session: Any) -> None:
    await client.agent.authenticate(method_id="gemini-api-key")
    assert await client.prompt(session.session_id, "hi") == "end_turn"
    await client.agent.close_session(session_id=session.session_id)
    resumed = await client.agent.resume_session(session_id=session.session_id, cwd=WORK, mcp_servers=[])
    assert resumed.modes is not None


async def main(scenario: str, program: str, *words: str) -> None:
    client = Client()
    # Its own patience is two seconds, which a busy machine may need.
    transport = {"stderr": None, "limit": 1 << 26, "shutdown_timeout": float(PATIENCE)}
    # The library takes forms for unstable still.
    forms = {"use_unstable_protocol": scenario == "form"}
    kept = {"env": dict(os.environ), "cwd": WORK, "transport_kwargs": transport}
    started = spawn_agent_process(client, program, *words, **kept, **forms)
    async with started as (agent, _):
        client.agent = agent
        await agent.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=OFFERS.get(scenario, ClientCapabilities()),
            client_info=Implementation(name="python", version="1"),
        )
        session = None if scenario == "loaded" else await agent.new_session(cwd=WORK, mcp_servers=[])
        await globals()[scenario](client, session)


asyncio.run(main(*sys.argv[1:]))
