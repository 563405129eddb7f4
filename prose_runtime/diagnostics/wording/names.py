"""Names, scopes and statements."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

CODES: tuple[Code, ...] = (
    # ---- names that are read ----
    Code("unknown-name", "error", "nothing called `{name}` is bound or declared here", "{help}"),
    Code(
        "maybe-unbound",
        "warning",
        "`{name}` is bound on some of the paths that lead here; on the others it is null",
        "bind it before they part: `let {name} = null`",
    ),
    Code(
        "read-before-join",
        "error",
        "`{name}` is bound by another branch of this `parallel:`, which has not ended here",
        "read `{name}` after the `parallel:` block",
    ),
    Code(
        "passed-on-name",
        "warning",
        "nothing declares `{name}`, and it is only passed on: it is taken as an optional input",
        "{help}",
    ),
    Code("unknown-config", "error", "there is no config called `{name}`", "{help}"),
    # ---- names that are bound ----
    Code(
        "const-rebound",
        "error",
        "`{name}` is a constant and is bound again here",
        "bind it with `let` where it is bound first, or use another name here",
    ),
    Code(
        "read-only-name",
        "error",
        "`{name}` is {what} and cannot be changed here",
        "bind the new value to another name with `let`",
    ),
    Code(
        "lost-assignment",
        "error",
        "`{name}` stands outside this parallel loop: what one iteration assigns would be lost",
        "collect the values: `let {name} = parallel …`, with the value as the last line of the loop",
    ),
    Code(
        "branch-local",
        "warning",
        "this `let` makes a name of the iteration; the `{name}` outside the parallel loop keeps its value",
        "give it a name of its own",
    ),
    Code(
        "body-local",
        "warning",
        "this makes a name of the block or pipeline item; the `{name}` outside keeps its value",
        "return the value, and assign it where the block or pipeline is used",
    ),
    Code(
        "duplicate-branch-name",
        "error",
        "two branches of this `parallel:` bind `{name}`",
        "give the name in this branch another spelling",
    ),
    Code("declared-twice", "error", "`{name}` is declared twice", "rename one of the two"),
    # ---- what nothing reads ----
    Code("unused-name", "warning", "`{name}` is bound and never read", "read it, or take the binding away"),
    Code(
        "unused-config",
        "warning",
        "the script never reads the config `{name}`",
        "read it, or take it out of `### Config`",
    ),
    Code(
        "unused-input", "warning", "the script never reads the input `{name}`", "read it, or take it out of the inputs"
    ),
    Code(
        "unused-slot", "warning", "the script never calls the slot `{name}`", "call it, or take it out of `### Slots`"
    ),
    Code("unused-declaration", "warning", "the {what} `{name}` is never used", "use it with `{use}`, or take it away"),
    # ---- ways out of a body ----
    Code(
        "unreachable", "warning", "this is never reached", "move it before the statement that leaves, or take it away"
    ),
    Code(
        "break-outside-loop",
        "error",
        "`{what}` stands in no loop of this body",
        "put it inside the loop that it should act on, or write `return`",
    ),
    Code(
        "break-from-branch",
        "error",
        "`{what}` cannot leave a branch that runs beside others",
        'let the branch end by itself; to stop at the first answer write `parallel ("first")`',
    ),
    Code(
        "return-from-branch",
        "error",
        "this `return` would leave a branch that runs beside others, and the parallel collects nothing",
        "collect the values: `let results = parallel …`",
    ),
    Code(
        "jump-from-finally",
        "error",
        "`{what}` would leave a `finally`, and hide the error or value that is on its way",
        "move it after the `try`",
    ),
    Code(
        "mixed-exits",
        "error",
        "this loop ends the body of a collecting loop: it gives one element a round, and also leaves in another way",
        "say what it collects: `let items = {{this loop}}`, then `return` what the outer loop should hold",
    ),
    Code(
        "throw-outside-catch",
        "error",
        "`throw` without a value stands in no `catch`",
        'say what is thrown: `throw "reason"`',
    ),
    # ---- loops and parallel ----
    Code(
        "unbounded-loop",
        "warning",
        "nothing bounds this loop before the run",
        "give it a bound: `(max: 10)`",
    ),
    Code(
        "bad-count",
        "error",
        "`{what}` takes a whole number of at least {least}; this is {found}",
        "write a whole number, or a name that holds one",
    ),
    Code("unknown-modifier", "error", "`parallel` has no modifier `{name}`", "{help}"),
    Code("unknown-policy", "error", "{found} is no {what}", "{help}"),
    Code(
        "count-without-any",
        "error",
        '`count` is given with the join strategy "{join}"',
        'write `("any", count: …)`',
    ),
    Code(
        "count-too-large",
        "error",
        "`count` asks for {count} answers of {branches} branches",
        "ask for at most as many as there are branches",
    ),
    # ---- single statements ----
    Code("duplicate-property", "error", "`{name}` is given twice", "keep one of the two"),
    Code(
        "duplicate-option",
        "warning",
        'two options of this choice are labelled "{label}"',
        "give each option its own label",
    ),
    Code("unknown-property", "error", "{what} has no property `{name}`", "{help}"),
    Code("unknown-block", "error", "there is no block `{name}`", "{help}"),
    Code(
        "block-arguments",
        "error",
        "`{name}` takes {wanted}; {given} given here",
        "give one value for each parameter",
    ),
    Code("unknown-agent", "error", "there is no agent `{name}`", "{help}"),
    Code(
        "agent-not-persistent",
        "error",
        "`{name}` keeps no memory, so there is nothing to resume",
        "write `persist: true` in the agent, or start a `session: {name}`",
    ),
    Code("unknown-stage", "error", "a pipeline has no operation `{name}`", "{help}"),
    Code(
        "reduce-parameters",
        "error",
        "`reduce` takes two names: what was reduced so far, and the item",
        "write `reduce(so_far, item):`",
    ),
    Code("no-such-function", "error", "there is no function `{name}` in expressions", "{help}"),
    Code("function-arguments", "error", "`{name}` takes {takes}; {given} given here", "write `{written}`"),
    # ---- portability and shape ----
    Code(
        "not-portable",
        "note",
        "{what} is not in the published grammar",
        "leave it, if this file is only run here; other hosts may read it differently",
    ),
    Code(
        "not-a-delegate",
        "warning",
        "the script calls `{name}`, which `delegates` does not name",
        "add `{name}` to `delegates`, beside {names}",
    ),
    Code(
        "prohibited-call",
        "warning",
        "the script calls `{name}`, which `prohibited` forbids",
        "take the call or the ban away",
    ),
    Code(
        "invariant-refuted",
        "error",
        "the script breaks this invariant{why}",
        "change the script where it breaks it, or take the promise back",
    ),
    Code(
        "invariant-near",
        "note",
        "this invariant is left as words",
        "written as “{form}” it would be held against the script",
    ),
)
