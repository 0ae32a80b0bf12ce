# `make` explains itself: it lists every target with what it does.

SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
export PYTHON

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test ready system venv lint format filecheck bench wheel clean

help: ## list the targets
	@echo "usage: make TARGET   (MBC_NO_APT=1: never install Debian packages)"
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | \
	  awk -F ':.*## ' '{ printf "  %-10s %s\n", $$1, $$2 }'

demo: ready ## set up, then optimize two models for RVV and OpenCL (under 5 minutes)
	@$(BIN)/python tools/demo.py

test: ready lint ## set up, then check style and types and run every test
	$(BIN)/python -m pytest -n 2

ready: ## set up only: Debian packages where allowed, .venv, stand-ins for missing tools
	@tools/setup.sh system-if-allowed
	@$(MAKE) --no-print-directory venv
	@tools/setup.sh stand-ins

system: ## install the Debian packages (compilers, emulator, OpenCL), listing them first
	@tools/setup.sh system

venv: .venv/.ready ## create .venv with the pinned Python packages

.venv/.ready: pyproject.toml setup.py constraints.txt
	@tools/setup.sh venv
	@touch $@

lint: venv ## ruff check, ruff format --check, pyright
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: venv ## format the Python sources and fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

filecheck: venv ## run only the FileCheck tests, with lit
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/lit tests/filecheck

bench: ready ## measure speed and memory; the last line is one JSON object
	$(BIN)/python -m tools.bench

wheel: venv ## build the wheel into dist/
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

clean: ## remove what builds, tests and the demo leave behind; keeps .venv
	rm -rf build dist demo-out .pytest_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o \( -name __pycache__ -o -name Output \) -type d \
	  -prune -exec rm -rf {} +
