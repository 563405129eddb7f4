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
        ("deps/example.org/own/repo@1.2/x/helper.prose.md", "example.org/own/repo/x/helper@1.2"),
        (".agents/prose/deps/example.org/own/repo/helper.prose.md", "example.org/own/repo/helper"),
        (".deps/example.org/own/repo/helper.prose.md", "example.org/own/repo/helper"),
        ("deps/github.com/openprose/prose/packages/co/systems/check/index.prose.md", "co/systems/check"),
        ("deps/github.com/openprose/prose/packages/std/evals/inspector.prose.md", "std/evals/inspector"),
        ("src/parts/helper.prose.md", "parts/helper"),
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


COMMIT = "0123456789abcdef0123456789abcdef01234567"
OTHER = "f" * 40


def clone(project: Path, *, head: str, tags: str = "") -> Path:
    """A clone on disk, as git leaves one."""
    folder = project / "deps" / "example.org" / "own" / "repo"
    write(folder / "helper.prose.md")
    (folder / ".git" / "refs" / "heads").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text(head, encoding="utf-8")
    (folder / ".git" / "packed-refs").write_text(tags, encoding="utf-8")
    (folder / ".git" / "refs" / "heads" / "main").write_text(f"{COMMIT}\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("head", "tags", "lock", "version", "is_there"),
    [
        ("ref: refs/heads/main\n", "", "", COMMIT[:7], True),
        ("ref: refs/heads/main\n", "", "", OTHER[:7], False),
        (f"{COMMIT}\n", f"{COMMIT} refs/tags/1.2\n", "", "1.2", True),
        (f"{COMMIT}\n", f"{OTHER} refs/tags/1.2\n^{COMMIT}\n", "", "1.2", True),
        (f"{COMMIT}\n", f"{OTHER} refs/tags/1.2\n", "", "1.2", False),
        (f"{COMMIT}\n", "", "", "../../HEAD", False),
        ("", "", f"# pins\nexample.org/own/repo {COMMIT}\n", COMMIT[:12], True),
        ("", "", f"example.org/own/repo {OTHER}\n", COMMIT[:12], False),
        (f"{COMMIT}\n", "", f"example.org/own/repo {OTHER}\n", OTHER[:12], False),
        ("", "", "", "1.2", False),
    ],
)
def test_a_version_is_what_is_checked_out(
    project: Path, head: str, tags: str, lock: str, version: str, is_there: bool
) -> None:
    clone(project, head=head, tags=tags)
    (project / "prose.lock").write_text(lock, encoding="utf-8")
    loader = DiskLoader(cwd=project)
    main = opened(loader, project / "main.prose.md")
    found = loader.load(f"example.org/own/repo@{version}/helper", main)
    if is_there:
        assert name_of(found) == "helper"
    else:
        assert isinstance(found, NotFound)


def test_another_version_is_refused_with_a_way_out(project: Path) -> None:
    clone(project, head=f"{COMMIT}\n")
    loader = DiskLoader(cwd=project)
    found = loader.load("example.org/own/repo/helper@1.2", opened(loader, project / "main.prose.md"))
    assert isinstance(found, NotFound)
    assert found.reason == "other-version"
    assert found.because == "what is installed as deps/example.org/own/repo is not known to be that version"
    assert "repo@1.2" in found.way_out


def test_how_to_install_what_is_not_there(project: Path) -> None:
    (project / "prose.lock").write_text(f"example.org/own/repo {COMMIT}\n", encoding="utf-8")
    loader = DiskLoader(cwd=project)
    found = loader.load("example.org/own/repo/x", opened(loader, project / "main.prose.md"))
    assert isinstance(found, NotFound)
    assert "deps/example.org/own/repo" in found.looked_in
    assert ".agents/prose/deps/example.org/own/repo" in found.looked_in
    command = "git clone https://example.org/own/repo deps/example.org/own/repo"
    assert found.way_out == f"run `{command}` and check out {COMMIT} there"
    assert isinstance(loader.open("example.org/own/repo/x"), NotFound)


