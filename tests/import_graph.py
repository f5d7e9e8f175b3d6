"""The import graph of the package, imports inside functions included.

``python -m tests.import_graph docs/figures/import_graph.svg`` draws its rooms: the number of
modules of each, and which rooms it imports.
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
    """Return a file's dotted name; that of an ``__init__.py`` is the name of its folder."""
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
    """Return the modules that each module imports."""
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


def places(rooms: Graph) -> dict[str, tuple[float, int]]:
    """Place each room just below the lowest of those that import it: (left to right, level)."""

    def level(room: str) -> int:
        return min((level(other) for other in rooms if room in rooms[other]), default=0) - 1

    lines: dict[int, list[str]] = {}
    for room in rooms:
        lines.setdefault(level(room), []).append(room)
    return {
        room: ((at + 1) / (len(line) + 1), y)
        for y, line in lines.items()
        for at, room in enumerate(line)
    }


def describe(room: str) -> str:
    """Return the label of a room: its name and its size."""
    return f"{room}: {len(list((SOURCE / room).rglob('*.py')))} modules"


def draw(path: Path) -> None:
    """Draw the rooms, foundations below; the text of an SVG stays text."""
    import matplotlib
    from matplotlib.figure import Figure

    rooms = direct(room_graph(import_graph()))
    where = places(rooms)
    lowest = min(y for _, y in where.values())
    figure = Figure(figsize=(7.0, -0.9 * lowest), layout="constrained")
    axes = figure.subplots()
    box = {"boxstyle": "round,pad=0.6", "facecolor": "#eef3f8", "edgecolor": "#4a6a8a"}
    boxes = {
        room: axes.text(x, y, describe(room), ha="center", va="center", fontsize=9, bbox=box)
        for room, (x, y) in where.items()
    }
    for room, (x, y) in where.items():
        for below in rooms[room]:
            # An arrow past another level bends outwards, around its rooms.
            span = y - where[below][1]
            bend = (0.0 if span == 1 else 0.18 * span) * (1 if x < 0.5 else -1)
            arrow = {
                **{"arrowstyle": "->", "color": "#6a7a8a", "shrinkA": 0, "shrinkB": 2},
                **{"patchA": boxes[room].get_bbox_patch(), "patchB": boxes[below].get_bbox_patch()},
                "connectionstyle": f"arc3,rad={bend}",
            }
            axes.annotate("", xy=where[below], xytext=(x, y), arrowprops=arrow)
    axes.set(xlim=(0, 1), ylim=(lowest - 0.4, -0.6))
    axes.axis("off")
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "askl"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
