"""What a script costs, statement for statement. In: a scope. Out: the `Cost` of its script, of all its ends.

Linear in the size of the script: each statement is counted once, whatever calls it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from prose_runtime.resolve.amounts import Scope, written
from prose_runtime.resolve.blocks import are_deep, innermost_first
from prose_runtime.resolve.callees import TOO_DEEP, Callees, Place, Work, no_bound, recursive, service_cost
from prose_runtime.resolve.conditions.tree import Compare
from prose_runtime.resolve.counting import ZERO, Count, endless, mark, named, number, one_less, smallest
from prose_runtime.resolve.questions import questions_of
from prose_runtime.resolve.sources import asked_name
from prose_runtime.resolve.ways import (
    ALL,
    FREE,
    Cost,
    Ways,
    behind,
    both,
    looped,
    merged,
    not_less,
    once,
    one_of,
    scaled,
    together,
    well,
)
from prose_runtime.syntax import children, same_tree, walk
from prose_runtime.syntax import nodes as n

PERSON = "a person"
"""Under what gates are counted, which are no calls of a service; no slot has such a name."""
NOBODY = "no number bounds this loop"
_DEEPEST = 40  # blocks that call each other


class Spending:
    """One definition in its scope."""

    def __init__(self, scope: Scope, work: Work) -> None:
        self.scope = scope
        self.unit = scope.unit
        self.callees = Callees(scope, work, lambda inner, shared: Spending(inner, shared).all())
        self.blocks: list[n.Block] = []
        self.returning: set[n.Block] = set()
        self.done: dict[n.Block, Cost] = {}
        self.loops: list[tuple[n.Repeat | n.Loop, n.Expression]] = []

    def all(self) -> Cost:
        """Of the whole script."""
        script = self.unit.definition.script
        for block in innermost_first(self.unit) if are_deep(self.unit) else ():
            self.block(block)
        return well(self.body(script.statements)) if script is not None else FREE

    # ---- statements ----

    def body(self, statements: Sequence[n.Statement]) -> Ways:
        """One after the other, to each end."""
        before = FREE
        left: list[Ways] = []
        for statement in statements:
            ways = behind(before, self.statement(statement))
            on = ways.pop("next", None)
            if ways:
                left.append(ways)
            if on is None:
                return merged(left)
            before = on
        return merged([*left, {"next": before}])

    def statement(self, node: n.Statement) -> Ways:
        match node:
            case n.If():
                return self.branches(node)
            case n.Choice(criterion=criterion, options=options):
                return behind(self.condition(criterion), merged([self.body(option.body) for option in options]))
            case n.Try():
                return self.tried(node)
            case n.Repeat(concurrent=True) | n.For(concurrent=True) | n.Parallel():
                return {"next": self.beside(node)}
            case n.Repeat() | n.For() | n.Loop() | n.DoBlock():
                return self.loop(node)
            case n.Return(value=value) | n.Throw(value=value):
                cost = self.value(value) if value is not None else FREE
                return {"throw" if isinstance(node, n.Throw) else "return": cost}
            case n.Break():
                return {"break": FREE}
            case n.Continue():
                return {"continue": FREE}
            case n.Block() | n.Agent() | n.Use():
                return {"next": FREE}
            case _:
                return {"next": self.parts(node)}

    def branches(self, node: n.If) -> Ways:
        asked, every = FREE, []
        for arm in node.arms:
            asked = both(asked, self.condition(arm.condition))
            ways = behind(asked, self.body(arm.body))
            spared = self.spared(arm.condition)
            if spared is not None:
                ways = {end: scaled(cost, ZERO, spared) for end, cost in ways.items()}
            every.append(ways)
        every.append(behind(asked, self.body(node.otherwise or ())))
        return merged(every)

    def spared(self, condition: n.Condition) -> Count | None:
        """A mark for a branch that the first round of a loop or its last one does not take: `if round > 1`,
        `if round < n` in `repeat n as round`."""
        plan = self.unit.conditions.get(condition)
        tree = plan.tree if plan is not None else None
        if not isinstance(tree, Compare) or tree.negated or not isinstance(tree.left, n.Name):
            return None
        for loop, limit in self.loops:
            if loop.counter is None or loop.counter.id != tree.left.id:
                continue
            first = tree.operator in (">", "!=") and isinstance(tree.right, n.Constant) and tree.right.value == 1
            last = tree.operator in ("<", "!=") and same_tree(tree.right, limit) and not self.scope.changes(limit)
            once_bound = len(self.scope.bound.get(loop.counter.id, ())) == 1
            return mark(_mark_of(loop)) if (first or last) and once_bound else None
        return None

    def tried(self, node: n.Try) -> Ways:
        """What fails has cost what is sure to come first; then the failure is dealt with."""
        body = self.body(node.body)
        end = self.body(node.cleanup or ())
        ways = body
        if node.catch is not None:
            most = one_of(body.values()).most
            failing = Cost(self.first_of(node.body).least, most)
            caught = behind(failing, self.body(node.catch))
            ways = merged([{end: cost for end, cost in body.items() if end != "throw"}, caught])
        if not node.cleanup:
            return ways
        on = end.pop("next", None)
        through = {way: both(cost, on) for way, cost in ways.items()} if on is not None else {}
        return merged([through, behind(one_of(ways.values()), end)])

    def first_of(self, statements: Sequence[n.Statement]) -> Cost:
        """What is called before anything can fail: a call at the very beginning whose inputs are at hand."""
        first = statements[0] if statements else None
        value = first.value if isinstance(first, n.Let | n.Assign | n.Evaluate | n.Return) else None
        if isinstance(first, n.Let) and isinstance(value, n.Constant):
            return self.first_of(statements[1:])
        if isinstance(first, n.Try) and first.cleanup is None:
            return self.first_of(first.body)
        if not isinstance(value, n.Call | n.Session) or not all(
            isinstance(given, n.Name | n.Constant | n.Text) for given in (*value.arguments, *_values(value))
        ):
            return FREE
        cost = self.asked(value)
        return Cost(cost.least, cost.least) if cost.least.get(ALL) is not None and _is_one(cost) else FREE

    # ---- loops ----

    def loop(self, node: n.Statement, *, collects: bool = False) -> Ways:
        """A loop, round after round. One that collects is not left by `return`."""
        match node:
            case n.DoBlock(body=body):
                ways = self.body(body)
                return {"next": _value_of(ways)} if collects else ways
            case n.Repeat(count=count, body=body):
                rounds = self.scope.amount(count)
                ways = self.round(node, count, body)
                return behind(self.value(count), self.rounds(node, ways, rounds, rounds, collects))
            case n.For(iterable=iterable, body=body):
                least, most = self.items(node)
                ways = looped(self.body(body), least, most, self.sums(node), collects=collects)
                return behind(self.value(iterable), ways)
            case n.Loop(test=test, condition=condition, maximum=maximum, body=body):
                most = self.scope.amount(maximum) if maximum is not None else endless(NOBODY, self.at(node))
                fewest = self.scope.amount(maximum) if maximum is not None else number(1)
                asked = not_less(self.condition(condition)) if condition is not None else FREE
                ways = behind(asked, self.round(node, maximum, body))
                return self.rounds(node, ways, fewest if test is None else ZERO, most, collects)
            case _:
                return {"next": FREE}

    def round(self, node: n.Repeat | n.Loop, limit: n.Expression | None, body: Sequence[n.Statement]) -> Ways:
        if limit is None:
            return self.body(body)
        self.loops.append((node, limit))
        try:
            return self.body(body)
        finally:
            self.loops.pop()

    def rounds(self, node: n.Repeat | n.Loop, ways: Ways, least: Count, most: Count, collects: bool) -> Ways:
        spared = {_mark_of(node): one_less(most)} if not most.endless else {_mark_of(node): most}
        return looped(ways, least, most, spared, collects=collects)

    def items(self, node: n.For) -> tuple[Count, Count]:
        """How many items a loop goes over."""
        least = self.scope.length(node.iterable, least=True)
        most = self.scope.length(node.iterable, least=False)
        if node.maximum is None:
            return least, most
        limit = self.scope.amount(node.maximum)
        return smallest(least, limit), smallest(most, limit)

    def sums(self, node: n.For) -> dict[str, Count]:
        """What a round costs may depend on its item: `tier.count` is summed up over the items."""
        item, scope = node.item.id, self.scope
        if any(value is not None for value in scope.bound.get(item, ())):
            return {}  # the script binds the name to something else, too
        found: dict[str, Count] = {}
        items = scope.items(node.iterable)
        inner = scope.outer is not None
        for part in _fields_of(node):
            own = scope.named_here(f"`{item}.{part}`")
            counts = [one.get(part) if isinstance(one, dict) else None for one in items or ()]
            summed = sum(count for count in counts if isinstance(count, int) and count > 0)
            known = items is not None and all(isinstance(count, int) for count in counts)
            text = f"the sum of `{part}` in `{written(node.iterable)}`"
            if known and inner:
                found[own] = number(summed)
                continue
            if known:
                scope.known[text] = summed
            found[own] = named(scope.named_here(text), local=not known)
        return found

    def beside(self, node: n.Statement) -> Cost:
        """What stands beside each other, each to its own end."""
        match node:
            case n.Parallel(branches=branches, modifiers=modifiers):
                every = [self.statement(branch) for branch in branches]
                costs = [self.branch(ways, (branch,), modifiers) for ways, branch in zip(every, branches, strict=True)]
                joined = together(costs)
                wanted = self.wanted(modifiers)
                if wanted is None:
                    return joined
                few = scaled(one_of(costs), smallest(number(len(costs)), wanted), ZERO).least
                return Cost(few, joined.most)
            case n.Repeat(count=count, body=body, modifiers=modifiers):
                rounds = self.scope.amount(count)
                return both(self.value(count), self.each(node, body, modifiers, (rounds, rounds), {}))
            case n.For(iterable=iterable, body=body, modifiers=modifiers):
                cost = self.each(node, body, modifiers, self.items(node), self.sums(node))
                return both(self.value(iterable), cost)
            case _:
                return FREE

    def each(
        self,
        node: n.Statement,
        body: Sequence[n.Statement],
        modifiers: n.Modifiers | None,
        rounds: tuple[Count, Count],
        sums: Mapping[str, Count],
    ) -> Cost:
        cost = self.branch(self.body(body), body, modifiers)
        wanted = self.wanted(modifiers)
        few = rounds[0] if wanted is None else smallest(rounds[0], wanted)
        return Cost(scaled(cost, few, ZERO, sums if wanted is None else {}).least,
                    scaled(cost, ZERO, rounds[1], sums).most)  # fmt: skip

    def branch(self, ways: Ways, body: Sequence[n.Statement], modifiers: n.Modifiers | None) -> Cost:
        """One of those beside each other. Where its failure is let pass, it may have come to its first call only."""
        cost = _value_of(ways)
        lenient = modifiers is not None and modifiers.on_fail is not None and _text(modifiers.on_fail) != "fail-fast"
        if not lenient:
            return cost
        return Cost(one_of([cost, self.first_of(body)]).least, cost.most)

    def wanted(self, modifiers: n.Modifiers | None) -> Count | None:
        """How many have to come through; None: all."""
        if modifiers is None or modifiers.join is None or _text(modifiers.join) == "all":
            return None
        known = _text(modifiers.join) in ("first", "any")
        if not known:
            return ZERO
        return self.scope.amount(modifiers.count) if modifiers.count is not None else number(1)

    # ---- values ----

    def value(self, node: n.Node) -> Cost:
        match node:
            case n.BlockValue(block=block):
                if isinstance(block, n.Parallel) or getattr(block, "concurrent", False):
                    return self.beside(block)
                return _value_of(self.loop(block, collects=True))
            case n.Pipeline(source=source, stages=stages):
                return self.pipeline(source, stages)
            case n.Do(arguments=arguments):
                return both(together(self.value(item) for item in arguments), self.do(node))
            case n.Conditional(condition=condition, then=then, otherwise=otherwise):
                return both(self.condition(condition), one_of([self.value(then), self.value(otherwise)]))
            case n.Binary(operator="and" | "or", left=left, right=right):
                return both(self.value(left), not_less(self.value(right)))
            case n.Call() | n.Session() | n.Resume() | n.Gate():
                return both(self.parts(node), self.asked(node))
            case n.Constant() | n.Name() | n.Text():
                return FREE
            case _:
                return self.parts(node)

    def parts(self, node: n.Node) -> Cost:
        return together(self.value(part) for part in children(node))

    def pipeline(self, source: n.Expression, stages: Sequence[n.Stage]) -> Cost:
        least, most = self.scope.length(source, least=True), self.scope.length(source, least=False)
        found = self.value(source)
        for stage in stages:
            cost = _value_of(self.body(stage.body))
            if stage.operation == "reduce":  # it starts with the first item
                least, most = one_less(least), one_less(most)
            found = both(found, scaled(cost, least, most))
            least = ZERO if stage.operation in ("filter", "reduce") else least
        return found

    def asked(self, node: n.Call | n.Session | n.Resume | n.Gate) -> Cost:
        """Whoever is asked, and each further attempt."""
        target = self.unit.calls.get(node) if isinstance(node, n.Call) else None
        if isinstance(node, n.Session) and node in self.unit.session_targets:
            target = self.unit.session_targets[node]
        if isinstance(node, n.Gate):
            return once(PERSON)
        cost, hinted = (
            self.callees.cost(target, node) if target is not None else (service_cost(asked_name(node, self.unit)), 0)
        )
        retry = next((entry.value for entry in node.properties if entry.key == "retry"), None)
        further = self.scope.amount(retry) if retry is not None else number(hinted)
        return Cost(cost.least, scaled(cost, ZERO, further.plus(number(1))).most) if not further.is_zero else cost

    def do(self, node: n.Do) -> Cost:
        block = self.unit.does.get(node)
        return self.block(block) if block is not None else FREE

    def block(self, block: n.Block) -> Cost:
        """One call of a block."""
        if block in self.done:
            return self.done[block]
        if block in self.blocks:
            self.returning.update(self.blocks[self.blocks.index(block) :])
            return FREE
        if len(self.blocks) > _DEEPEST:
            return no_bound(TOO_DEEP, self.at(block))
        self.blocks.append(block)
        loops, self.loops = self.loops, []
        try:
            cost = _value_of(self.body(block.body))
        finally:
            self.blocks.pop()
            self.loops = loops
        if block in self.returning:
            return recursive(cost, self.at(block))
        self.done[block] = cost
        return cost

    def condition(self, node: n.Condition) -> Cost:
        """What a judge may be asked."""
        return questions_of(self.unit.conditions.get(node), self.scope)

    def at(self, node: n.Node) -> Place:
        return self.unit.source, node.span


# ---- pieces ----


def _value_of(ways: Ways) -> Cost:
    """Something that is over for who waits for it, however it ended."""
    return well(ways)


def _is_one(cost: Cost) -> bool:
    return str(cost.least[ALL]) == "1"


def _mark_of(loop: n.Repeat | n.Loop) -> str:
    return f"a round of the loop at {loop.span.start}"


def _values(node: n.Call | n.Session) -> Iterator[n.Expression]:
    yield from (entry.value for entry in node.properties)
    if isinstance(node, n.Session) and node.prompt is not None:
        yield node.prompt


def _text(node: n.Expression) -> str | None:
    """A text that is written out, or a bare word."""
    if isinstance(node, n.Text):
        return "".join(part for part in node.parts if isinstance(part, str))
    return node.id if isinstance(node, n.Name) else None


def _fields_of(node: n.For) -> Iterator[str]:
    """The fields of a loop's item that its body names."""
    seen: set[str] = set()
    for statement in node.body:
        for part in walk(statement):
            if not isinstance(part, n.Property) or not isinstance(part.target, n.Name) or part.name in seen:
                continue
            if part.target.id == node.item.id:
                seen.add(part.name)
                yield part.name
