"""From the text of a fence to tokens and logical lines.

The lexer knows where it stands: in a block of statements or of properties, inside brackets, before the colon of a
header. So it can tell keywords from names, keys from headers, and give each condition as one token. It reports
what can be seen at this level (quotes, brackets, indentation, words of other languages) and mends it for the parser.
"""

from __future__ import annotations

import re

from prose_runtime.diagnostics.suggestions import nearest
from prose_runtime.source import SourceText
from prose_runtime.syntax.fence import Fence
from prose_runtime.syntax.script import conditions, words
from prose_runtime.syntax.script import patterns as p
from prose_runtime.syntax.script.faults import replacing
from prose_runtime.syntax.script.layout import VALUE_ENDS, Layout

MAX_CHAIN = 100  # operators, properties and inline bodies in one value

_KEY_AFTER = VALUE_ENDS | {"LBRACE", "_COMMA", "_MODS_OPEN", "_LINE_COMMA", "_NL", "_INDENT", "_DEDENT", "WITH"}
_CHAINING = frozenset({"DOT", "PLUS", "MINUS", "TIMES", "COMPARE", "AND", "OR", "NOT", "NEGATIVE", "_INDEX_OPEN"})
# words that begin a statement only where something follows them: alone they are names
_SOFT = frozenset({"record", "append", "add", "use", "option", "block", "agent", "session", "resume", "gate", "do"})
_NO_VALUE_BEFORE = frozenset(",}])=.|<>+*/%")


