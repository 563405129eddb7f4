# The two commands of the README, and the ones a contributor uses. Everything lands in .venv; nothing is
# installed outside this folder.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin

.PHONY: demo test mutants pages bench clean

$(VENV)/.installed: pyproject.toml
	@echo "setting up $(VENV) (once)…" >&2
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

# Runs a real pattern on a real, sloppy commit message: no key, no network service.
demo: $(VENV)/.installed
	@$(BIN)/prose run std/patterns/refine --progress plain \
	  --bind refiner=py:examples/commit-message/services.py:refiner \
	  --bind evaluator=py:examples/commit-message/services.py:evaluator \
	  --input task_brief=@examples/commit-message/sloppy.txt --config max_rounds=12 --config threshold=1 \
	  | $(BIN)/python examples/commit-message/show.py

test: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto

# Changes each script of std/patterns in one place, thousands of times, and says which changes nothing notices.
mutants: $(VENV)/.installed
	PYTHONPATH=tests $(BIN)/python -m mutation

# The pages of docs/patterns are made from the patterns.
pages: $(VENV)/.installed
	$(BIN)/prose std --pages docs/patterns

bench: $(VENV)/.installed
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/growth.py

clean:
	rm -rf $(VENV) dist build
