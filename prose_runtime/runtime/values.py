"""The values of a run: JSON values and references to services.

In: what services answer and callers give (`from_python`). Out: what they receive (`to_json`), texts (`render_text`,
`show`), truth, equality and order. All values are immutable to a script; a dict is never changed once it is a value.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, overload

from prose_runtime.syntax.document import Json

DEEPEST = 200
"""How many levels of lists and objects a value may have."""

LONGEST_INTEGER = 10_000
"""How many bits an integer may have (about 3,000 digits)."""


if TYPE_CHECKING:
    _Items: TypeAlias = Sequence["Value"]
else:
    _Items = object  # an abstract base class would make every `isinstance` several times as slow


class ListValue(_Items):
    """A list that shares its store with the lists it was made from.

    `append` costs O(1) amortised as long as the list is the longest over its store: the new list is one item longer
    over the same store. A second list grown from the same short one copies, so neither sees the other's items.
    """

    __slots__ = ("_length", "_store")

    def __init__(self, items: Iterable[Value] = ()) -> None:
        self._store: list[Value] = list(items)
        self._length = len(self._store)

    def append(self, item: Value) -> ListValue:
        """This list and one more item."""
        store = self._store
        if len(store) != self._length:
            store = store[: self._length]
        store.append(item)
        return _over(store)

    def with_item(self, index: int, item: Value) -> ListValue:
        """A copy with the item at `index` replaced. Raises IndexError outside of the list."""
        if not 0 <= index < self._length:
            raise IndexError(index)
        changed = self._store[: self._length]
        changed[index] = item
        return _over(changed)

    def joined(self, other: Iterable[Value]) -> ListValue:
        """This list and all items of the other; it costs what `append` of each of them costs."""
        items = other._store[: other._length] if isinstance(other, ListValue) else list(other)
        store = self._store
        if len(store) != self._length:
            store = store[: self._length]
        store += items
        return _over(store)

    def shared(self) -> tuple[list[Value], int]:
        """Its store, and how many items of that are its own: for those who note what they have seen of a list that
        grows. The store is not to be changed."""
        return self._store, self._length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> ListValue: ...
    def __getitem__(self, index: int | slice) -> Value | ListValue:
        if isinstance(index, slice):
            return ListValue(self._store[: self._length][index])
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        return self._store[index]

    def __iter__(self) -> Iterator[Value]:
        store = self._store
        return (store[index] for index in range(self._length))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListValue) and equal(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ListValue({self._store[: self._length]!r})"


def _over(store: list[Value]) -> ListValue:
    """The list of all that is in a store now."""
    made = ListValue.__new__(ListValue)
    made._store = store
    made._length = len(store)
    return made


@dataclass(frozen=True, slots=True)
class ServiceRef:
    """An item of a list slot: it prints as its name. `service` is what the run bound there."""

    name: str
    service: object = None


Value: TypeAlias = "bool | int | float | str | ListValue | dict[str, Value] | ServiceRef | None"


# Characters of a path that a message shows.
_LONGEST_PATH = 60


class NotJson(ValueError):
    """Something that no JSON document can hold. `path` says where (`$.a[1].b`), `found` what."""

    def __init__(self, path: str, found: str) -> None:
        super().__init__(f"{path} is {found}")
        self.path = path
        self.found = found

    def at(self, name: str) -> str:
        """A clause for a message: what was found, and where in `name`, whose long paths are cut."""
        inner = self.path.removeprefix("$")
        if len(inner) > _LONGEST_PATH:
            inner = f"{inner[:_LONGEST_PATH]}…"
        return f"{self.found} at {name}{inner}" if inner else self.found


class Unordered(TypeError):
    """Two values have no order. `left` and `right` are their kinds."""

    def __init__(self, left: str, right: str) -> None:
        super().__init__(f"{left} and {right} have no order")
        self.left = left
        self.right = right


# ---- in and out ------------------------------------------------------------------------------------------

_PLAIN_KEY = re.compile(r"[^\W\d][\w-]*")
_PLAIN = frozenset({str, int, float, bool, type(None)})
_SURROGATE = re.compile("[\ud800-\udfff]")


def step_into(path: str, key: str | int) -> str:
    """The path of an item (`$[1]`) or a key (`$.b`, `$["two words"]`) below `path`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def from_python(value: object, path: str = "$") -> Value:
    """A value from plain Python data: None, bool, int, float, str, list, tuple, dict (and values themselves).

    Raises `NotJson` with the path for anything else: NaN and infinities, bytes, sets, objects, keys that are no text,
    cycles, texts with lone surrogates, more than `DEEPEST` levels.
    """
    return _taken(value, (None, path), ())


# The way to a part of a value: what is around it, and the key there. Its text is written only where something is wrong.
_Way: TypeAlias = "tuple[_Way | None, str | int]"


def _taken(value: object, way: _Way, above: tuple[int, ...]) -> Value:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        if not _is_whole(value):
            raise NotJson(_written(way), "a text with half of a surrogate pair")
        return value if type(value) is str else str.__str__(value)
    if isinstance(value, (int, float)):
        return _number(value, way)
    if isinstance(value, ServiceRef):
        return value
    if isinstance(value, (list, tuple, ListValue, dict)):
        if id(value) in above:
            raise NotJson(_written(way), "a part of itself")
        if len(above) >= DEEPEST:
            raise NotJson(_written(way), f"nested more than {DEEPEST} levels deep")
        above = (*above, id(value))
        if isinstance(value, dict):
            return {_key(key, way): _taken(item, (way, key), above) for key, item in value.items()}
        return ListValue(_taken(item, (way, index), above) for index, item in enumerate(value))
    raise NotJson(_written(way), _named(value))