class Lexer(Layout):
    """Reads one fence. After `read`, `tokens`, `lines` and `faults` hold what was found."""

    def __init__(self, source: SourceText, fence: Fence) -> None:
        super().__init__(source, fence)
        self.lexicon = p.lexicon()
        self.last = ""  # the terminal before `pos`
        self.last_end = -1

    def read(self) -> None:
        """Read to the end of the fence."""
        start = self.next_line()
        if start is None:
            return
        self.pos, self.frames[0].indent = start
        self.begin_line(start[1])
        while self.pos < self.stop:
            self._token()
        while self.brackets:
            self._close_quietly_or_not()
        if self.tokens:
            self.finish_line(-1, self.tokens[-1][3])

    def _close_quietly_or_not(self) -> None:
        known = len(self.faults)
        self.close_frame()
        if self.gave_up:
            del self.faults[known:]

    # ---- tokens ----------------------------------------------------------------------------------------------

    def _token(self) -> None:
        text, pos, stop = self.text, self.pos, self.stop
        if text[pos] == " " and pos + 1 < stop:  # the blank before most tokens is not worth a match of its own
            pos = self.pos = pos + 1
        match = self.lexicon.token.match(text, pos, stop)
        if match is None:
            self._strange()
            return
        kind = match.lastgroup
        end = match.end()
        if kind == "blank" or kind == "comment":
            self.pos = end
            return
        if kind == "line":
            self.newline(end)
            return
        if self.tokens:
            self.last, self.last_end = self.tokens[-1][0], self.tokens[-1][3]
        if kind == "NAME":
            self._word(match.group(), pos, end)
        elif kind == "sign":
            self._sign(match.group())
        elif kind == "minus":
            self._minus()
        elif kind == "TIMES" and text.startswith("//", pos):
            self.foreign_comment(pos)
            self.pos = p.end_of(p.TO_LINE_END, text, pos, stop)
        elif kind in ("COMPARE", "TIMES"):
            self._add(kind, match.group(), pos, end)
        elif kind == "TEXT" and text.startswith('""', end - 2) and text[end : end + 1] == '"' and end - pos == 2:
            self._unclosed_text()
        else:
            self._add(str(kind), match.group(), pos, end)

    def _add(self, kind: str, text: str, start: int, end: int) -> None:
        """Emit a token of this line."""
        self.tokens.append((kind, text, start, end))
        self.pos = end
        self.statement = False
        self.header_end = False
        if kind in _CHAINING:
            self._link(start)

    def _link(self, start: int) -> None:
        """One more operator, property or inline body in this value."""
        self.chain += 1
        if self.chain == MAX_CHAIN + 1:
            self.fault("too-deep", start, start + 1, what="operators and properties in one value", limit=str(MAX_CHAIN))
            self.give_up()

    def _sign(self, sign: str) -> None:
        pos = self.pos
        if sign in "([{":
            self._open(sign)
        elif sign in ")]}":
            self.close_bracket(self.lexicon.signs[sign], sign)
            self.statement = self.header_end = False
            self.frames[-1].calls = self.frames[-1].calls and True
        elif sign == ",":
            self._comma()
        elif sign == ":":
            self._colon()
        elif sign == "|" and self.text[pos + 1 : pos + 2] == "|":
            self._foreign_sign("||")
        else:
            self._add(self.lexicon.signs[sign], sign, pos, pos + 1)

    def _comma(self) -> None:
        pos, frame = self.pos, self.frames[-1]
        if frame.kind == "block":
            if self.brackets:  # a block inside a bracket, on whose line its item ends
                while self.frames[-1].kind == "block":
                    self.close_frame()
            else:
                self._add("_LINE_COMMA", ",", pos, pos + 1)
                return
        elif frame.waiting:  # for x, i in …
            self._add("_COMMA", ",", pos, pos + 1)
            return
        self.end_inline(self.frames[-1])
        self.frames[-1].calls = False
        self.chain = 0
        self._add("_COMMA", ",", pos, pos + 1)

    def _colon(self) -> None:
        frame, pos = self.frames[-1], self.pos
        in_session = self.last in ("SESSION", "RESUME", "KEY")
        self._add("COLON", ":", pos, pos + 1)
        if frame.waiting and not in_session:
            frame.waiting -= 1
            self.statement = True
            self.header_end = True
            self._link(pos)
            if frame.kind != "block":
                frame.inline += 0 if self._line_ends() else 1

    def _line_ends(self) -> bool:
        """Whether nothing more stands on the physical line."""
        at = p.end_of(p.BLANKS, self.text, self.pos, self.stop)
        return at >= self.stop or self.text[at] in "\r\n#"

    def _open(self, sign: str) -> None:
        kind = "LBRACE"
        behind = self.pos == self.last_end
        if sign == "[":
            kind = "_INDEX_OPEN" if behind and self.last in VALUE_ENDS else "LSQB"
        elif sign == "(":
            kind = "_CALL_OPEN" if behind and self.last in ("NAME", "TEXT") else "_OPEN"
            if self.frames[-1].waiting and self._opens_modifiers(behind):
                kind = "_MODS_OPEN"
        self.statement = self.header_end = False
        if kind == "_INDEX_OPEN":
            self._link(self.pos)
        self.open_bracket(kind, sign)

    def _opens_modifiers(self, behind: bool) -> bool:
        """Whether the "(" at `pos`, in a header, opens modifiers. `behind`: it stands directly behind a value."""
        if self.header not in ("PARALLEL", "LOOP", "REPEAT", "FOR"):
            return False
        if self.last in ("PARALLEL", "LOOP"):
            return True
        if self.last not in VALUE_ENDS | {"CONDITION"} or (behind and self.last != "CONDITION"):
            return False
        if self.header == "PARALLEL" and p.JOIN_AHEAD.match(self.text, self.pos, self.stop):
            return True
        return p.MODIFIER_AHEAD.match(self.text, self.pos, self.stop) is not None

    def _minus(self) -> None:
        """`-` between blanks subtracts; directly before a number or value it negates; names hold it themselves."""
        pos, text = self.pos, self.text
        after = text[pos + 1 : pos + 2]
        if self.last in VALUE_ENDS:
            spaced = pos > self.last_end and (after in " \t\r\n")
            if not spaced:
                end = p.end_of(p.OPERAND, text, p.end_of(p.BLANKS, text, pos + 1, self.stop), self.stop)
                start = self._value_start()
                operand = text[pos + 1 : end].strip()
                written = f"{text[start : self.last_end]} - {operand}"
                fix = replacing("Put blanks around the minus", self.last_end, pos + 1, " - ") if operand else None
                self.fault("minus-spacing", start, max(end, pos + 1), fix, found=text[start:end], written=written)
            self._add("MINUS", "-", pos, pos + 1)
            return
        number = self.lexicon.number.match(text, pos, self.stop)
        if number:
            self._add("NUMBER", number.group(), pos, number.end())
        else:
            self._add("NEGATIVE", "-", pos, pos + 1)

    def _value_start(self) -> int:
        """Where the value before `pos` begins: `xs` of `xs[0]`."""
        depth, start = 0, self.tokens[-1][2]
        for token in reversed(self.tokens):
            if token[3] != start and start != self.tokens[-1][2]:
                break
            depth += (token[1] in words.OPENERS) - (token[1] in words.CLOSERS)
            if depth < 0 or token[0] in ("EQUAL", "COLON", "_COMMA", "CONDITION"):
                break
            start = token[2]
        return start

    # ---- words -----------------------------------------------------------------------------------------------

    def _word(self, word: str, start: int, end: int) -> None:
        text = self.text
        after = p.end_of(p.BLANKS, text, end, self.stop)
        char = text[after] if after < self.stop else ""
        if self.last == "DOT":
            self._add("NAME", word, start, end)
            return
        if self.last == "VBAR":  # a step of a pipeline: its colon opens a body
            self.frames[-1].waiting += 1
            self.header = "VBAR"
            self._add("NAME", word, start, end)
            return
        if word in ("await", "async") and (char == "_" or char.isalpha()):
            self._awaited(word, start, end, after)
            return
        at_start = self.statement
        if char == ":" and word in ("session", "gate") and self._with_colon(word, start, end, after):
            return
        if at_start and self._at_start(word, start, end, after, char):
            return
        if char == ":" and self._is_key(word, at_start):
            self.chain = 0
            self._add("KEY", word, start, end)
            return
        kind = words.OPERATOR_WORDS.get(word) or self._line_word(word)
        if kind is not None and not (at_start and char == "=" and text[after + 1 : after + 2] != "="):
            self._add(kind, word, start, end)
        elif word in words.VALUE_STARTERS and self._begins_value(word, end, after, char):
            self._keyword(words.STARTERS[word], word, start, end)
        elif word in words.FOREIGN_VALUES and char not in (":", "=", "(", "."):
            instead = words.FOREIGN_VALUES[word]
            fix = replacing(f"Write {instead}", start, end, instead)
            self.fault("foreign-word", start, end, fix, found=word, instead=instead)
            self._add(instead.upper(), instead, start, end)
        elif char == '"' and after == end and word in ("f", "r", "b", "F", "R", "B"):
            fix = replacing("Take it off", start, end, "")
            self.fault("foreign-word", start, end, fix, found=f'{word}"…"', instead='"…"')
            self.pos = end
        else:
            self._add("NAME", word, start, end)

    def _awaited(self, word: str, start: int, end: int, after: int) -> None:
        """`await f(…)`: a call waits by itself. Before a keyword the word is taken off."""
        second = p.NAME_AHEAD.match(self.text, after, self.stop)
        following = second.group() if second else ""
        keyword = following in words.STARTERS
        instead = following if keyword else "call"
        found = f"{word} {following}" if keyword else word
        fix = replacing(
            "Take it off" if keyword else "Write call", start, after if keyword else end, "" if keyword else "call"
        )
        self.fault("foreign-word", start, end, fix, found=found, instead=instead)
        self.pos = end
        if not keyword:
            self._keyword("CALL", "call", start, end)

    def _with_colon(self, word: str, start: int, end: int, after: int) -> bool:
        """`gate:` or `session:` above its properties: read without the colon. False where that is no such thing."""
        if self.frames[-1].properties and self.first == len(self.tokens):
            return False
        if not self._deeper_next(p.end_of(p.BLANKS, self.text, after + 1, self.stop)):
            return False
        fix = replacing("Take the colon off", end, after + 1, "")
        self.fault("foreign-word", start, after + 1, fix, found=f"{word}:", instead=word)
        self._keyword(words.STARTERS[word], word, start, end)
        self.pos = after + 1
        return True

    def _at_start(self, word: str, start: int, end: int, after: int, char: str) -> bool:
        """Handle a word that may begin a statement; False where it is a value or a name like any other."""
        text = self.text
        frame = self.frames[-1]
        if frame.properties and char == ":" and self.first == len(self.tokens):
            self._add("KEY", word, start, end)
            return True
        assigned = char == "=" and text[after + 1 : after + 2] != "="
        if assigned or char == "." or (char == "|" and word in _SOFT) or (char == "[" and after == end):
            return False
        kind = words.STARTERS.get(word)
        if kind is not None:
            if not self._starts(word, end, after, char):
                return False
            self._keyword(kind, word, start, end)
            return True
        return char not in ("", ":") and self._strange_start(word, start, end, after, char)

    def _starts(self, word: str, end: int, after: int, char: str) -> bool:
        """Whether a statement word really begins a statement, seen from what follows it."""
        text = self.text
        if word in ("record", "append", "add", "use", "option", "block", "agent"):
            if char == "-":
                return text[after + 1 : after + 2] not in (" ", "\t", "")
            return char != "" and char not in ",}])<>+*/%:\r\n#" and not (char == "(" and after == end)
        if word in words.VALUE_STARTERS and word in ("call", "session", "resume", "gate", "do", "if"):
            return self._begins_value(word, end, after, char)
        if word in ("let", "const", "return", "throw", "break", "continue"):
            return char != ":"
        return True

    def _begins_value(self, word: str, end: int, after: int, char: str) -> bool:
        """Whether `call`, `session`, … is the keyword here and not a name that is spelt so."""
        text, stop = self.text, self.stop
        named = char == "_" or char.isalpha()
        if word == "if":
            return True
        if char and char in _NO_VALUE_BEFORE and not (word == "call" and char == "|"):
            return False
        if word == "call":
            return True
        if word == "session":
            ahead = p.SESSION_AHEAD.match(text, after, stop) is not None
            return char == '"' or ahead or self._deeper_next(after)
        if word == "gate":
            return (
                char == "{" or (named and p.KEY_AHEAD.match(text, after, stop) is not None) or self._deeper_next(after)
            )
        if word == "resume":
            return p.AGENT_AHEAD.match(text, after, stop) is not None
        if word == "do":
            return char == ":" or named
        if word == "parallel":
            return p.PARALLEL_TAIL.match(text, end, stop) is not None
        if word == "loop":
            return p.LOOP_TAIL.match(text, end, stop) is not None
        if word == "for":
            return self.last in ("PARALLEL", "LOOP") or p.LOOP_HEAD.match(text, end, stop) is not None
        return self.last == "PARALLEL" or named or char.isdigit() or (char != "" and char in '(-[{"')

    def _deeper_next(self, after: int) -> bool:
        """Whether the line ends at `after` and the next one is a deeper property."""
        if after < self.stop and self.text[after] not in "\r\n#":
            return False
        kept, tabs, known = self.pos, self.tabs, len(self.faults)
        self.pos = p.end_of(p.LINE_END, self.text, p.end_of(p.TO_LINE_END, self.text, after, self.stop), self.stop)
        following = self.next_line()
        self.pos, self.tabs = kept, tabs
        del self.faults[known:]
        if following is None or following[1] <= self.indent:
            return False
        return p.KEY_AHEAD.match(self.text, following[0], self.stop) is not None

    def _is_key(self, word: str, at_start: bool) -> bool:
        """Whether a word before a colon is a key: not before a header's colon, not `x = do:`."""
        if self.last == "SESSION":
            return True
        if self.frames[-1].waiting:
            return False
        frame = self.frames[-1]
        item = self.last == "_COMMA" and frame.kind != "{"  # of a list or of arguments
        beside = self.last in VALUE_ENDS and not frame.calls and frame.kind == "block"
        if at_start or (self.last in _KEY_AFTER and not item and not beside):
            return True
        return word not in ("session", "resume", "do", "parallel", "loop")

    def _line_word(self, word: str) -> str | None:
        """`in`, `to`, `as`, `with`, `then`, `else` where the line has a place for them."""
        frame = self.frames[-1]
        if word in self.line_words and self.last not in ("FOR", "RECORD", "APPEND", "ADD", "EACH"):
            return word.upper()
        if word == "as" and (frame.waiting or self.header == "USE"):
            return "AS"
        if word == "with" and frame.calls:
            return "WITH"
        if word == "else" and frame.thens:
            frame.thens -= 1
            return "ELSE"
        if word == "elif" and self.last == "ELSE":
            return None
        return None

    def _keyword(self, kind: str, word: str, start: int, end: int) -> None:
        frame = self.frames[-1]
        at_start = self.statement
        if kind == "_IF":
            self._if(at_start, start, end)
            return
        if kind == "ELSE" and p.ELSE_IF.match(self.text, end, self.stop):
            stop = p.end_of(p.ELSE_IF, self.text, end, self.stop)
            fix = replacing("Write elif", start, stop, "elif")
            self.fault("foreign-word", start, stop, fix, found="else if", instead="elif")
            kind, end = "ELIF", stop
        inner = kind in ("FOR", "REPEAT") and self.last in ("PARALLEL", "LOOP")
        block = kind != "DO" or self.text.startswith(":", p.end_of(p.BLANKS, self.text, end, self.stop))
        if (kind in words.HEADERS or kind == "DO") and block and not inner:
            frame.waiting += 1
            self.header = kind
        elif kind == "USE":
            self.header = "USE"
        self._add(kind, word, start, end)
        if kind in ("CALL", "SESSION", "RESUME", "GATE"):
            frame.calls = True
        elif kind == "FOR" or kind == "RECORD":
            self.line_words = frozenset({"in"})
            if kind == "FOR" and (each := p.EACH.match(self.text, end, self.stop)):
                self._add("EACH", "each", each.end() - 4, each.end())
        elif kind == "APPEND" or kind == "ADD":
            self.line_words = frozenset({"to"})
        elif kind == "ELIF" or kind == "CHOICE":
            self._condition(word)
        elif kind == "LOOP":
            self._loop_test()

    def _loop_test(self) -> None:
        """`until`, `while` or `up to` after `loop`."""
        at = p.end_of(p.BLANKS, self.text, self.pos, self.stop)
        test = p.LOOP_TEST.match(self.text, at, self.stop)
        up_to = self.lexicon.up_to.match(self.text, at, self.stop)
        if test:
            self._add(test.group().upper(), test.group(), at, test.end())
            self._condition(test.group())
        elif up_to:
            self._add("UP_TO", up_to.group(), at, up_to.end())

    def _if(self, at_start: bool, start: int, end: int) -> None:
        """A statement, or a value: `if … then … else …`."""
        text, frame = self.text, self.frames[-1]
        indent = self._characters_before_line()
        if at_start:
            colon = conditions.extent(text, end, self.stop, indent, "colon", strict=True)
            then = conditions.extent(text, end, self.stop, indent, "then", strict=True)
            if colon.found or not (then.found and p.ELSE_AHEAD.search(text, then.end, colon.end)):
                kind = "_IF" if len(self.tokens) == self.first else "_INLINE_IF"
                frame.waiting += 1
                self.header = kind
                self._add(kind, "if", start, end)
                self._condition("if")
                return
        found = conditions.extent(text, end, self.stop, indent, "then")
        if not found.found:
            self.fault("missing-then", start, end)
            self._add("_UNREADABLE", "", start, max(found.end, end))
            return
        self._add("_IF_VALUE", "if", start, end)
        self._add("CONDITION", text[end : found.end], end, found.end)
        self._add("THEN", "then", found.end, found.end + 4)
        frame.thens += 1
        self._link(start)

    def _characters_before_line(self) -> int:
        """The blanks before the logical line, the fence's own included."""
        return self.line_indent + self.fence_indent if self.frames[-1].kind == "block" else -1

    def _condition(self, word: str) -> None:
        """The condition behind a header's keyword, as one token."""
        text, start = self.text, self.pos
        found = conditions.extent(text, start, self.stop, self._characters_before_line(), "colon")
        end = found.end
        if word in ("until", "while"):
            end = conditions.without_tail(text, start, end)
        stripped = start + len(text[start:end].rstrip())
        self._add("CONDITION", text[start:stripped], start, stripped)
        self.line_words = frozenset()

    # ---- what is not ProseScript -----------------------------------------------------------------------------

    def _strange_start(self, word: str, start: int, end: int, after: int, char: str) -> bool:
        """A line that begins with two words, the first of which is no keyword: a misspelt or foreign one?"""
        follows = char in '"{' or char == "_" or char.isalnum()
        second = p.NAME_AHEAD.match(self.text, after, self.stop)
        if not follows or (second and second.group() in ("and", "or", "in", "then")) or after == end:
            return False
        if word in ("input", "output") and second:
            return self._retired(word, start, end, second)
        instead = words.FOREIGN_STARTERS.get(word)
        code, facts = "foreign-word", {"found": word, "instead": instead or ""}
        if instead is None:
            instead = nearest(word, words.STARTERS) if len(word) > 2 and self._plain_line(after) else None
            code, facts = "unknown-statement", {"found": word, "instead": f"write `{instead}`"}
        if instead is None:
            return False
        self.fault(code, start, end, replacing(f"Write {instead}", start, end, instead), **facts)
        first, _, second_word = instead.partition(" ")
        self._keyword(words.STARTERS[first], first, start, end)
        if second_word in ("while", "until"):
            self._add(second_word.upper(), second_word, end, end)
            self._condition(second_word)
        elif second_word == "each":
            self._add("EACH", "each", end, end)
        return True

    def _plain_line(self, after: int) -> bool:
        """Whether the line can be a statement; a sentence is left to be seen as one."""
        rest = self.text[after : p.end_of(p.TO_LINE_END, self.text, after, self.stop)]
        return not p.SENTENCE_END.search(rest)

    def _retired(self, word: str, start: int, end: int, name: re.Match[str]) -> bool:
        """`input topic: "…"`: the name is kept as bound, so that nothing else is said about it."""
        self.fault(
            "retired-declaration", start, end, word=word, section="### Requires" if word == "input" else "### Ensures"
        )
        self._add("LET", word, start, end)
        self._add("NAME", name.group(), name.start(), name.end())
        self.pos = p.end_of(p.TO_LINE_END, self.text, self.pos, self.stop)
        return True

    def _strange(self) -> None:
        """A character that begins no token."""
        text, pos = self.text, self.pos
        if self.tokens:
            self.last, self.last_end = self.tokens[-1][0], self.tokens[-1][3]
        char = text[pos]
        if char == '"':
            self._unclosed_text()
        elif char == "'":
            self._single_quotes()
        elif char == ",":
            self._comma()
        elif sign := p.FOREIGN_SIGN.match(text, pos, self.stop):
            self._foreign_sign(sign.group())
        else:
            end = p.end_of(p.STRANGE, text, pos, self.stop)
            self.fault("unexpected-character", pos, end, found=text[pos:end])
            self._add("_UNREADABLE", "", pos, end)

    def _unclosed_text(self) -> None:
        text, pos = self.text, self.pos
        triple = text.startswith('"""', pos)
        end = self.stop if triple else p.end_of(p.TO_LINE_END, text, pos, self.stop)
        quote = '"""' if triple else '"'
        self.fault("unclosed-string", pos, pos + len(quote), found=quote)
        self._add("_UNREADABLE", "", pos, max(end, pos + 1))

    def _single_quotes(self) -> None:
        text, pos = self.text, self.pos
        quoted = p.SINGLE_QUOTED.match(text, pos, self.stop)
        if quoted is None:
            end = p.end_of(p.TO_LINE_END, text, pos, self.stop)
            self.fault("unclosed-string", pos, pos + 1, found="'")
            self._add("_UNREADABLE", "", pos, end)
            return
        inner = quoted.group()[1:-1]
        fix = None if '"' in inner or "\\" in inner else replacing("Use double quotes", pos, quoted.end(), f'"{inner}"')
        self.fault("single-quotes", pos, quoted.end(), fix, found=quoted.group())
        self._add("_UNREADABLE", "", pos, quoted.end())

    def _foreign_sign(self, sign: str) -> None:
        pos = self.pos
        end = pos + len(sign)
        if len(sign) == 2 and sign[1] == "=" and sign[0] in "+-*/%" and self.last in VALUE_ENDS:
            target = self.text[self.tokens[self.first][2] : self.last_end]
            fix = replacing("Write it out", pos, end, f"= {target} {sign[0]}")
            self.fault("foreign-word", pos, end, fix, found=sign, instead=f"{target} = {target} {sign[0]} …")
            self._add("EQUAL", "=", pos, end)
            return
        instead = words.FOREIGN_SIGNS.get(sign, "")
        if not instead:
            self.fault("unexpected-character", pos, end, found=sign)
            self.pos = end
            return
        spaced = f"{instead} " if sign == "!" else instead
        self.fault(
            "foreign-word", pos, end, replacing(f"Write {instead}", pos, end, spaced), found=sign, instead=instead
        )
        kind = "COMPARE" if instead[0] in "=!" else words.OPERATOR_WORDS[instead]
        self._add(kind, instead, pos, end)
