"""The rules of the house, read off the source: who may import whom, and who may print."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.import_graph import (
    ORDER,
    ROOT,
    SOURCE,
    cycles,
    import_graph,
    room_graph,
    run_time_nodes,
)

MAY_IMPORT = {
    package: {below for lower in ORDER[:place] for below in lower}
    for place, level in enumerate(ORDER)
    for package in level
}
PUBLIC = [
    *("askl", "askl.auto", "askl.spectral", "askl.learning", "askl.persistence", "askl.theory"),
    "askl.insight",
]


class Import(NamedTuple):
    """One imported name: its module, the name itself if any, and where it stands."""

    module: str
    name: str | None
    place: str


def files_of(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def nodes_of(path: Path) -> Iterator[tuple[ast.AST, str]]:
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        yield node, f"{shown}:{getattr(node, 'lineno', 0)}"


def imports_of(path: Path) -> Iterator[Import]:
    for node, place in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, None, place) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{place}: imports are absolute"
            yield from (Import(str(node.module), alias.name, place) for alias in node.names)


def top(module: str) -> str:
    return module.split(".")[0]


def inner(module: str) -> str:
    """The package of askl a module is in; empty for the top."""
    return [*module.split("."), ""][1]


def packages() -> list[str]:
    return sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


def test_every_package_has_its_place():
    assert set(packages()) <= MAY_IMPORT.keys()
    assert {"spectral", "learning", "estimators"} <= set(packages())


@pytest.mark.parametrize("package", packages())
def test_imports_go_one_way(package):
    # The top imports the estimators: only packages above them may import it.
    top_package = {""} if "estimators" in MAY_IMPORT[package] else set()
    allowed = {package, "_typing", "errors", *MAY_IMPORT[package], *top_package}
    wrong = [
        f"{found.place} imports {found.module}"
        for path in files_of(SOURCE / package)
        for found in imports_of(path)
        if top(found.module) == "askl" and inner(found.module) not in allowed
    ]
    assert wrong == []


# Packages that handle arrays and tables of users, below and above the estimators.
ON_ARRAYS = {
    *("preprocessing", "persistence", "streaming", "estimators", "discovery", "auto"),
    *("evaluation", "theory", "interop", "insight", "cli"),
}


@pytest.mark.parametrize(
    ("library", "allowed"),
    [
        (
            "torch",
            {"spectral", "learning", "persistence", "streaming", "estimators", "theory", "interop"},
        ),
        ("numpy", ON_ARRAYS),
        ("sklearn", ON_ARRAYS),
        ("matplotlib", {"insight"}),
        ("rich", {"estimators", "auto", "cli"}),
        ("typer", {"cli"}),
        ("safetensors", {"persistence"}),
        ("pyarrow", {"streaming", "cli"}),
    ],
)
def test_a_library_stays_in_its_rooms(library, allowed):
    wrong = [
        found.place
        for package in set(packages()) - allowed
        for path in files_of(SOURCE / package)
        for found in imports_of(path)
        if top(found.module) == library
    ]
    assert sorted(wrong) == []


def test_importing_the_package_loads_no_plots_and_no_command_line():
    heavy = "{'matplotlib', 'typer', 'askl.insight'} & set(sys.modules)"
    code = f"import sys; import askl; print({heavy})"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"


def test_nothing_in_the_package_imports_the_reproduction_or_the_benchmarks():
    outside = {"reproduction", "benchmarks", "studies", "tests"}
    wrong = [
        found.place
        for path in files_of(SOURCE)
        for found in imports_of(path)
        if top(found.module) in outside
    ]
    assert wrong == []


def test_reproduction_and_benchmarks_use_public_names_only():
    wrong = []
    for path in files_of(ROOT / "reproduction", ROOT / "benchmarks", ROOT / "studies"):
        for module, name, place in imports_of(path):
            if top(module) != "askl":
                continue
            if module not in PUBLIC:
                wrong.append(f"{place} imports {module}")
            elif name and name not in {*importlib.import_module(module).__all__, *packages()}:
                wrong.append(f"{place} imports {module}.{name}")
    assert wrong == []


@pytest.mark.parametrize("package", ["askl", *(f"askl.{name}" for name in packages())])
def test_all_is_complete_sorted_and_importable(package):
    module = importlib.import_module(package)
    path = SOURCE.joinpath(*package.split(".")[1:], "__init__.py")
    listed = getattr(module, "__all__", [])
    for name in listed:
        assert hasattr(module, name), name
    imported = {str(found.name) for found in imports_of(path) if found.module.startswith("askl")}
    assert {name for name in imported if not name.startswith("_")} <= set(listed)
    constants = [name for name in listed if name.isupper()]
    classes = [name for name in listed if not name.isupper() and name[0].isupper()]
    others = [name for name in listed if name not in {*constants, *classes}]
    assert listed == [*sorted(constants), *sorted(classes), *sorted(others)]


def test_only_the_command_line_prints():
    wrong = [
        place
        for path in files_of(SOURCE)
        if path.relative_to(SOURCE).parts[0] != "cli"
        for node, place in nodes_of(path)
        if isinstance(node, ast.Call)
        if (isinstance(node.func, ast.Name) and node.func.id in {"print", "input", "breakpoint"})
        or (isinstance(node.func, ast.Attribute) and ast.unparse(node.func).startswith("sys.std"))
    ]
    assert wrong == []


def test_user_input_is_never_asserted():
    wrong = [
        place
        for path in files_of(SOURCE)
        for node, place in nodes_of(path)
        if isinstance(node, ast.Assert)
    ]
    assert wrong == []


# Methods of named tuples have underscores so that they do not clash with fields.
OF_TUPLES = {"_asdict", "_fields", "_make", "_replace"}
# A step of Adam in one pass has no public name yet.
OF_OTHER_LIBRARIES = {"torch._fused_adam_"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def names_of(path: Path) -> set[str]:
    """The private names that a module defines: functions, classes, methods and attributes."""
    found = set()
    for node, _ in nodes_of(path):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return {name for name in found if is_private(name)}


def foreign_names(path: Path) -> Iterator[str]:
    """Private names that a module uses and does not define."""
    own = names_of(path)
    for node, place in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and top(str(node.module)) == "askl":
            yield from (f"{place} imports {n.name}" for n in node.names if is_private(n.name))
        if not isinstance(node, ast.Attribute) or not is_private(node.attr):
            continue
        of_itself = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
        of_its_class = ast.unparse(node.value) == "super()"
        known = node.attr in own | OF_TUPLES or ast.unparse(node) in OF_OTHER_LIBRARIES
        if not (of_itself or of_its_class or known):
            yield f"{place} reads {ast.unparse(node)}"


@pytest.mark.parametrize("package", packages())
def test_nobody_reaches_into_another_module(package):
    wrong = [found for path in files_of(SOURCE / package) for found in foreign_names(path)]
    assert wrong == []


def test_the_search_for_private_names_finds_them(tmp_path):
    lines = [
        "from askl.learning.model import _forward, Model",
        "from sklearn.utils import _safe_indexing",
        "class Other:",
        "    def _own(self): return self._anything + super()._anything",
        "def use(other): return other._own(), other._replace(a=1), other._foreign",
    ]
    path = tmp_path / "module.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert list(foreign_names(path)) == [
        "module.py:1 imports _forward",
        "module.py:5 reads other._foreign",
    ]


@pytest.mark.parametrize("package", ["evaluation", "insight", "interop", "theory"])
def test_a_package_is_there_after_import_askl(package):
    code = f"import askl; print(askl.{package}.__name__, '{package}' in dir(askl))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == [f"askl.{package}", "True"]


def test_the_kernel_for_gpytorch_is_imported_by_its_name_only():
    code = "import sys, askl; askl.interop.export_onnx; print('gpytorch' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


def test_no_modules_import_each_other_in_a_circle():
    graph = import_graph()
    assert cycles(graph) == []
    assert cycles(room_graph(graph)) == []
    assert len(graph) > 100
    assert graph["askl.learning.training"] >= {"askl.learning.loop", "askl.learning.sources"}


def test_imports_in_functions_count_and_those_for_type_checkers_do_not():
    code = "import a\nif TYPE_CHECKING:\n    import b\ndef function():\n    import c"
    nodes = run_time_nodes(ast.parse(code))
    found = [node.names[0].name for node in nodes if isinstance(node, ast.Import)]
    assert found == ["a", "c"]


def test_circles_are_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "d"}}
    assert cycles(graph) == [["b", "c"]]


MOST_MODULES = 16
MOST_LINES = 300
LEAST_DOCUMENTATION = 0.9


@pytest.mark.parametrize("folder", sorted({path.parent for path in files_of(SOURCE)}), ids=str)
def test_no_package_has_too_many_modules(folder):
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MOST_MODULES


def documentation_lines(path: Path) -> int:
    """Count the lines of docstrings, comments and signatures, and empty lines."""
    text = path.read_text(encoding="utf-8")
    documented = {
        number
        for number, line in enumerate(text.splitlines(), start=1)
        if not line.strip() or line.lstrip().startswith("#")
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = node.body[0]
            if ast.get_docstring(node) is not None:
                documented |= set(range(first.lineno, int(first.end_lineno or 0) + 1))
            if isinstance(node, ast.FunctionDef):
                documented |= set(range(node.lineno, first.lineno))
    return len(documented)


def test_modules_are_short_or_all_documentation():
    wrong = []
    for path in files_of(SOURCE):
        n_lines = len(path.read_text(encoding="utf-8").splitlines())
        share = documentation_lines(path) / max(n_lines, 1)
        if n_lines > MOST_LINES and share < LEAST_DOCUMENTATION:
            wrong.append(f"{path.relative_to(ROOT)}: {n_lines} lines, {share:.0%} documentation")
    assert wrong == []
