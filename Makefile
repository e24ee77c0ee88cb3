# Everything a newcomer types. Only Python 3.11+, pip and make are needed; the rest installs itself.
PYTHON ?= python3
VENV ?= .venv
CONFIG ?= paper
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := $(BIN)/python -m pip --disable-pip-version-check
# The pinned torch goes first and alone: left to a resolver, it would bring a GPU build along.
TORCH := $(shell grep -E '^torch==' constraints.txt)

.PHONY: run test test-all check js licences lock bench stress docs tables render clean

run: $(VENV)/.run  ## rank the 88 elementary automata as in the paper, and draw the figure
	$(BIN)/novelty run eca --config $(CONFIG) --out out
	@echo
	@echo "Rule 110 should be first. Next:"
	@echo "  look at out/eca/$(CONFIG)-seed0/figure.png"
	@echo "  source $(BIN)/activate     so that novelty is a command; then one of"
	@echo "  novelty score FILE         which columns of your table can be learned from the others? (seconds)"
	@echo "  novelty explore            all results in a browser"
	@echo "  novelty list               what else can be run, and how long it takes"

test: $(VENV)/.dev  ## run the tests: six minutes on two cores
	$(BIN)/python -m pytest -n 3 --dist worksteal -rs

test-all: $(VENV)/.dev  ## run the slow tests too: a browser on every tab, kills, long trainings
	$(BIN)/python -m pytest --slow -n 3 --dist worksteal -rs

check: $(VENV)/.dev $(if $(SKIP_JS),,js)  ## style, types, who may import whom, licences, lock
	$(BIN)/python .ci/lock.py --check
	$(BIN)/python .ci/licences.py --quiet
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

js: lab/node_modules/.installed  ## style and types of the page's scripts; needs Node.js
	cd lab && npm run --silent check

lab/node_modules/.installed: lab/package.json
	@command -v npm > /dev/null || { echo "make js needs Node.js with npm; SKIP_JS=1 make check leaves the scripts unchecked" >&2; exit 1; }
	cd lab && npm install --silent --no-package-lock --no-audit --no-fund
	touch $@

licences: $(VENV)/.dev  ## list the licences of all packages; fail where one is not allowed
	$(BIN)/python .ci/licences.py

lock: $(VENV)/.dev  ## write lock.txt again, after a change of constraints.txt
	$(BIN)/python .ci/lock.py

bench: $(VENV)/.dev  ## time the fast ways against the plain ones
	$(BIN)/python -m benchmarks

stress: $(VENV)/.dev  ## attack files, scores, saves and runs: the short forms, minutes on two cores
	$(BIN)/python -m stress attacks --rounds 1
	$(BIN)/python -m stress fuzz --cases 2000
	$(BIN)/python -m stress hostile
	$(BIN)/python -m stress kills --kills 30
	$(BIN)/python -m stress oracle --cases 500
	$(BIN)/python -m stress saves --kills 3
	$(BIN)/python -m stress soak --seconds 30

docs: $(VENV)/.dev  ## write the documentation to build/site; warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open build/site/index.html"

tables: $(VENV)/.dev  ## write the tables of README and docs again from the committed records
	$(BIN)/python -m docs.hooks.tables
	$(BIN)/python -m docs.hooks.ledger
	$(BIN)/python -m docs.hooks.reference

render: $(VENV)/.run  ## draw all figures again from the committed records: two minutes
	$(BIN)/novelty render --out results

$(VENV)/.torch: constraints.txt
	@echo "setting up $(VENV), once; this takes a minute or more and says little"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -q -c constraints.txt $(TORCH)
	touch $@

$(VENV)/.run: $(VENV)/.torch pyproject.toml lab/pyproject.toml
	$(PIP) install -q -c constraints.txt -e '.[plot,data]' -e lab
	touch $@

$(VENV)/.dev: $(VENV)/.torch lock.txt pyproject.toml lab/pyproject.toml
	$(PIP) install -q --require-hashes --no-deps -r lock.txt
	$(PIP) install -q -c constraints.txt -e '.[dev]' -e 'lab[all]'
	touch $@ $(VENV)/.run

clean:
	rm -rf $(VENV) build out .pytest_cache .ruff_cache lab/node_modules
