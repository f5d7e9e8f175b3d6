"""The import graph of the package, imports inside functions included.

``python -m tests.import_graph docs/figures/import_graph.svg`` draws its rooms: how many modules and
lines each has, and which rooms it imports.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "askl"

# A package may import those on the lines before it, and none on its own line.
ORDER = (
    ("spectral",),
    ("learning",),
    ("preprocessing",),
    ("persistence",),
    ("streaming",),
    ("estimators",),
    ("discovery",),
    ("auto",),
    ("evaluation", "theory", "interop"),
    ("insight",),
    ("cli",),
)

Graph = Mapping[str, set[str]]


def module_name(path: Path) -> str:
    """Return a file's dotted name: of a folder's ``__init__`` that of the folder."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if not is_for_type_checkers(node):
            yield node
            yield from run_time_nodes(node)


def imports_of(path: Path, modules: set[str]) -> set[str]:
    """Return the modules of the package that a file imports, wherever the import stands."""
    found: set[str] = set()
    for node in run_time_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found.add(name if name in modules else str(node.module))
    return found & modules - {module_name(path)}


def import_graph() -> dict[str, set[str]]:
    """Return what each module imports."""
    paths = sorted(SOURCE.rglob("*.py"))
    modules = {module_name(path) for path in paths}
    return {module_name(path): imports_of(path, modules) for path in paths}


def cycles(graph: Graph) -> list[list[str]]:
    """Return groups of nodes that all reach each other: Tarjan's strongly connected components."""
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = lowest[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], index[other])
        if lowest[node] == index[node]:
            at = stack.index(node)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def room_of(module: str) -> str:
    """Return the package a module is in; empty at the top."""
    return [*module.split("."), ""][1]


def room_graph(graph: Graph) -> dict[str, set[str]]:
    """Return which rooms each room imports."""
    rooms: dict[str, set[str]] = {room: set() for line in ORDER for room in line}
    for module, imported in graph.items():
        for other in imported:
            here, there = room_of(module), room_of(other)
            if here in rooms and there in rooms and here != there:
                rooms[here].add(there)
    return rooms


def direct(rooms: Graph) -> dict[str, set[str]]:
    """Leave out the arrows that follow from others, so that a picture stays readable."""

    def reach(room: str) -> set[str]:
        return set().union(rooms[room], *(reach(below) for below in rooms[room]))

    return {
        room: {below for below in imported if all(below not in reach(x) for x in imported)}
        for room, imported in rooms.items()
    }


def draw(path: Path) -> None:
    """Draw the rooms, foundations below."""
    from matplotlib.figure import Figure

    rooms = direct(room_graph(import_graph()))
    places = {
        room: ((at + 1) / (len(line) + 1), level)
        for level, line in enumerate(ORDER)
        for at, room in enumerate(line)
    }
    figure = Figure(figsize=(7.0, 9.0), layout="constrained")
    axes = figure.subplots()
    box = {"boxstyle": "round,pad=0.5", "facecolor": "#eef3f8", "edgecolor": "#4a6a8a"}
    for room, (x, y) in places.items():
        files = list((SOURCE / room).rglob("*.py"))
        n_lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
        label = f"{room}\n{len(files)} modules, {n_lines:,} lines"
        axes.text(x, y, label, ha="center", va="center", fontsize=9, bbox=box, zorder=3)
        for below in rooms[room]:
            arrow = {"arrowstyle": "->", "color": "#8a9aaa", "shrinkA": 16, "shrinkB": 16}
            axes.annotate("", xy=places[below], xytext=(x, y), arrowprops=arrow)
    axes.set(xlim=(0, 1), ylim=(-0.6, len(ORDER) - 0.4))
    axes.axis("off")
    axes.set_title("Each room imports rooms below it only", fontsize=11)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
