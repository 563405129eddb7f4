"""`session` and `resume`: something is asked of a model. In: the node and a frame. Out: the answer, as a value.

What an agent was asked and answered is its memory, if it is to have one (`persist`). A `session` begins without it and
adds to it; `resume` gives it along.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from prose_runtime.resolve.sessions import plain_name
from prose_runtime.runtime.asking import Asking
from prose_runtime.runtime.calls import call_target, given_to, policy_of, value_of_entry, value_of_expression
from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.contracts import unwrapped
from prose_runtime.runtime.errors import Failure
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.memory import MEMORY_LIMIT, Owner, turns_as_json
from prose_runtime.runtime.partners import MODEL
from prose_runtime.runtime.paths import written
from prose_runtime.runtime.plan import Callee, UnitTarget
from prose_runtime.runtime.port import ServiceError, Turn
from prose_runtime.runtime.step import Policy, Request, perform
from prose_runtime.runtime.units import run_unit
from prose_runtime.runtime.values import ListValue, Value, from_python, render_text, show, to_json
from prose_runtime.syntax.nodes import Agent, Call, Entry, Expression, Name, Property, Resume, Session

ABOUT = ("prompt", "model", "context", "retry", "backoff", "timeout")
_BOUNDARIES = {
    "self": "You do this yourself:",
    "delegates": "You leave this to others:",
    "prohibited": "You never do this:",
}


@dataclass(frozen=True, slots=True)
class Speaker:
    """An agent, its properties evaluated where it is asked. One without a name is a session of no agent."""

    name: str = ""
    prompt: str = ""
    model: str = ""
    boundaries: str = ""
    skills: tuple[str, ...] = ()
    memory: Owner | None = None

    def instructions(self, prompted: bool) -> str:
        """What holds for everything that it is asked. Its own prompt is the question where there is no other."""
        parts = [self.prompt if prompted else "", self.boundaries]
        return "\n\n".join(part for part in parts if part)


async def session_value(node: Session, frame: Frame) -> Value:
    """Ask, with no memory of what was before."""
    target = frame.unit.session_targets.get(node)
    if target is not None and node.agent is not None and node.agent_span is not None:
        call = Call(node.span, node.agent, node.agent_span, node.arguments, node.properties)
        segment = frame.unit.segments.get(node) or f"session:{node.agent}"
        names = frame.unit.positional.get(node, ())
        return (await call_target(call, target, segment, names, frame))[0]
    part = frame.unit.session_parts.get(node)
    speaker = await _speaker(node.agent, frame) if part is None else Speaker()
    asked: Value = None
    if part is not None:
        asked = part.text
    elif node.prompt is not None:
        asked = await value_of_expression(node.prompt, frame)
    return await _asked(node, speaker, asked, (), frame)


async def resume_value(node: Resume, frame: Frame) -> Value:
    """Ask an agent that remembers. Raises `no-memory` where it has nothing to remember and cannot have: nobody asked it
    in this run. One that keeps its memory between runs begins with an empty one."""
    speaker = await _speaker(node.agent, frame)
    if speaker.memory is None:
        raise complaint("no-memory", node.agent_span, name=node.agent, because="its `persist` is false")
    try:
        turns = await frame.run.memories.seen_from(speaker.memory, frame.path)
    except ServiceError as error:
        raise Failure(error.name, error.message, transient=False) from error
    except asyncio.CancelledError:
        raise frame.strand.caught() from None
    if not turns and speaker.memory[0] == "run":
        raise complaint("no-memory", node.agent_span, name=node.agent, because="nothing was asked of it in this run")
    if not turns:
        begins = f"`{node.agent}` has no memory yet; it begins with this run"
        frame.run.note("memory-begins", begins, (frame.unit.source, node.agent_span))
    return await _asked(node, speaker, None, turns, frame)


# ---- who is asked ----------------------------------------------------------------------------------------


async def _speaker(name: str | None, frame: Frame) -> Speaker:
    agent = frame.unit.agents.get(name) if name is not None else None
    if agent is None:
        return Speaker(name or "")
    given = {entry.key: await _word_or_value(entry, frame) for entry in agent.properties}
    shape = {entry.key: await value_of_expression(entry.value, frame) for entry in agent.shape}
    prompt = given.get("prompt")
    return Speaker(
        agent.name.id,
        "" if prompt is None else render_text(prompt).strip(),
        _alias(given.get("model"), agent, frame),
        _boundaries(shape),
        tuple(_texts(given.get("skills"))),
        _owner(agent, given.get("persist"), frame),
    )


async def _word_or_value(entry: Entry, frame: Frame) -> Value:
    """`model: sonnet` and `persist: project` are words; a name in `skills` stands for itself."""
    if entry.key == "skills" and isinstance(entry.value, Expression):
        items = getattr(entry.value, "items", None)
        if items is not None:
            return ListValue([await _skill(item, frame) for item in items])
    return await value_of_entry(entry, frame)


async def _skill(item: Expression, frame: Frame) -> Value:
    if isinstance(item, Name) and frame.unit.names.get(item) == "word":
        return item.id
    return await value_of_expression(item, frame)


def _alias(value: Value, node: Agent | Session | Resume, frame: Frame) -> str:
    """What `model:` names: a word, never an address."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    entry = next(item for item in node.properties if item.key == "model")
    raise complaint("bad-modifier", entry.value.span, name="model", wanted="the name of a model", found=show(value))


