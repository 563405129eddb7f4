"""The side tables that the runtime reads."""

from __future__ import annotations

from resolve_samples import pattern, resolved, unit_of

from prose_runtime.resolve.dump import dump_program, render_program
from prose_runtime.syntax.nodes import BlockValue, Call, Condition, Parallel, Session


def test_keys_are_unique_in_the_body_around_them() -> None:
    unit = unit_of(
        "call a\ncall a\nrepeat 2:\n  call a\n  if given is fine:\n    call a\nrepeat 2:\n  call b\n"
        "if given is fine:\n  call b\nfor x in xs:\n  call b\n    x: x\nloop until given is fine (max: 2):\n  call b"
    )
    parts = [part for _, part in sorted(unit.segments.items(), key=lambda item: item[0].span.start)]
    assert parts == [
        "call:a", "call:a~2", "repeat", "call:a", "if", "call:a~2", "repeat~2", "call:b", "if", "call:b",
        "for", "call:b", "loop", "until", "call:b",
    ]  # fmt: skip


def test_branches_have_keys_and_names() -> None:
    unit = unit_of("parallel:\n  let one = call a\n  call b\n  let { x, y } = call a\nreturn [one, x, y]")
    (node,) = [node for node in unit.branch_names if isinstance(node, Parallel)]
    assert unit.branch_names[node] == (("one",), (), ("x", "y"))
    assert unit.branch_segments[node] == ("one", "2", "3")
    assert [unit.segments[call] for call in unit.calls] == ["call:a", "call:b", "call:a"]


def test_what_may_wait() -> None:
    unit = unit_of(
        "let n = [1, call a]\nlet m = if given is fine then 1 else 2\nlet k = if n == 1 then 1 else 2\n"
        "let o = for x in xs:\n  x + 1\nreturn [n, m, k, o]"
    )
    kinds = sorted(type(node).__name__ for node in unit.waiting)
    assert kinds == ["BlockValue", "Call", "Conditional", "List"]
    assert all(not isinstance(node, Condition) for node in unit.waiting)


def test_slots_and_what_holds_their_items() -> None:
    unit = unit_of(
        "let pool = [a, b]\nfor one in many:\n  call one\nfor two in pool:\n  call two\n"
        "let w = many[0]\ncall w\nreturn null",
        slots=("`a`", "`b`", "`many`"),
    )
    assert unit.list_slots == {"many"}
    assert [(call.target, target.kind, target.name) for call, target in unit.calls.items()] == [
        ("one", "slot-item", "many"),
        ("two", "slot-item", "a"),
        ("w", "slot-item", "many"),
    ]


def test_a_slot_whose_name_is_also_bound_is_still_called() -> None:
    unit = unit_of("let a = call a\nlet a = call a\n  before: a\nreturn a")
    assert [target.kind for target in unit.calls.values()] == ["slot", "slot"]


def test_conditions_have_plans() -> None:
    unit = unit_of("let n = 1\nif n > limit: return n\nloop while given is fine (max: 2):\n  call a\nreturn null")
    assert [plan.text for plan in unit.conditions.values()] == ["n > limit", "given is fine"]
    assert next(iter(unit.conditions.values())).names == ("n", "limit")


def test_names_say_what_they_are() -> None:
    unit = unit_of("let n = given\nreturn [n, limit, xs, a, budget.calls_left]")
    assert {name.id: kind for name, kind in unit.names.items()} == {
        "given": "input", "n": "variable", "limit": "config", "xs": "input", "a": "slot", "budget": "builtin",
    }  # fmt: skip


def test_agents_and_sessions() -> None:
    unit = unit_of('agent helper:\n  prompt: "Be brief."\nlet n = session: helper\n  prompt: given\nreturn n')
    assert list(unit.agents) == ["helper"]
    assert [(type(node), agent) for node, agent in unit.sessions.items()] == [(Session, "helper")]


def test_a_program_written_out() -> None:
    text = pattern("let ys = for x in xs:\n  repeat 2:\n    call a\n      x: x\nif ys is fine: return given\nreturn ys")
    program, _ = resolved(text)
    data = dump_program(program)
    assert data["main"] == "subject"
    (unit,) = data["units"]
    assert unit["calls"][0] | {"at": ""} == {
        "at": "", "call": "a", "target": "slot", "is": "a", "key": "call:a",
    }  # fmt: skip
    assert len(unit["collected_into_the_loop_around"]) == 1
    assert unit["conditions"][0]["text"] == "ys is fine"
    assert render_program(program) == render_program(resolved(text)[0])
    assert "key=call:a" in render_program(program)
    assert any(isinstance(node, (BlockValue, Call)) for node in program.main.waiting)


def test_the_dump_says_whom_sessions_and_gates_ask() -> None:
    program, _ = resolved(
        pattern(
            "agent helper:\n  model: quick\n  persist: true\n"
            'let a = session "hi"\nlet b = session: helper\n  prompt: a\nlet c = resume: helper\n  prompt: b\n'
            'let d = gate { question: "Publish?" }\nreturn [c, d]'
        )
    )
    data = dump_program(program)["units"][0]
    assert data["agents"] == [{"name": "helper", "model": "quick", "persist": "true"}]
    seen = [{key: value for key, value in item.items() if key != "at"} for item in data["sessions"]]
    assert seen == [
        {"how": "session", "key": "session"},
        {"how": "session", "agent": "helper", "model": "quick", "key": "session:helper"},
        {"how": "resume", "agent": "helper", "model": "quick", "key": "resume:helper"},
    ]
    assert [(item["asks"], item["key"]) for item in data["gates"]] == [("Publish?", "gate")]
