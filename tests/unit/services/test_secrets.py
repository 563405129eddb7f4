"""Secrets are masked in every form in which they can be recognised, before an answer enters a run."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prose_runtime.runtime.port import ServiceError
from prose_runtime.services import BindingFault, Masker, ScriptedService, load_project, mask_service, project_masker

Ask = Callable[..., Any]
SECRET = 'sk-"ü/+ 42'
MASKED = "[secret KEY]"


def test_a_secret_is_masked_whole_and_in_texts_and_keys() -> None:
    masker = Masker({"KEY": SECRET})
    assert masker.mask(SECRET) == MASKED
    assert masker.mask({"a": [f"x {SECRET} y", 1, None], SECRET: True}) == {
        "a": [f"x {MASKED} y", 1, None],
        MASKED: True,
    }


@pytest.mark.parametrize(
    "form",
    [
        json.dumps({"k": SECRET}),
        json.dumps({"k": SECRET}, ensure_ascii=False),
        json.dumps(json.dumps({"k": SECRET})),
        f"https://x/?k={quote(SECRET)}&z",
        f"https://x/?k={quote(SECRET, safe='')}&z",
        f"https://x/?k={quote_plus(SECRET).lower()}&z".replace("sk-", "sk-"),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        base64.b64encode(f"user:{SECRET}".encode()).decode(),
        base64.b64encode(f"us:{SECRET}, and more".encode()).decode(),
        base64.b64encode(f"u:{SECRET}".encode()).decode(),
    ],
)
def test_other_forms(form: str) -> None:
    masked = Masker({"KEY": SECRET}).text(form)
    assert MASKED in masked


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=8, max_size=40),
    st.binary(max_size=7),
    st.binary(max_size=7),
)
def test_any_secret_in_any_base64(secret: str, before: bytes, after: bytes) -> None:
    masked = Masker({"KEY": secret}).text(base64.b64encode(before + secret.encode() + after).decode())
    assert MASKED in masked


def test_values_without_a_secret_are_given_back_themselves() -> None:
    masker = Masker({"KEY": SECRET})
    value = {"a": ["x", {"b": 1.5}], "c": None}
    assert masker.mask(value) is value
    assert Masker({}).mask(value) is value
    assert not Masker({})
    assert not Masker({"EMPTY": ""})


def test_numbers_that_are_a_secret() -> None:
    masker = Masker({"PIN": "12345678"})
    assert masker.mask([12345678, 123456789, 1.0]) == ["[secret PIN]", 123456789, 1.0]


def test_the_longest_secret_is_masked_first() -> None:
    assert Masker({"A": "abcdefgh", "B": "abcdefghij"}).text("abcdefghij abcdefgh") == "[secret B] [secret A]"


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(BindingFault) as caught:
        Masker({"KEY": "1234567"})
    assert caught.value.code == "short-secret"
    assert "1234567" not in caught.value.message + caught.value.help


def test_answers_and_errors_of_a_service_are_masked(ask: Ask) -> None:
    class Odd:
        name, target, signature = "odd", "x", None

        async def call(self, call: object) -> Any:
            raise RuntimeError(f"at {SECRET}")

        async def close(self) -> None: ...

    masker = Masker({"KEY": SECRET})
    made = mask_service(
        ScriptedService(
            [{"text": SECRET}, ServiceError(f"no {SECRET}", name="denied", detail={"k": SECRET}, transient=False)]
        ),
        masker,
    )
    assert ask(made) == {"text": MASKED}
    with pytest.raises(ServiceError) as caught:
        ask(made)
    assert (caught.value.message, caught.value.name, caught.value.detail, caught.value.transient) == (
        f"no {MASKED}", "denied", {"k": MASKED}, False,
    )  # fmt: skip
    with pytest.raises(ServiceError, match=r"RuntimeError: at \[secret KEY\]"):
        ask(mask_service(Odd(), masker))


def test_without_secrets_a_service_stays_itself() -> None:
    made = ScriptedService([])
    assert mask_service(made, Masker({})) is made


def test_the_secrets_of_a_project_come_from_the_environment_or_dotenv(tmp_path: Path) -> None:
    (tmp_path / "prose.toml").write_text("[secrets]\nnames = ['FROM_ENV_FILE', 'FROM_OUTSIDE', 'UNSET']\n")
    (tmp_path / ".env").write_text("FROM_ENV_FILE=file-secret\nFROM_OUTSIDE=overridden\nUNDECLARED=undeclared-secret\n")
    project = load_project(tmp_path)
    masker = project_masker(project, None)
    assert masker.text("file-secret undeclared-secret") == "[secret FROM_ENV_FILE] undeclared-secret"
    assert not project_masker(None)