def _owner(agent: Agent, persist: Value, frame: Frame) -> Owner | None:
    """Whose memory it is: of this run for `true`, kept under a name for everything else."""
    if persist is None or persist is False or persist == "":
        return None
    name = agent.name.id
    if persist is True:
        return ("run", name, frame.bound)
    if persist in ("project", "user"):
        return (str(persist), name, None)
    own = plain_name(persist) if isinstance(persist, str) else None
    if own is not None:
        return ("project", own, None)
    entry = next(item for item in agent.properties if item.key == "persist")
    wanted = "true, `project`, `user` or a name"
    raise complaint("bad-modifier", entry.value.span, name="persist", wanted=wanted, found=show(persist))


def _boundaries(shape: Mapping[str, Value]) -> str:
    """`shape` in sentences."""
    lines: list[str] = []
    for key, title in _BOUNDARIES.items():
        items = _texts(shape.get(key))
        if items:
            lines += [title, *(f"- {item}" for item in items)]
    return "\n".join(lines)


def _texts(value: Value) -> Sequence[str]:
    if value is None:
        return ()
    return [render_text(item) for item in value] if isinstance(value, ListValue) else [render_text(value)]


# ---- what is asked ---------------------------------------------------------------------------------------


async def _asked(node: Session | Resume, speaker: Speaker, asked: Value, turns: Sequence[Turn], frame: Frame) -> Value:
    given = await _arguments(node, frame)
    given.update([(entry.key, await value_of_entry(entry, frame)) for entry in node.properties])
    about = {name: given.pop(name) for name in ABOUT if name in given}
    own = about.get("prompt")
    prompt = own if asked is None else asked if own is None else f"{render_text(asked)}\n\n{render_text(own)}"
    instructions = speaker.instructions(prompted=prompt is not None)
    if prompt is None:
        prompt = speaker.prompt or None
    if prompt is None and not given:
        raise complaint("nothing-asked", node.span)
    alias = _alias(about.get("model"), node, frame) or speaker.model or frame.bound.hints.model or ""
    callee = frame.bound.models.get(alias) or frame.bound.models.get(MODEL)
    if callee is None:
        raise complaint("no-model", node.span, name=f" and none named `{alias}`" if alias else "")
    answer = await _answer(node, callee, given, {**about, "prompt": prompt, "model": alias or None}, instructions,
                           speaker, turns, frame)  # fmt: skip
    if speaker.memory is not None:
        await _remember(node, speaker.memory, prompt, about.get("context"), answer, frame)
    return answer


async def _arguments(node: Session | Resume, frame: Frame) -> dict[str, Value]:
    """Arguments by position go by the names that they are written with."""
    if isinstance(node, Resume):
        return {}
    given: dict[str, Value] = {}
    for number, argument in enumerate(node.arguments, 1):
        name = argument.id if isinstance(argument, Name) else argument.name if isinstance(argument, Property) else ""
        given[name if name and name not in given else f"argument-{number}"] = await value_of_expression(argument, frame)
    return given


async def _answer(
    node: Session | Resume,
    callee: Callee,
    given: dict[str, Value],
    about: Mapping[str, Value],
    instructions: str,
    speaker: Speaker,
    turns: Sequence[Turn],
    frame: Frame,
) -> Value:
    segment, policy = _segment(node, frame), policy_of(node, about)
    if isinstance(callee, UnitTarget):
        value = await _run_definition(node, callee, given, about, instructions, turns, segment, policy, frame)
        return unwrapped(callee.outputs, value)
    target = replace(callee, asking=Asking(instructions))
    return await perform(
        Request(
            target,
            given_to(target, given),
            segment,
            prompt=about.get("prompt"),
            model=about.get("model"),
            context=about.get("context"),
            policy=policy,
            kind="session",
            about={"agent": speaker.name, "memory": tuple(turns), "skills": speaker.skills},
        ),
        frame,
    )


async def _run_definition(
    node: Session | Resume,
    callee: UnitTarget,
    given: Mapping[str, Value],
    about: Mapping[str, Value],
    instructions: str,
    turns: Sequence[Turn],
    segment: str,
    policy: Policy,
    frame: Frame,
) -> Value:
    """A model that is a definition itself takes what belongs to the session as inputs, as far as it declares them."""
    memory = [from_python(turn) for turn in turns_as_json(turns)]
    passed = {
        "prompt": about.get("prompt"),
        "context": about.get("context"),
        "instructions": instructions or None,
        "memory": ListValue(memory) if memory else None,
        **given,
    }
    inputs = given_to(callee, {name: value for name, value in passed.items() if value is not None})
    return await run_unit(callee, inputs, segment, policy, node, frame)


def _segment(node: Session | Resume, frame: Frame) -> str:
    known = frame.unit.segments.get(node)
    if known is not None:
        return known
    if isinstance(node, Resume):
        return f"resume:{node.agent}"
    name = node.label or node.agent
    return f"session:{name}" if name else "session"


async def _remember(
    node: Session | Resume, owner: Owner, asked: Value, context: Value, answer: Value, frame: Frame
) -> None:
    """What was asked and answered joins the memory. That it cannot be written does not undo the answer."""
    key = f"{written(frame.path)}/{_segment(node, frame)}"
    run, place = frame.run, (frame.unit.source, node.span)
    turn = Turn(to_json(asked), to_json(answer), to_json(context), run.memory_name, key)
    try:
        left_out = await run.memories.add(owner, frame.path, turn)
    except ServiceError as error:
        run.note("memory-not-kept", error.message, place)
        return
    except asyncio.CancelledError:
        raise frame.strand.caught() from None
    if left_out:
        turns = f"{left_out} turn{'' if left_out == 1 else 's'}"
        full = f"`{owner[1]}` remembers at most {MEMORY_LIMIT:,} bytes; {turns} had to be left out, the oldest first"
        run.note("memory-full", full, place)
