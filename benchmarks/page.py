"""Write docs/performance.md from the saved results: ``python -m benchmarks.page``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import ablation
from benchmarks.report import RESULTS, figure, machine_line, markdown_table
from benchmarks.time_to_accuracy import open_store, read_records

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

HEAD = """# How fast and how accurate

`python -m benchmarks.page` writes this page from the records in `benchmarks/results`. Each section
names the program that made its records. Times are medians of interleaved repeats in one run. When
you compare machines, compare ratios and not milliseconds.
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
        "## Defaults\n\n`python -m benchmarks.defaults`: the default settings on the first random "
        "split of each data set. Accuracy is in percent; errors are in percent of the range of the "
        "targets.\n\n" + markdown_table(["data", "measure", "score", "goal", "seconds"], rows)
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
        "one ingredient removed or added. Errors are those on held-out training rows, never on "
        f"test rows, with up to {records[0]['most_rows']:,} rows of {', '.join(scores)}. An error "
        "is the share of wrong labels, or the RMSE. The table has the geometric mean of its "
        "relative change over the data sets, with the standard error: a change of less than two "
        "standard errors may be due to chance.\n\n"
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
        "time of the necessary operations alone (products, cosine, sine, fused Adam). The "
        "reference behaves like the script that was released with the paper.\n\n"
        + markdown_table(
            ["d × D × K × batch", "threads", "floor", "reference", "ours", "ours / floor",
             "reference / ours"],
            steps,
        )
        + "\n\n## Prediction\n\nThe time divided by that of the products and the cosine alone.\n\n"
        + markdown_table(["d × D × K", "threads", "`compute_outputs`", "`predict`"], predictions)
    )  # fmt: skip


def time_section() -> str:
    rows = []
    for r in read_records(open_store()):
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
        "training on one thread until the test score first reaches that of the paper; a dash if it "
        "never does. The settings of both sides were chosen for speed, on test rows (see the "
        "program), so the table compares times and does not show the accuracy to expect.\n\n"
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
        "## Scaling\n\n`python -m benchmarks.scaling`: the time of a fit is proportional to "
        "the size to the power of the slope; one epoch, one thread.\n\n"
        + markdown_table(["task", "size", "slope"], slopes)
        + "\n\nPeak memory in MB:\n\n"
        + markdown_table(["use", "rows", "data", "in addition to the data"], peaks)
        + "\n\n![Fit time against size](../benchmarks/results/scaling.png)"
    )


def intervals_section() -> str:
    rows = [
        [record["data"], model, *(figure(value) for value in row.values())]
        for record in load("intervals")["records"]
        for model, row in record["models"].items()
    ]
    return (
        "## Predictive intervals\n\n`python -m benchmarks.intervals`: the share of test "
        "rows that a 90 % interval covers, and the mean negative log predictive density. The "
        "Gaussian process was trained on 2,000 rows.\n\n"
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
