"""Reading a document: frontmatter, sections, items, instances."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

CODES: tuple[Code, ...] = (
    Code("unknown-code", "error", "there is no code `{name}` that could be silenced", "{help}"),
    Code(
        "unneeded-comment",
        "warning",
        "nothing called `{name}` is said of line {line}",
        "take the comment away",
    ),
    # the file
    Code("no-such-file", "error", "there is no pattern file `{reference}`: {because}", "{help}"),
    Code("unreadable-file", "error", "`{reference}` cannot be read: {because}", "{help}"),
    Code(
        "document-too-large",
        "error",
        "{what} has more than {limit} {unit} and is not read",
        "keep the contract here and hand the data in as an input (`--input name=@file`)",
    ),
    Code(
        "nested-too-deeply",
        "error",
        "this is nested more than {limit} levels deep, and what is deeper is not read",
        "write it with fewer levels",
    ),
    # frontmatter
    Code(
        "missing-frontmatter",
        "error",
        "the file does not begin with frontmatter, so nothing says what it is",
        "begin the file with four lines: `---`, `name: some-name`, `kind: {kind}`, `---`",
    ),
    Code(
        "unclosed-frontmatter",
        "error",
        "the frontmatter that begins here is not closed",
        "add a line `---` after its last field",
    ),
    Code(
        "broken-yaml",
        "error",
        "this is not YAML that can be read: {problem}",
        "write `key: value`, with quotes around a value that holds `: `, ` #` or begins with a sign",
    ),
    Code("duplicate-key", "error", "the key `{key}` is written twice", "keep one of the two lines"),
    Code(
        "yaml-feature",
        "error",
        "YAML here is plain keys, lists and texts; found {feature}",
        "write the value itself in its place",
    ),
    Code("missing-name", "warning", "the frontmatter has no `name`; `{name}` is taken", "add a line `name: {name}`"),
    Code("missing-kind", "error", "the frontmatter has no `kind`, so nothing says what the file is", "{way_out}"),
    Code("unknown-kind", "error", "`{found}` is not a kind of document", "{way_out}"),
    Code("retired-kind", "warning", "the kind `{found}` is retired; it is read as `{now}`", "write `kind: {now}`"),
    # sections
    Code(
        "section-level",
        "warning",
        "`{marks} {title}` is read as a section; `##` begins an inline definition, `#` is the title",
        "write `### {title}`",
    ),
    Code(
        "unknown-section",
        "warning",
        "`### {title}` is not a section with a meaning; it {instead}",
        "write `### {near}` if that is meant",
    ),
    Code(
        "duplicate-section",
        "warning",
        "`### {title}` stands here a second time; both are read as one",
        "move its lines to the first one",
    ),
    Code("duplicate-definition", "error", "two definitions are called `{name}`", "rename one of them"),
    Code("unnamed-definition", "error", "`##` begins a definition, and this one has no name", "write `## some-name`"),
    Code(
        "retired-section",
        "warning",
        "`### {found}` is retired here; it is read as `### {now}`",
        "{help}",
    ),
    Code("dropped-section", "warning", "{what} is retired, and nothing reads it: {why}", "{help}"),
    # items
    Code(
        "unnamed-item",
        "error",
        "a line of `### {section}` begins with a name in backticks; found: {found}",
        "write it as `{example}`",
    ),
    Code("duplicate-name", "error", "the {what} `{name}` is listed twice", "keep one of the two"),
    Code("unknown-type", "warning", "`{found}` is not a type; it is read as `{near}`", "write `{near}`"),
    Code(
        "default-mismatch",
        "error",
        "the default of `{name}` is not of its type `{type}`; found `{found}`",
        "write a default of the type `{type}`, or `default: none`",
    ),
    # instances
    Code(
        "instance-shape",
        "error",
        "{what} cannot be {found}",
        "write {wanted} there",
    ),
    Code("unknown-instance-key", "error", "an instance has no `{key}`", "{way_out}"),
    Code("incomplete-instance", "error", "this instance has no `{missing}`", "add a line like `{example}`"),
    Code(
        "setting-in-with",
        "warning",
        "{names} of `{pattern}` {are} config, not {slots}; {they} read as that",
        "move {names} to `config:`",
    ),
    Code("retired-key", "warning", "`{key}` is retired in an instance; it is read as `{now}`", "write `{now}`"),
    # the script's fence
    Code(
        "unclosed-fence",
        "error",
        "the block that begins here is not closed",
        "add a line `{marker}` where it ends",
    ),
    Code(
        "script-language",
        "warning",
        "this block does not say its language; it is read as the script",
        "write ```prose",
    ),
    Code(
        "second-script",
        "error",
        "this definition has a script already; this one is not run",
        "move its statements into the first script",
    ),
    Code(
        "retired-script",
        "warning",
        "{found} is a retired form of a script and is not run",
        "write the loop as a ```prose block under `### Delegation`",
    ),
    Code(
        "no-script",
        "error",
        "a pattern runs by its script, and this one has {found} under {where}",
        "add a ```prose block under {where}",
    ),
)
