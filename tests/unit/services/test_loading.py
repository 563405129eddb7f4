"""Documents from files: where they are looked for, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from prose_runtime.resolve import NotFound
from prose_runtime.services.loading import DiskLoader, find_project
from prose_runtime.syntax.document import Document

TEXT = "---\nname: {name}\nkind: function\n---\n\n### Returns\n\n- `out`: a text\n"


def write(path: Path, name: str | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT.format(name=name or path.name.removesuffix(".prose.md")), encoding="utf-8")
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write(root / "main.prose.md")
    (root / "prose.toml").write_text("", encoding="utf-8")
    return root


def opened(loader: DiskLoader, path: Path) -> Document:
    document = loader.open(path)
    assert isinstance(document, Document), document
    return document


def name_of(found: Document | NotFound) -> str:
    assert isinstance(found, Document), found
    return found.main.name


@pytest.mark.parametrize(
    ("file", "reference"),
    [
        ("helper.prose.md", "helper"),
        ("helper.prose.md", "./helper"),
        ("helper.prose.md", "helper.prose.md"),
        ("helper.prose.md", "./helper.prose"),
        ("parts/helper.prose.md", "parts/helper"),
        ("parts/index.prose.md", "./parts"),
        ("src/helper.prose.md", "helper"),
        ("deps/example.org/own/repo/x/helper.prose.md", "example.org/own/repo/x/helper"),
        ("deps/example.org/own/repo/x/helper.prose.md", "deps/example.org/own/repo/x/helper"),
        ("deps/example.org/own/repo@1.2/x/helper.prose.md", "example.org/own/repo@1.2/x/helper"),
        ("deps/example.org/own/repo/x/helper.prose.md", "example.org/own/repo@1.2/x/helper"),
        ("deps/example.org/own/repo/index.prose.md", "example.org/own/repo"),
    ],
)
def test_forms_of_references(project: Path, file: str, reference: str) -> None:
    write(project / file, "found")
    loader = DiskLoader()
    main = opened(loader, project / "main.prose.md")
    assert name_of(loader.load(reference, main)) == "found"


def test_a_reference_from_a_folder_below_finds_the_project(project: Path) -> None:
    write(project / "a" / "b" / "deep.prose.md")
    write(project / "shared.prose.md")
    loader = DiskLoader()
    deep = opened(loader, project / "a" / "b" / "deep.prose.md")
    assert name_of(loader.load("shared", deep)) == "shared"
    assert name_of(loader.load("../../shared", deep)) == "shared"


def test_a_file_is_found_by_the_name_in_its_frontmatter(project: Path) -> None:
    write(project / "02-file.prose.md", "by-name")
    loader = DiskLoader()
    assert name_of(loader.load("by-name", opened(loader, project / "main.prose.md"))) == "by-name"


def test_the_standard_library(project: Path) -> None:
    loader = DiskLoader(cwd=project)
    main = opened(loader, project / "main.prose.md")
    for reference in ("std/patterns/refine", "refine"):
        found = loader.load(reference, main)
        assert name_of(found) == "refine"
    assert isinstance(found, Document)
    assert found.source.name == "std/patterns/refine.prose.md"
    assert name_of(loader.open("std/patterns/refine")) == "refine"


def test_what_is_beside_wins_over_the_standard_library(project: Path) -> None:
    write(project / "refine.prose.md", "mine")
    loader = DiskLoader()
    assert name_of(loader.load("refine", opened(loader, project / "main.prose.md"))) == "mine"


def test_a_file_is_read_once(project: Path) -> None:
    write(project / "helper.prose.md")
    loader = DiskLoader()
    main = opened(loader, project / "main.prose.md")
    assert loader.load("helper", main) is loader.load("./helper.prose.md", main)
    assert loader.path(main) == (project / "main.prose.md").resolve()


def test_where_it_looked(project: Path) -> None:
    loader = DiskLoader(cwd=project)
    found = loader.load("nowhere", opened(loader, project / "main.prose.md"))
    assert isinstance(found, NotFound)
    assert found.reason == "absent"
    assert found.looked_in[:2] == ("nowhere.prose.md", "nowhere/index.prose.md")
    assert "std/patterns/nowhere.prose.md" in found.looked_in


def test_nothing_is_fetched(project: Path) -> None:
    loader = DiskLoader(cwd=project)
    found = loader.load("example.org/own/repo/x", opened(loader, project / "main.prose.md"))
    assert isinstance(found, NotFound)
    assert found.reason == "not-installed"


@pytest.mark.parametrize("reference", ["../outside", "link", "{outside}"])
def test_a_file_outside_of_the_project(project: Path, reference: str) -> None:
    outside = write(project.parent / "outside.prose.md")
    (project / "link.prose.md").symlink_to(outside)
    loader = DiskLoader()
    main = opened(loader, project / "main.prose.md")
    found = loader.load(reference.format(outside=str(outside)), main)
    assert isinstance(found, NotFound)
    assert found.reason == "outside"


def test_a_file_outside_that_the_command_line_names(project: Path) -> None:
    outside = write(project.parent / "outside.prose.md")
    loader = DiskLoader(named=[outside])
    assert name_of(loader.load("../outside", opened(loader, project / "main.prose.md"))) == "outside"


def test_other_files_are_not_read(project: Path) -> None:
    (project / "secret.txt").write_text("key", encoding="utf-8")
    os.mkfifo(project / "pipe.prose.md")
    (project / "latin.prose.md").write_bytes(b"---\nname: caf\xe9\n---\n")
    write(project / "large.prose.md").write_text("x" * 5000, encoding="utf-8")
    loader = DiskLoader(limit=4000)
    main = opened(loader, project / "main.prose.md")
    reasons = {}
    for reference in ("./secret.txt", "./pipe", "./latin", "./large", ""):
        found = loader.load(reference, main)
        assert isinstance(found, NotFound)
        reasons[reference] = found.reason
    assert reasons == {
        "./secret.txt": "not-prose",
        "./pipe": "not-a-file",
        "./latin": "not-text",
        "./large": "too-large",
        "": "absent",
    }


def test_the_project_of_a_file(project: Path, tmp_path: Path) -> None:
    deep = write(project / "a" / "deep.prose.md")
    assert find_project(deep) == project
    assert find_project(write(tmp_path / "alone.prose.md")) == tmp_path
