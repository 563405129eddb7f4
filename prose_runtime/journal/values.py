"""Values as they stand in a journal: what is long is written once, and of a list that grew only what is new.

In: values of a run. Out: JSON with references to `text` and `list` records, which are emitted first; and the reverse.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any, TypeVar

from prose_runtime.journal.records import DamagedJournal
from prose_runtime.runtime.values import ListValue, ServiceRef, Value

LONG_TEXT = 512
"""Characters from which on a text has a record of its own."""
LONG_LIST = 32
"""Items from which on a list has one."""
STORES = 64
"""How many lists are remembered that may go on growing."""

T = TypeVar("T")

_PLAIN = frozenset((int, float, bool, type(None)))
_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_sorted = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, check_circular=False).encode


def print_of(parts: Any) -> str:
    """The hash of plain data: the same for the same data."""
    return blake2b(_sorted(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class _Marks:
    """What is known of a list that may grow: ids of its first n items, by n."""

    __slots__ = ("ids", "store")

    def __init__(self, store: list[Value]) -> None:
        self.store = store  # held, so that its address stays its own
        self.ids: dict[int, bytes] = {0: b""}


class Encoder:
    """Turns values into JSON of a journal. `emit` is given the records that this needs and that were not emitted yet;
    `mask` hides secrets in texts."""

    def __init__(self, emit: Callable[[Mapping[str, Any]], None], mask: Callable[[str], str] | None = None) -> None:
        self._emit = emit
        self._mask = mask
        self._known: set[str] = set()
        self._marks: OrderedDict[int, _Marks] = OrderedDict()

    def known(self, name: str) -> None:
        """A record with this id stands in the journal already."""
        self._known.add(name)

    def encode(self, value: Value) -> Any:
        """The value as JSON."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is str:
            return self._text(value)  # type: ignore[arg-type]
        if kind is dict:
            return self._object(value)  # type: ignore[arg-type]
        if kind is ListValue:
            return self._list(value)  # type: ignore[arg-type]
        if isinstance(value, ServiceRef):
            return value.name
        raise TypeError(f"no value of a run: {type(value).__name__}")

    def _text(self, text: str) -> Any:
        if self._mask is not None:
            text = self._mask(text)
        if len(text) < LONG_TEXT:
            return text
        name = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        if name not in self._known:
            self._known.add(name)
            self._emit({"record": "text", "id": name, "text": text})
        return {"$text": name}

    def _object(self, value: dict[str, Value]) -> Any:
        mask, encode = self._mask, self.encode
        own = False
        made: dict[str, Any] = {}
        for key, item in value.items():
            if mask is not None:
                key = mask(key)
            own = own or key[:1] == "$"
            kind = type(item)
            made[key] = item if kind in _PLAIN else encode(item)
        return {"$": made} if own else made

    def _list(self, value: ListValue) -> Any:
        store, length = value.shared()
        if length < LONG_LIST:
            return [item if type(item) in _PLAIN else self.encode(item) for item in store[:length]]
        return {"$list": self._chain(store, length)}

    def _chain(self, store: list[Value], length: int) -> str:
        """The id of the first items of a store; what of them is not in the journal yet is emitted."""
        marks = self._marks_of(store)
        done = length if length in marks.ids else max(size for size in marks.ids if size <= length)
        name, written, new = marks.ids[done], done, []
        for index in range(done, length):
            item = store[index]
            item = item if type(item) in _PLAIN else self.encode(item)
            name = blake2b(name + _write(item).encode("utf-8", "surrogatepass"), digest_size=16).digest()
            new.append(item)
            if index + 1 >= LONG_LIST and name.hex() in self._known:
                written, new = index + 1, []
                marks.ids[index + 1] = name
        after = marks.ids[written] if written else b""
        marks.ids[length] = name
        if new:
            self._known.add(name.hex())
            record: dict[str, Any] = {"record": "list", "id": name.hex(), "after": after.hex(), "items": new}
            if not after:
                del record["after"]
            self._emit(record)
        return name.hex()

    def _marks_of(self, store: list[Value]) -> _Marks:
        marks = self._marks.get(id(store))
        if marks is None:
            marks = self._marks[id(store)] = _Marks(store)
            if len(self._marks) > STORES:
                self._marks.popitem(last=False)
        else:
            self._marks.move_to_end(id(store))
        return marks


class Decoder:
    """Turns JSON of a journal back into values; it has to be given every `text` and `list` record before."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._lists: dict[str, ListValue] = {}

    def take(self, record: Mapping[str, Any]) -> None:
        """A `text` or `list` record."""
        if record["record"] == "text":
            self._texts[record["id"]] = record["text"]
            return
        before = self._found(self._lists, record["after"]) if "after" in record else ListValue()
        self._lists[record["id"]] = before.joined([self.decode(item) for item in record["items"]])

    def decode(self, value: Any) -> Value:
        """The value that stands there. Raises `DamagedJournal` for a reference to what is not there."""
        if isinstance(value, dict):
            if len(value) == 1:
                ((key, inner),) = value.items()
                if key == "$text":
                    return self._found(self._texts, inner)
                if key == "$list":
                    return self._found(self._lists, inner)
                if key == "$":
                    value = inner
            return {key: self.decode(item) for key, item in value.items()}
        if isinstance(value, list):
            return ListValue([self.decode(item) for item in value])
        plain: Value = value
        return plain

    def _found(self, table: Mapping[str, T], name: str) -> T:
        try:
            return table[name]
        except KeyError:
            raise DamagedJournal(None, f"a value refers to {name}, which is nowhere") from None
