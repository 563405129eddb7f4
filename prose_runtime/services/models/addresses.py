"""Where a model is: `model:openai/NAME`, `model:http://host/v1#NAME`. Nothing is contacted here.

In: the text behind `model:`. Out: a `ModelAddress`, or a `BindingFault`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from prose_runtime.diagnostics.suggestions import listed, nearest
from prose_runtime.services.addresses import read_address
from prose_runtime.services.faults import BindingFault


@dataclass(frozen=True, slots=True)
class Provider:
    """A server that speaks chat completions. `key`: the variable with its key, or "" where it needs none; `base`: the
    variable of the process that may name another address."""

    url: str
    key: str = ""
    base: str = ""


PROVIDERS: dict[str, Provider] = {
    "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "ollama": Provider("http://localhost:11434/v1", "", "OLLAMA_BASE_URL"),
}
"""The providers that are named in targets; any other server is named by its address."""


ELSEWHERE = frozenset(
    ("anthropic", "bedrock", "cerebras", "cohere", "deepseek", "google", "groq", "huggingface", "mistral", "xai")
)
"""The providers that speak otherwise, reached by the extra `llm`."""


def is_elsewhere(rest: str) -> bool:
    """Whether a target is a model that the extra `llm` reaches."""
    return rest.partition("/")[0] in ELSEWHERE


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """`url`: up to `/v1`, without a slash at its end. `options` are sent with every question (`temperature`)."""

    url: str
    model: str
    key: str = ""
    stream: bool = False
    options: Mapping[str, float | int | str] | None = None


def read_model(rest: str, *, name: str, target: str, environment: Mapping[str, str]) -> ModelAddress:
    """The address that a target names. `environment`: the variables of the process, for the base address only.

    Raises `BindingFault` (`malformed-target`).
    """

    def fault(reason: str, suggestion: str) -> BindingFault:
        return BindingFault("malformed-target", name=name, target=target, reason=reason, suggestion=suggestion)

    if rest.startswith(("http://", "https://")):
        parts = urlsplit(rest)
        model, _, query = parts.fragment.partition("?")
        if not model:
            raise fault("it names no model", "write `model:http://HOST/v1#MODEL`")
        url = read_address(rest.partition("#")[0], name=name, target=target)
        return _with_options(ModelAddress(url.rstrip("/"), model), query, fault)
    word, slash, model = rest.partition("/")
    provider = PROVIDERS.get(word)
    if not slash or not model:
        raise fault("it names no model", "write `model:PROVIDER/NAME`, such as `model:ollama/llama3.2`")
    if provider is None:
        near = nearest(word, (*PROVIDERS, *ELSEWHERE))
        every = ", ".join(f"`{known}`" for known in sorted((*PROVIDERS, *ELSEWHERE)))
        known = f"write `model:{near}/{model}`" if near else f"take one of {every}, or an address"
        raise fault(f"there is no provider `{word}`", known)
    model, _, query = model.partition("?")
    url = environment.get(provider.base) or provider.url if provider.base else provider.url
    return _with_options(ModelAddress(url.rstrip("/"), model, provider.key), query, fault)


_OPTIONS = {"temperature": float, "top_p": float, "max_tokens": int, "seed": int, "reasoning_effort": str}


def _with_options(address: ModelAddress, query: str, fault: Callable[[str, str], BindingFault]) -> ModelAddress:
    stream = False
    options: dict[str, float | int | str] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key == "stream" and value in ("true", "false"):
            stream = value == "true"
            continue
        kind = _OPTIONS.get(key)
        try:
            if kind is None:
                raise ValueError
            options[key] = kind(value)
        except ValueError:
            raise fault(
                f"`{key}={value}` is no option of a model",
                f"write one of {listed(sorted([*_OPTIONS, 'stream']))}, such as `?temperature=0`",
            ) from None
    return ModelAddress(address.url, address.model, address.key, stream, options)
