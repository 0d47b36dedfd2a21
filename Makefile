# Everything runs in .venv, which the first target that needs it makes. All it takes is Python 3.11 or newer,
# pip and make; `make PYTHON=/path/to/python3.12 test` picks another interpreter for a new .venv. With LOCKED=1,
# as in CI, a new .venv gets the packages of .ci/requirements.txt, and no file of another digest.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTHON ?=
LOCKED ?=

.DEFAULT_GOAL := help
.PHONY: help demo test lint format types imports docs check bench wheel clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.ready ## Show a guarded chat in the terminal (under a minute)
	@$(BIN)/vista-stream demo

test: $(VENV)/.ready-dev ## Run the tests
	@$(BIN)/python -m pytest -q $(ARGS)

lint: $(VENV)/.ready-dev ## Check style and format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: $(VENV)/.ready-dev ## Rewrite the sources in the project's format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

types: $(VENV)/.ready-dev ## Check the types, strictly
	@$(BIN)/mypy

imports: $(VENV)/.ready-dev ## Check that imports point inward
	@$(BIN)/lint-imports --no-logo

docs: $(VENV)/.ready-dev ## Build the documentation into site/; a broken link is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

check: lint types imports docs test ## All of the above, as CI does

bench: $(VENV)/.ready-dev ## Measure latency (a few minutes)
	@$(BIN)/python -m benchmarks.latency $(ARGS)

wheel: $(VENV)/.ready ## Build the wheel into dist/
	@$(PIP) wheel --no-deps --wheel-dir dist .

clean: ## Remove the environment and what was built
	rm -rf $(VENV) dist build site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache mutants

# The stamps carry the time of the last install: a second run skips it unless pyproject.toml changed.
$(VENV)/.ready: $(VENV)/.made pyproject.toml
	@echo "Installing vista-stream into $(VENV) (once; about a minute) ..."
	@$(PIP) install --editable ".[cpu,parse]"
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.made pyproject.toml
	@echo "Installing vista-stream and its tools into $(VENV) (once; a minute or two) ..."
ifdef LOCKED
	@$(PIP) install --require-hashes --requirement .ci/requirements.txt
	@$(PIP) install --no-build-isolation --no-deps --editable .
else
	@$(PIP) install --editable ".[cpu,parse]" --group dev
endif
	@touch $@ $(VENV)/.ready

# Some systems' Python comes without ensurepip: there the pip at hand installs one into the environment.
$(VENV)/.made:
	@set -e; \
	for python in $(or $(PYTHON),python3.11 python3.12 python3.13 python3.14 python3 python); do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "vista-stream needs Python 3.11 or newer; name one: make PYTHON=/path/to/python" >&2; exit 1; \
	fi; \
	echo "Making $(VENV) with $$($$found --version) ..."; \
	$$found -m venv $(VENV) >/dev/null 2>&1 \
	  || { $$found -m venv --without-pip $(VENV) && $$found -m pip --quiet --python $(BIN)/python install pip; }
	@$(if $(LOCKED),,$(PIP) install --upgrade "pip>=25.1")
	@touch $@
