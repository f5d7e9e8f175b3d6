"""Write docs/performance.md from the saved results: ``python -m benchmarks.page``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import ablation
from benchmarks.report import RESULTS, figure, machine_line, markdown_table

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

HEAD = """# How fast and how accurate

Every figure on this page is written by `python -m benchmarks.page` from the records in
`benchmarks/results`, which the program named in each section saves. Times are medians of
interleaved repeats inside one run; compare ratios, not milliseconds, across machines.
"""


def load(name: str) -> dict[str, Any]:
    results: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return results


def size(shape: dict[str, int]) -> str:
    return " × ".join(str(length) for length in shape.values())


def defaults_section() -> str:
    rows = [
        [r["data"], r["measure"], figure(r["score"]), figure(r["target"]), figure(r["seconds"], 1)]
        for r in load("defaults")["records"]
    ]
    return (
        "## Defaults, nothing tuned\n\n`python -m benchmarks.defaults`: first random split of "
        "each set, accuracy in percent, errors in [0, 100] units.\n\n"
        + markdown_table(["data", "measure", "score", "goal", "seconds"], rows)
    )


def ablation_section() -> str:
    records = list(ablation.open_store().read().values())
    scores = ablation.scores_by_data(records)
    rows = [
        [variant, *ablation.cells(row)]
        for variant, row in ablation.summarize(scores.values()).items()
    ]
    return (
        "## What each ingredient is worth\n\n`python -m benchmarks.ablation`: the defaults with "
        "one ingredient taken away or added, judged by held-out training rows, never by test "
        f"rows; up to {records[0]['most_rows']:,} rows of {', '.join(scores)}. Errors are percent "
        "wrong or RMSE, their change the geometric mean over data sets with its standard error: "
        "what is smaller than twice that may be chance.\n\n"
        + markdown_table(["variant", "mean rank", "error, %", "worse on", "better on"], rows)
    )


def speed_section() -> str:
    results = load("speed")
    steps = [
        [
            size(r["shape"]),
            str(r["threads"]),
            *(figure(r[key]) for key in ("floor_ms", "reference_ms", "ours_ms")),
            figure(r["ours_over_floor"]),
            figure(r["reference_over_ours"]),
        ]
        for r in results["training"]
    ]
    predictions = [
        [
            size(r["shape"]),
            str(r["threads"]),
            *(figure(value) for value in r["over_floor"].values()),
        ]
        for r in results["prediction"]
    ]
    return (
        "## A training step\n\n`python -m benchmarks.speed`: milliseconds. The floor is the "
        "unavoidable kernels alone (products, cosine, sine, fused Adam); the reference behaves "
        "like the script released with the paper.\n\n"
        + markdown_table(
            ["d × D × K × batch", "threads", "floor", "reference", "ours", "ours / floor",
             "reference / ours"],
            steps,
        )
        + "\n\n## Prediction\n\nTime over that of the products and the cosine alone.\n\n"
        + markdown_table(["d × D × K", "threads", "`compute_outputs`", "`predict`"], predictions)
    )  # fmt: skip


def time_section() -> str:
    rows = []
    for r in load("time_to_accuracy")["records"]:
        mark = "> " if r["ratio"] and r["ratio_is_least"] else ""
        peers = {peer["name"]: peer for peer in r["peers"]}
        rows.append(
            [
                r["data"],
                figure(r["paper"]),
                figure(r["seconds"]["ours"]),
                figure(r["seconds"]["reference"]),
                mark + figure(r["ratio"], 1),
                figure(r["ours"][-1]["score"]),
                figure(r["reference"][-1]["score"]),
                *(
                    f"{figure(peer.get('score'))} ({figure(peer.get('seconds'), 1)} s)"
                    for peer in peers.values()
                ),
            ]
        )
    columns = ["data", "paper", "ours, s", "reference, s", "ratio", "ours, end", "reference, end"]
    return (
        "## Time to the paper's accuracy\n\n`python -m benchmarks.time_to_accuracy`: seconds of "
        "training on one thread until the test score first reaches the paper's; a dash where it "
        "never does. Both sides have settings chosen for speed by looking at test rows (see the "
        "program), so this is about time, not about accuracy one could expect.\n\n"
        + markdown_table([*columns, "LightGBM", "RBF-SVM", "RBFSampler + ridge"], rows)
        + "\n\n![Score against seconds of training](../benchmarks/results/time_to_accuracy.png)"
    )


def scaling_section() -> str:
    results = load("scaling")
    slopes = [[s["task"], s["varied"], figure(s["slope"])] for s in results["sweeps"]]
    peaks = [
        [p["use"], f"{p['rows']:,}", figure(p["data_mb"], 0), figure(p["over_data_mb"], 0)]
        for p in results["peaks"]
    ]
    return (
        "## Scaling\n\n`python -m benchmarks.scaling`: fit time grows like size to the power of "
        "the slope; one epoch, one thread.\n\n"
        + markdown_table(["task", "size", "slope"], slopes)
        + "\n\nPeak memory in MB:\n\n"
        + markdown_table(["use", "rows", "data", "beside the data"], peaks)
        + "\n\n![Fit time against size](../benchmarks/results/scaling.png)"
    )


def intervals_section() -> str:
    rows = [
        [record["data"], model, *(figure(value) for value in row.values())]
        for record in load("intervals")["records"]
        for model, row in record["models"].items()
    ]
    return (
        "## Predictive intervals\n\n`python -m benchmarks.intervals`: what a 90 % interval "
        "covers on test rows, and the mean negative log predictive density; the Gaussian process "
        "has 2,000 rows.\n\n"
        + markdown_table(["data", "model", "covered %", "-log density", "RMSE"], rows)
    )


def write_page() -> str:
    """Write the whole page from the saved results."""
    sections = [
        HEAD,
        machine_line(load("speed")),
        defaults_section(),
        ablation_section(),
        time_section(),
        speed_section(),
        scaling_section(),
        intervals_section(),
    ]
    return "\n\n".join(section.strip() for section in sections) + "\n"


def main() -> None:
    PAGE.write_text(write_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
