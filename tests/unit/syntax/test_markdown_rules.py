"""The block structure of Markdown is that of a CommonMark library, for any mixture of lines."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from prose_runtime.source import SourceText
from prose_runtime.syntax.blocks import Block, Bullet, Fenced, Heading, Paragraph
from prose_runtime.syntax.markdown import read_blocks

LIBRARY = MarkdownIt("zero", {"html": True}).enable(["fence", "heading", "list", "hr", "html_block"])
LINES = [
    "plain text",
    "---",
    "* * *",
    "_ _ _",
    "1. one",
    "10. ten",
    "2) two",
    "01. one too",
    "- a",
    "- ",
    "* x",
    "+",
    "- - a",
    "- 1. b",
    "-\tq",
    "- \tq",
    "\t- c",
    "-     far",
    "- # title",
    "- ```",
    "- * - x",
    "# Title",
    "#### part",
    "####### no title",
    "```",
    "```prose",
    "```` x",
    "``` a`b",
    "~~~",
    "~~~~ text",
    "<div>",
    "<details> open",
    "<!-- note",
    "-->",
    "<b>",
    "</b>",
    "<b> bold",
    "<script>",
    "</script>",
    "\xa0odd blank",
    "\t",
    "",
    "",
]


def shape(block: Block) -> tuple[object, ...]:
    """A block as its kind and its lines, whatever else is known of it."""
    if isinstance(block, Heading):
        return ("heading", block.level, block.text)
    if isinstance(block, Fenced):
        return ("fence", block.language)
    if isinstance(block, Paragraph):
        return ("paragraph", *(line.text for line in block.lines))
    inner = (*map(shape, block.bullets), *map(shape, block.fences))
    return ("bullet", tuple(line.text for line in block.lines), *inner)


def expected(text: str) -> Iterator[tuple[object, ...]]:
    """The same of the library's tokens."""
    tokens: list[Token] = []
    LIBRARY.block.parse(text, LIBRARY, {}, tokens)
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.type == "list_item_open":
            bullet, index = _bullet(tokens, index)
            yield bullet
        elif token.type == "fence":
            yield _fence(token)
        elif token.type == "heading_open":
            yield ("heading", int(token.tag[1:]), tokens[index + 1].content)
        elif token.type == "paragraph_open":
            yield ("paragraph", *_texts(tokens[index + 1]))
        index += 1


def _bullet(tokens: list[Token], start: int) -> tuple[tuple[object, ...], int]:
    texts: list[str] = []
    bullets: list[object] = []
    fences: list[object] = []
    index = start + 1
    while tokens[index].type != "list_item_close" or tokens[index].level != tokens[start].level:
        token = tokens[index]
        if token.type == "list_item_open":
            bullet, index = _bullet(tokens, index)
            bullets.append(bullet)
        elif token.type == "fence":
            fences.append(_fence(token))
        elif token.type == "inline":
            mark = tokens[index - 1]
            texts += _texts(token) if mark.type == "paragraph_open" else [f"{mark.markup} {token.content}".strip()]
        index += 1
    return ("bullet", tuple(texts), *bullets, *fences), index


def _texts(token: Token) -> list[str]:
    return [text for line in token.content.split("\n") if (text := line.strip())]


def _fence(token: Token) -> tuple[object, ...]:
    language = token.info.split()[0].lower() if token.info.strip() else ""
    return ("fence", language)


def texts(seed: int, count: int) -> Iterator[str]:
    chance = random.Random(seed)
    for _ in range(count):
        picked = [chance.choice(LINES) for _ in range(chance.randint(1, 9))]
        yield "\n".join(" " * chance.choice([0, 0, 0, 1, 2, 3, 4, 5, 6, 8]) + line for line in picked)


@pytest.mark.parametrize("seed", range(4))
def test_any_mixture_of_lines_has_the_blocks_that_a_library_finds(seed: int) -> None:
    for text in texts(seed, 500):
        found, _ = read_blocks(SourceText("x", text), 0)
        assert [shape(block) for block in found] == list(expected(text)), text


def bullets_of(text: str) -> tuple[Bullet, ...]:
    found, _ = read_blocks(SourceText("x", text), 0)
    return tuple(block for block in found if isinstance(block, Bullet))


def test_lists_deeper_than_the_limit_are_text_and_what_follows_is_read() -> None:
    deep = "\n".join("  " * level + "- x" for level in range(30))
    found, diagnostics = read_blocks(SourceText("x", deep + "\n\n# After\n"), 0)
    assert [item.code for item in diagnostics] == ["nested-too-deeply"]
    assert isinstance(found[-1], Heading)


def test_a_long_list_with_tabs_and_lazy_lines_is_one_list() -> None:
    first, second = bullets_of("-\ta\n\n\tmore\nlazy\n-\tb\n")
    assert [line.text for line in first.lines] == ["a", "more", "lazy"]
    assert [line.text for line in second.lines] == ["b"]
