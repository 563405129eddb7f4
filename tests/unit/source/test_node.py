"""Nodes behave as frozen, slotted dataclasses that are compared by identity."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from prose_runtime.source.node import changed, node


@node
class Leaf:
    """A leaf."""

    span: int


@node
class Branch(Leaf):
    left: Leaf
    right: Leaf | None = None


def test_fields_come_in_order_with_their_defaults() -> None:
    leaf = Leaf(1)
    branch = Branch(2, left=leaf)
    assert (branch.span, branch.left, branch.right) == (2, leaf, None)
    assert Branch(2, leaf, leaf).right is leaf
    assert [field.name for field in dataclasses.fields(Branch)] == ["span", "left", "right"]
    assert Branch.__match_args__ == ("span", "left", "right")
    match branch:
        case Branch(2, Leaf(1)):
            pass
        case _:
            pytest.fail("it does not match by position")


def test_missing_and_unknown_fields_are_type_errors() -> None:
    with pytest.raises(TypeError, match="missing"):
        Branch(1)
    with pytest.raises(TypeError, match="unexpected"):
        Leaf(1, other=2)


def test_nothing_can_be_set_or_deleted() -> None:
    leaf = Leaf(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        leaf.span = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        leaf.new = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del leaf.span
    assert not hasattr(leaf, "__dict__")


def test_two_are_never_equal_and_each_is_a_key() -> None:
    first, second = Leaf(1), Leaf(1)
    assert first != second
    assert {first: "a", second: "b"}[first] == "a"


def test_it_can_be_shown_copied_changed_and_pickled() -> None:
    branch = Branch(2, Leaf(1))
    assert repr(branch) == "Branch(span=2, left=Leaf(span=1), right=None)"
    assert dataclasses.replace(branch, span=3).span == 3
    assert (changed(branch, span=4).span, changed(branch, span=4).left) == (4, branch.left)
    with pytest.raises(TypeError, match="unexpected"):
        changed(branch, other=1)
    for twin in (copy.deepcopy(branch), pickle.loads(pickle.dumps(branch))):
        assert (twin.span, twin.left.span, twin.right) == (2, 1, None)


def test_a_default_that_is_made_is_refused() -> None:
    with pytest.raises(TypeError, match="plain value"):

        @node
        class Wrong:
            items: list[int] = dataclasses.field(default_factory=list)


def test_a_field_without_a_default_behind_one_that_has_one_is_refused() -> None:
    with pytest.raises(TypeError, match="stands behind"):

        @node
        class Wrong:
            first: int = 1
            second: int


def test_a_node_keeps_what_else_its_class_holds() -> None:
    @node
    class Longer(Branch):
        extra: str = "x"
        kind = "a plain attribute"

        @property
        def both(self) -> tuple[int, str]:
            return self.span, self.extra

    longer = Longer(2, Leaf(1))
    assert (longer.both, longer.kind, Longer.__match_args__) == (
        (2, "x"),
        "a plain attribute",
        ("span", "left", "right", "extra"),
    )
    assert Longer.__init__.__qualname__.endswith("Longer.__init__")
