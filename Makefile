PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup run test test-slow test-oldest lint format docs doctest accuracy speed scaling
.PHONY: penalty-paths scale peers cost peers-tables tables reproduce-smoke reproduce build clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/.stamp ## create .venv with the versions of constraints.txt

.venv/.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[dev,benchmarks,docs,gpytorch,reproduction]"
	@touch $@

run: setup ## compare the five methods on an embedded data set, and write a report
	$(BIN)/askl compare --report comparison.html

# One thread for each of the two workers, or they fight over the cores.
test: setup ## run the tests, with coverage
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --cov=askl

test-slow: setup ## run the long tests
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -m slow

.venv-oldest/.stamp: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install -q -c constraints-oldest.txt -e ".[dev,gpytorch,reproduction]"
	@touch $@

# Old versions warn about each other, and have no list of expected failures that may pass.
test-oldest: .venv-oldest/.stamp ## run the tests with the oldest versions that are promised
	OMP_NUM_THREADS=1 .venv-oldest/bin/python -m pytest -n 2 -W default -o xfail_strict=false \
	  --ignore tests/docs --ignore tests/benchmarks

lint: setup ## check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup ## put the code in its format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# A copy in build/ would lose the links to files beside docs/, so what is generated is ignored there.
docs: setup ## build the site into build/docs, running every example; warnings are errors
	rm -rf build/docs build/doctrees docs/gallery docs/reference/generated
	OMP_NUM_THREADS=1 MPLBACKEND=agg $(BIN)/python -m sphinx -q -W --keep-going -b html \
	  -d build/doctrees docs build/docs
	@! grep -rE '<(script|link|img)[^>]+(src|href)="(https?:)?//' build/docs --include='*.html' \
	  || { echo "The site must load nothing from outside."; exit 1; }

doctest: setup ## run every example in the README, the docs and the docstrings
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --doctest-glob='*.md' README.md \
	  $(wildcard docs/*.md docs/guide/*.md) src

accuracy: setup ## measure the accuracy of the defaults
	$(BIN)/python -m benchmarks.defaults

speed: setup ## measure the speed of training
	$(BIN)/python -m benchmarks.speed

scaling: setup ## measure time and memory as rows, components and outputs grow
	$(BIN)/python -m benchmarks.scaling

penalty-paths: setup ## measure and draw what both penalties are worth: about 15 minutes, resumable
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.penalty_paths

scale: setup ## fit on a real dask cluster, PostgreSQL and torchrun, with processes killed
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/scale tests/estimators/test_distributed.py \
	  -m "slow or not slow"
	$(BIN)/python -m benchmarks.streaming
	$(BIN)/python -m benchmarks.distributed

PEERS := .venv-peers/bin/python
# For instance PEERS_OPTIONS="--dataset segment --splits 1".
PEERS_OPTIONS ?=

.venv-peers/.stamp: pyproject.toml constraints.txt benchmarks/peers-constraints.txt
	$(PYTHON) -m venv .venv-peers
	$(PEERS) -m pip install -q -c constraints.txt -c benchmarks/peers-constraints.txt -e ".[peers]"
	@touch $@

peers: .venv-peers/.stamp ## compare with other learners on all data sets: long, resumable
	$(PEERS) -m benchmarks.peers run $(PEERS_OPTIONS)
	$(PEERS) -m benchmarks.peers compact
	$(PEERS) -m benchmarks.peers table
	$(PEERS) -m benchmarks.peers figures
	$(PEERS) -m benchmarks.peers page

# Seconds can only be compared within one run, so it starts from nothing. Two fits at a time. On the other
# two data sets the peers run out of time, or nearly.
COST_SETS := segment satimage pendigits letter poker shuttle abalone space_ga cpusmall cadata
COST := $(PEERS) -m benchmarks.peers run --study cost --splits 1 \
  --model askl-auto --model catboost --model realmlp $(COST_SETS:%=--dataset %)

cost: .venv-peers/.stamp ## how long the automatic model takes beside the two slowest peers
	rm -rf benchmarks/results/cost.jsonl build/cost
	$(COST) --shard 0/2 & $(COST) --shard 1/2; wait
	$(PEERS) -m benchmarks.peers compact --study cost
	$(PEERS) -m benchmarks.peers page

peers-tables: .venv-peers/.stamp ## the same on tables with strings and gaps: resumable
	$(PEERS) -m benchmarks.tables run
	$(PEERS) -m benchmarks.tables compact
	$(PEERS) -m benchmarks.tables table

tables: setup ## write all tables, pages and figures again from the committed records
	for protocol in corrected paper; do \
	  $(BIN)/python -m reproduction table --protocol $$protocol \
	    --output reproduction/tables/$$protocol.md && \
	  $(BIN)/python -m reproduction figures --protocol $$protocol || exit 1; done
	$(BIN)/python -m benchmarks.peers figures
	$(BIN)/python -m benchmarks.peers page
	$(BIN)/python -m benchmarks.penalty_paths
	$(BIN)/python -m benchmarks.page

SMOKE := --protocol smoke --results build/reproduction-smoke

reproduce-smoke: setup ## the whole reproduction in small: tune, run, table, figures
	rm -rf build/reproduction-smoke
	$(BIN)/python -m reproduction tune $(SMOKE) --dataset digits --dataset diabetes
	$(BIN)/python -m reproduction run $(SMOKE) --dataset digits --dataset diabetes
	$(BIN)/python -m reproduction compact $(SMOKE)
	$(BIN)/python -m reproduction table $(SMOKE)
	$(BIN)/python -m reproduction figures $(SMOKE)

reproduce: setup ## the whole reproduction: about ten core-hours, resumable
	for protocol in corrected paper; do \
	  $(BIN)/python -m reproduction tune --protocol $$protocol && \
	  $(BIN)/python -m reproduction run --protocol $$protocol && \
	  $(BIN)/python -m reproduction compact --protocol $$protocol || exit 1; done
	$(MAKE) tables

build: setup ## build the sdist and the wheel into dist/
	$(BIN)/python -m build --no-isolation

clean: ## remove what can be made again, environments included
	rm -rf .venv .venv-peers .venv-oldest build dist docs/gallery docs/reference/generated .coverage .coverage.* htmlcov .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks reproduction studies examples -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
