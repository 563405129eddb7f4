"""Gates on the words of a text: `word-count`, `contains`, `json`."""

from __future__ import annotations

import json

from prose_runtime.services.gates.options import Options
from prose_runtime.services.gates.verdict import PASSED, Check, Verdict


def word_count(options: Options) -> Check:
    """`min=`, `max=`: how many words, separated by white space. At least one of them is given."""
    least, most = options.count("min"), options.count("max")
    if least is None and most is None:
        raise options.fault("it needs `min` or `max`", "write `gate:word-count?min=100&max=500`")
    if least is not None and most is not None and least > most:
        raise options.fault(f"`min` {least} is above `max` {most}", "exchange them")

    async def check(text: str) -> Verdict:
        count = len(text.split())
        words = f"{count} word" if count == 1 else f"{count} words"
        if least is not None and count < least:
            return Verdict((f"it has {words}, fewer than {least}",), (f"add at least {least - count}",), count / least)
        if most is not None and count > most:
            return Verdict((f"it has {words}, more than {most}",), (f"cut at least {count - most}",), most / count)
        return PASSED

    return check


def contains(options: Options) -> Check:
    """`text=` (any number of times): must be there; `without=`: must not; `case=yes`: upper and lower case differ."""
    wanted, unwanted = options.texts("text"), options.texts("without")
    exact = options.flag("case")
    if not any((*wanted, *unwanted)):
        raise options.fault("it needs `text` or `without`", "write `gate:contains?text=…`")

    async def check(text: str) -> Verdict:
        place = text if exact else text.casefold()
        absent = [item for item in wanted if (item if exact else item.casefold()) not in place]
        present = [item for item in unwanted if (item if exact else item.casefold()) in place]
        if not absent and not present:
            return PASSED
        issues = [f"it does not contain {_quoted(item)}" for item in absent]
        issues += [f"it contains {_quoted(item)}" for item in present]
        advice = [f"put in {_quoted(item)}" for item in absent] + [f"take out {_quoted(item)}" for item in present]
        right = len(wanted) + len(unwanted) - len(issues)
        return Verdict(tuple(issues), tuple(advice), right / (len(wanted) + len(unwanted)))

    return check


def json_text(options: Options) -> Check:
    """The whole text is one JSON document."""

    async def check(text: str) -> Verdict:
        _, verdict = read_json(text)
        return verdict

    return check


def read_json(text: str) -> tuple[object, Verdict]:
    """The value of a JSON text, and what is wrong with it."""
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_object), PASSED
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        advice = "give the JSON alone, without a code fence" if text.lstrip().startswith("```") else f"mend {place}"
        return None, Verdict((f"it is not JSON: {error.msg} ({place})",), (advice,))
    except RecursionError:
        return None, Verdict(("it is nested too deeply to be read",), ("make it flatter",))
    except ValueError as error:
        return None, Verdict((f"it is not JSON: {error}",), ("use plain JSON",))


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON value")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {_quoted(twice)} stands twice in one object")
    return found


def _quoted(text: str) -> str:
    return json.dumps(text if len(text) <= 80 else text[:79] + "…", ensure_ascii=False)
