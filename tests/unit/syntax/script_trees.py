"""Random trees of scripts, bounded in size, for the tests of the printer."""

from __future__ import annotations

from hypothesis import strategies as st

from prose_runtime.source import Span
from prose_runtime.syntax import nodes as n

AT = Span(0, 0)
WORDS = ("a", "b2", "some-name", "Größe", "record", "items", "x_1")
CONDITIONS = ("a is good", "score >= 0.9 and not b", 'x says "stop: now"', "the critic doesn't object", "len(xs) > 2")

names = st.sampled_from(WORDS).map(lambda word: n.Name(AT, word))
plain = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=6)
constants = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.floats(-1e12, 1e12, allow_nan=False)
).map(lambda value: n.Constant(AT, value))


@st.composite
def conditions(draw: st.DrawFn) -> n.Condition:
    text = draw(st.sampled_from(CONDITIONS))
    marks = draw(st.sampled_from(("", "**", "***")))
    return n.Condition(AT, text, (), marks)


@st.composite
def texts(draw: st.DrawFn, interpolated: bool = True) -> n.Text:
    parts: list[str | n.Name | n.Property] = []
    references = st.one_of(
        names, st.builds(lambda of, word: n.Property(AT, of, word, AT), names, st.sampled_from(WORDS))
    )
    for part in draw(st.lists(st.one_of(plain, references) if interpolated else plain, max_size=4)):
        if part == "":
            continue
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        else:
            parts.append(part)
    return n.Text(AT, tuple(parts), draw(st.booleans()))


def entries(values: st.SearchStrategy[n.Expression], *, free: bool = True) -> st.SearchStrategy[tuple[n.Entry, ...]]:
    """Entries of an object (`free`), or properties that stand on lines."""
    keyed = st.builds(lambda key, value: n.Entry(AT, key, AT, value), st.sampled_from(WORDS), values)
    if not free:
        return st.lists(keyed, max_size=3).map(tuple)
    odd = st.builds(lambda key, value: n.Entry(AT, key, AT, value), plain, values)
    short = names.map(lambda name: n.Entry(AT, name.id, AT, name, shorthand=True))
    return st.lists(st.one_of(keyed, odd, short), max_size=3).map(tuple)


def grown(values: st.SearchStrategy[n.Expression]) -> st.SearchStrategy[n.Expression]:
    """Values made of smaller ones."""
    some = st.lists(values, max_size=3).map(tuple)
    words = st.sampled_from(WORDS)
    signs = st.sampled_from(("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"))
    return st.one_of(
        st.builds(lambda target, name: n.Property(AT, target, name, AT), values, words),
        st.builds(lambda target, index: n.Index(AT, target, index), values, values),
        some.map(lambda items: n.List(AT, items)),
        entries(values).map(lambda given: n.Object(AT, given)),
        st.builds(lambda sign, value: n.Unary(AT, sign, value), st.sampled_from(("not", "-")), values),
        st.builds(lambda sign, left, right: n.Binary(AT, sign, left, right), signs, values, values),
        st.builds(lambda test, a, b: n.Conditional(AT, test, a, b), conditions(), values, values),
        st.builds(lambda name, given: n.Apply(AT, name, AT, given), words, some),
        st.builds(lambda name, args, given: n.Call(AT, name, AT, args, given), words, some, entries(values)),
        st.builds(lambda name, given: n.Do(AT, name, AT, given), words, some),
        st.builds(lambda prompt, given: n.Session(AT, prompt, None, None, None, (), given), texts(), entries(values)),
        st.builds(lambda agent, given: n.Session(AT, None, None, agent, AT, (), given), words, entries(values)),
        st.builds(lambda agent, given: n.Resume(AT, agent, AT, given), words, entries(values)),
        entries(values).map(lambda given: n.Gate(AT, given)),
    )


values = st.recursive(st.one_of(names, constants, texts()), grown, max_leaves=6)
counters = st.none() | names


@st.composite
def modifiers(draw: st.DrawFn) -> n.Modifiers:
    join = draw(st.none() | st.just(n.Text(AT, ("any",))))
    return n.Modifiers(AT, join, draw(st.none() | values), draw(st.none() | values))