def test_a_misspelt_file_of_the_library_is_not_one_to_install(project: Path) -> None:
    loader = DiskLoader(cwd=project)
    found = loader.load("std/patterns/refin", opened(loader, project / "main.prose.md"))
    assert isinstance(found, NotFound)
    assert (found.reason, found.way_out) == ("absent", "write `std/patterns/refine`")


@pytest.mark.parametrize("reference", ["std/controls/refine", "std/composites/refine"])
def test_older_folders_of_the_library(project: Path, reference: str) -> None:
    loader = DiskLoader(cwd=project)
    main = opened(loader, project / "main.prose.md")
    assert name_of(loader.load(reference, main)) == "refine"
    assert loader.found(reference, main).instead == "std/patterns/refine"


def test_the_published_name_of_the_library_is_the_library(project: Path) -> None:
    loader = DiskLoader(cwd=project)
    main = opened(loader, project / "main.prose.md")
    assert name_of(loader.load("github.com/openprose/prose/packages/std/patterns/refine", main)) == "refine"


def test_an_installed_clone_sees_itself_and_its_neighbours_only(project: Path) -> None:
    first = project / "deps" / "example.org" / "own" / "first"
    write(first / "main.prose.md")
    write(first / "beside.prose.md")
    write(project / "secret.prose.md")
    write(project / "deps" / "example.org" / "own" / "second" / "x.prose.md")
    loader = DiskLoader(cwd=project)
    loader.open("main.prose.md")
    inner = loader.open("example.org/own/first/main")
    assert isinstance(inner, Document)
    assert name_of(loader.load("beside", inner)) == "beside"
    assert name_of(loader.load("example.org/own/second/x", inner)) == "x"
    for reference in ("secret", "../../../../secret"):
        assert isinstance(loader.load(reference, inner), NotFound)
    (first / "linked.prose.md").symlink_to(project / "secret.prose.md")
    linked = loader.load("linked", inner)
    assert isinstance(linked, NotFound)
    assert linked.reason == "outside"


def test_a_deps_folder_may_itself_be_a_link(project: Path, tmp_path: Path) -> None:
    write(tmp_path / "shared" / "example.org" / "own" / "repo" / "x.prose.md")
    (project / "deps").symlink_to(tmp_path / "shared")
    loader = DiskLoader(cwd=project)
    assert name_of(loader.load("example.org/own/repo/x", opened(loader, project / "main.prose.md"))) == "x"


def test_which_step_found_it(project: Path) -> None:
    write(project / "sub" / "main.prose.md")
    write(project / "sub" / "a.prose.md")
    write(project / "b.prose.md")
    write(project / "src" / "c.prose.md")
    write(project / "sub" / "01.prose.md", "d")
    loader = DiskLoader(cwd=project)
    main = opened(loader, project / "sub" / "main.prose.md")
    steps = []
    for reference in ("./a", "a", "b", "c", "d", "refine", "nowhere"):
        loader.load(reference, main)
        steps.append(loader.found(reference, main).step)
    assert steps == ["path", "beside", "project", "src", "name", "standard", ""]


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


def test_a_test_finds_its_subject_in_a_folder_beside_its_own(tmp_path: Path) -> None:
    write(tmp_path / "services" / "ready.prose.md")
    write(tmp_path / "other" / "twice.prose.md")
    write(tmp_path / "services" / "twice.prose.md")
    test = tmp_path / "evals" / "ready.eval.prose.md"
    test.parent.mkdir()
    test.write_text("---\nname: t\nkind: test\nsubject: ready\n---\n", encoding="utf-8")
    loader = DiskLoader(cwd=tmp_path)
    document = opened(loader, test)
    assert name_of(loader.load("ready", document)) == "ready"
    assert loader.found("ready", document).step == "tested"
    assert isinstance(loader.load("twice", document), NotFound)
    test.write_text("---\nname: t\nkind: test\nsubject: twice\n---\n", encoding="utf-8")
    loader = DiskLoader(cwd=tmp_path)
    missing = loader.load("twice", opened(loader, test))
    assert isinstance(missing, NotFound)
    assert {"services/twice.prose.md", "other/twice.prose.md"} <= set(missing.looked_in)
    assert isinstance(loader.load("ready", opened(loader, write(tmp_path / "evals" / "plain.prose.md"))), NotFound)