def _written(way: _Way) -> str:
    steps: list[str | int] = []
    around, key = way
    while around is not None:
        steps.append(key)
        around, key = around
    path = str(key)
    for step in reversed(steps):
        path = step_into(path, step)
    return path


def _is_whole(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which no file and no message can hold."""
    return text.isascii() or _SURROGATE.search(text) is None


def _number(value: int | float, way: _Way) -> int | float:
    if isinstance(value, int):
        whole = int(value)
        if whole.bit_length() > LONGEST_INTEGER:
            raise NotJson(_written(way), f"an integer of more than {LONGEST_INTEGER} bits")
        return whole
    number = float(value)
    if math.isfinite(number):
        return number
    raise NotJson(_written(way), "not a number (NaN)" if math.isnan(number) else "infinite")


def _key(key: object, way: _Way) -> str:
    if isinstance(key, str):
        if not _is_whole(key):
            raise NotJson(_written(way), "an object with a key that holds half of a surrogate pair")
        return str.__str__(key)
    raise NotJson(_written(way), f"an object with the key {key!r}, which is no text")


def _named(value: object) -> str:
    kind = type(value)
    if kind in (bytes, bytearray, memoryview):
        return "bytes, not text"
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name} object"


def to_json(value: Value) -> Json:
    """Plain lists and dicts, newly made; a service becomes its name. Raises `NotJson` beyond `DEEPEST` levels."""
    return value if type(value) in _PLAIN else _given(value, 0)  # type: ignore[return-value]


def _given(value: Value, depth: int) -> Json:
    if isinstance(value, ListValue):
        _not_too_deep(depth)
        items = value._store[: value._length]
        return [item if type(item) in _PLAIN else _given(item, depth + 1) for item in items]  # type: ignore[misc]
    if isinstance(value, dict):
        _not_too_deep(depth)
        return {key: item if type(item) in _PLAIN else _given(item, depth + 1) for key, item in value.items()}  # type: ignore[misc]
    if isinstance(value, ServiceRef):
        return value.name
    return value


def _not_too_deep(depth: int) -> None:
    if depth >= DEEPEST:
        raise NotJson("$", f"nested more than {DEEPEST} levels deep")


# ---- texts -----------------------------------------------------------------------------------------------


def render_text(value: Value) -> str:
    """A value as it stands in a text: null is "", a text itself, lists and objects compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (ListValue, dict)):
        return json.dumps(to_json(value), ensure_ascii=False, separators=(",", ":"))
    return show(value)


def show(value: Value, width: int = 60) -> str:
    """A value for people, in one line of at most about `width` characters: texts in quotes, the rest as JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, int):
        return str(value)
    if value is None:
        return "null"
    if isinstance(value, ServiceRef):
        return value.name
    if isinstance(value, str):
        return _cut(json.dumps(value[: width + 2], ensure_ascii=False), width)
    return _cut(json.dumps(to_json(value), ensure_ascii=False), width)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def kind_of(value: Value) -> str:
    """What a value is, with its article: `a number`, `an object`, `null`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, ListValue):
        return "a list"
    return "an object" if isinstance(value, dict) else "a service"


# ---- truth, equality, order ------------------------------------------------------------------------------


def truth(value: Value) -> bool:
    """Null, false, 0, blank text, the empty list and the empty object are false."""
    if isinstance(value, str):
        return bool(value) and not value.isspace()
    if isinstance(value, ServiceRef):
        return True
    return bool(value)


def equal(left: Value, right: Value) -> bool:
    """Whether two values are the same; total. Null equals only null, `true` is not 1, a service equals its name."""
    pending: list[tuple[Value, Value]] = [(left, right)]
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if isinstance(a, ListValue):
            if not isinstance(b, ListValue) or len(a) != len(b):
                return False
            pending += zip(a, b, strict=True)
        elif isinstance(a, dict):
            if not isinstance(b, dict) or a.keys() != b.keys():
                return False
            pending += [(item, b[key]) for key, item in a.items()]
        elif not _same(a, b):
            return False
    return True


def _same(a: Value, b: Value) -> bool:
    if isinstance(a, ServiceRef) or isinstance(b, ServiceRef):
        names = [item.name if isinstance(item, ServiceRef) else item for item in (a, b)]
        return isinstance(names[0], str) and names[0] == names[1]
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return a == b


def compare(left: Value, right: Value) -> int:
    """-1, 0 or 1. Null is below every number and text; numbers and texts each among themselves; texts by code point.

    Raises `Unordered` for any other pair.
    """
    if left is None or right is None:
        other = right if left is None else left
        if other is None:
            return 0
        if _has_order(other):
            return -1 if left is None else 1
        raise Unordered(kind_of(left), kind_of(right))
    numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    if isinstance(left, bool) or isinstance(right, bool) or not (numbers or _both_texts(left, right)):
        raise Unordered(kind_of(left), kind_of(right))
    return (left > right) - (left < right)  # type: ignore[operator]


def _has_order(value: Value) -> bool:
    return isinstance(value, (int, float, str)) and not isinstance(value, bool)


def _both_texts(left: Value, right: Value) -> bool:
    return isinstance(left, str) and isinstance(right, str)


# ---- changed copies --------------------------------------------------------------------------------------


def with_item(items: ListValue, index: int, item: Value) -> ListValue:
    """The list with one item replaced. Raises IndexError outside of it."""
    return items.with_item(index, item)


def with_property(target: dict[str, Value], name: str, item: Value) -> dict[str, Value]:
    """The object with one property set."""
    return {**target, name: item}