@st.composite
def loops(draw: st.DrawFn, body: st.SearchStrategy[tuple[n.Statement, ...]]) -> n.Statement:
    kind = draw(st.integers(0, 6))
    inner = draw(body)
    if kind == 0:
        concurrent = draw(st.booleans())
        mods = draw(st.none() | modifiers()) if concurrent else None
        return n.Repeat(AT, draw(values), draw(counters), inner, concurrent, mods)
    if kind == 1:
        spelling = draw(st.sampled_from(("for", "for each")))
        mods = draw(st.none() | modifiers())
        return n.For(AT, draw(names), draw(counters), draw(values), inner, True, mods, spelling=spelling)
    if kind == 2:
        most = draw(st.none() | values)
        head = (draw(names), draw(counters), draw(values), inner)
        return n.For(AT, *head, maximum=most, counter=draw(counters), spelling="loop for each")
    if kind == 3:
        test = draw(st.sampled_from(("until", "while")))
        return n.Loop(AT, test, draw(conditions()), draw(st.none() | values), draw(counters), inner)
    if kind == 4:
        most = draw(values)
        return n.Loop(AT, None, None, most, draw(counters), inner, draw(st.sampled_from(("max", "up to"))))
    if kind == 5:
        return n.Parallel(AT, inner, draw(st.none() | modifiers()))
    return n.DoBlock(AT, inner)


@st.composite
def bound(draw: st.DrawFn, body: st.SearchStrategy[tuple[n.Statement, ...]]) -> n.Expression:
    """What may stand to the right of `=`."""
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return n.BlockValue(AT, draw(loops(body)))  # type: ignore[arg-type]
    if kind == 1:
        steps = st.builds(
            lambda word, given, inner: n.Stage(AT, word, tuple(name.id for name in given), inner),
            st.sampled_from(("map", "filter", "reduce")),
            st.lists(names, max_size=2),
            body,
        )
        return n.Pipeline(AT, draw(values), tuple(draw(st.lists(steps, min_size=1, max_size=2))))
    return draw(values)


@st.composite
def branching(draw: st.DrawFn, body: st.SearchStrategy[tuple[n.Statement, ...]]) -> n.Statement:
    kind = draw(st.integers(0, 3))
    if kind == 0:
        arms = draw(
            st.lists(st.builds(lambda test, inner: n.Arm(AT, test, inner), conditions(), body), min_size=1, max_size=3)
        )
        return n.If(AT, tuple(arms), draw(st.none() | body))
    if kind == 1:
        options = st.builds(lambda label, inner: n.Option(AT, label, inner), texts(interpolated=False), body)
        return n.Choice(AT, draw(conditions()), tuple(draw(st.lists(options, min_size=1, max_size=3))))
    if kind == 2:
        catch = draw(st.none() | body)
        error = draw(counters) if catch is not None else None
        return n.Try(AT, draw(body), catch, error, draw(body) if catch is None else draw(st.none() | body))
    return n.Block(AT, draw(names), tuple(draw(st.lists(names, max_size=2))), draw(body))


def larger(smaller: st.SearchStrategy[n.Statement]) -> st.SearchStrategy[n.Statement]:
    body = st.lists(smaller, min_size=1, max_size=3).map(tuple)
    lets = st.builds(
        lambda target, value, constant: n.Let(AT, target, value, constant), names, bound(body), st.booleans()
    )
    returns = bound(body).map(lambda value: n.Return(AT, value))
    return st.one_of(loops(body), branching(body), lets, returns)


simple = st.one_of(
    st.builds(lambda target, value: n.Let(AT, target, value), names, values),
    st.builds(lambda target, value: n.Assign(AT, target, value), names, values),
    st.builds(
        lambda found, value: n.Let(AT, n.Destructure(AT, tuple(found)), value),
        st.lists(names, min_size=1, max_size=3),
        values,
    ),
    st.builds(lambda value: n.Evaluate(AT, value), values),
    st.builds(lambda value: n.Return(AT, value), st.none() | values),
    st.builds(lambda value: n.Throw(AT, value), st.none() | values),
    st.builds(
        lambda value, into, spelling: n.Record(AT, value, into, spelling),
        values,
        names,
        st.sampled_from(("record", "append", "append-list-first", "add")),
    ),
    st.just(n.Break(AT)),
    st.just(n.Continue(AT)),
    st.builds(lambda path, alias: n.Use(AT, path, alias), texts(interpolated=False), counters),
    st.builds(
        lambda name, given, shape: n.Agent(AT, name, given, shape),
        names,
        entries(values, free=False).filter(len),
        entries(values, free=False),
    ),
)
statements = st.recursive(simple, larger, max_leaves=5)
scripts = st.lists(statements, max_size=4).map(lambda found: n.Script(AT, "prose", tuple(found)))
