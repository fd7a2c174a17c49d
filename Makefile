# Each target sets up what it needs in .venv, and nothing is set up twice.
# PYTHON picks the interpreter of a new .venv; ARGS is passed on:
#   make test ARGS='-k residual -n 0'

PYTHON ?= python3
UV_VERSION := 0.13.9

SHELL := /bin/sh
.DELETE_ON_ERROR:
.NOTPARALLEL:
.SUFFIXES:

# These would send packages elsewhere than .venv, or make pip refuse the lock or this project.
unexport PYTHONHOME PYTHONPATH
unexport PIP_CONSTRAINT PIP_DRY_RUN PIP_NO_BINARY PIP_NO_DEPS PIP_PREFIX PIP_PYTHON
unexport PIP_REQUIRE_HASHES PIP_ROOT PIP_TARGET PIP_USER
# Known: MkDocs ends, so the pages export to other generators. No need to say it in each build.
export NO_MKDOCS_2_WARNING := 1

VENV_PYTHON := .venv/bin/python
PIP_INSTALL := -I -m pip install --quiet --disable-pip-version-check --no-input
SITE_READY := .venv/site.stamp .venv/project.stamp
DEV_READY := $(SITE_READY) .venv/dev.stamp
DATA := $(filter-out %.schema.json,$(sort $(wildcard data/*.json)))

# A moved or copied checkout, a Python that is gone or another PYTHON: begin again.
# (The editable install would go on naming the old folder.)
ASKED_FOR := $(if $(filter environment% command%,$(origin PYTHON)),$(PYTHON))
$(shell { test -x $(VENV_PYTHON) && read -r python && read -r folder \
	&& test "$$folder" = "$$(pwd -P)" && { test -z '$(ASKED_FOR)' || test "$$python" = '$(ASKED_FOR)'; }; \
	} 2>/dev/null <.venv/made-for || rm -f .venv/*.stamp)

.PHONY: help site offline publish serve test long fuzz golden bench scaling mutants lint format lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

site: $(SITE_READY)  ## build the site
	@$(VENV_PYTHON) -m build_scripts site $(ARGS)

offline: $(SITE_READY)  ## build the site with a zip of it, to publish or to take along
	@$(VENV_PYTHON) -m build_scripts offline $(ARGS)

publish: $(SITE_READY)  ## build what to put on a server, as docs/publish.md says
	@$(VENV_PYTHON) -m build_scripts publish $(ARGS)

serve: $(SITE_READY)  ## build and serve the site, again on each edit
	@$(VENV_PYTHON) -m mkdocs serve $(ARGS)

test: $(DEV_READY) .cache/generators/ready.stamp  ## run the tests, in a browser too
	@$(VENV_PYTHON) -m tests.browser.chromium
	@$(VENV_PYTHON) -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m 'not long' $(ARGS)

long: $(DEV_READY)  ## run what `make test` leaves out: more of the same
	@$(VENV_PYTHON) -m tests.browser.chromium
	@$(VENV_PYTHON) -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m long $(ARGS)

fuzz: $(DEV_READY) .cache/fuzz/ready.stamp  ## try to break the loader of data files, for minutes
	@FUZZ_EXAMPLES=3000 $(VENV_PYTHON) -m pytest -n 2 tests/test_fuzz_loader.py -k judged $(ARGS)
	@.cache/fuzz/bin/python -m tests.fuzz -max_total_time=120

mutants: $(DEV_READY)  ## break a copy of the engine in known ways; fail if the tests do not notice
	@$(VENV_PYTHON) -m tests.mutants $(ARGS)

golden: $(DEV_READY)  ## write anew what the tests expect of figures and terminals
	@$(VENV_PYTHON) -m tests.golden

bench: $(DEV_READY)  ## time the sampler beside others (sets up PyTorch, over 1 GB)
	@$(VENV_PYTHON) -m tests.benchmarks $(ARGS)

scaling: $(DEV_READY)  ## count what a build costs with 1, 10 and 50 profiles
	@$(VENV_PYTHON) -m tests.benchmarks.scaling $(ARGS)

lint: $(DEV_READY) .cache/cff/ready.stamp  ## check style, types, the data files, CITATION.cff and the workflow
	@$(VENV_PYTHON) -m ruff check
	@$(VENV_PYTHON) -m ruff format --check
	@$(VENV_PYTHON) -m mypy
	@$(VENV_PYTHON) -m specdec check $(DATA)
	@.cache/cff/bin/cffconvert --validate -i CITATION.cff
	@.venv/bin/zizmor --offline --quiet --persona pedantic .github

format: $(DEV_READY)  ## format the code and fix what can be fixed
	@$(VENV_PYTHON) -m ruff check --fix-only
	@$(VENV_PYTHON) -m ruff format

LOCK := .cache/lock/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 \
	--generate-hashes --custom-compile-command 'make lock' $(ARGS)

lock: .cache/lock/uv-$(UV_VERSION).stamp  ## lock the requirements; ARGS=--upgrade for newer ones
	@$(LOCK) requirements.in --output-file requirements.txt
	@$(LOCK) requirements-dev.in --constraints requirements.txt --output-file requirements-dev.txt
	@$(LOCK) requirements-cff.in --no-emit-package docopt --output-file requirements-cff.txt
	@$(LOCK) requirements-generators.in --constraints requirements.txt \
		--output-file requirements-generators.txt
	@$(LOCK) requirements-fuzz.in --constraints requirements-dev.txt --output-file requirements-fuzz.txt

clean:  ## remove what was built, but keep .venv
	@rm -rf site site.* .cache build dist *.egg-info
	@rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find specdec build_scripts tests -type d -name __pycache__ -prune -exec rm -rf {} +

define CHECK_PYTHON
import sys
if sys.version_info < (3, 11):
    sys.exit("make: needs Python 3.11 or later, but $(PYTHON) is Python %d.%d.%d; "
             "try make PYTHON=python3.11" % sys.version_info[:3])
try:
    import ensurepip, venv
except ImportError:
    sys.exit("make: $(PYTHON) has no venv or no ensurepip; "
             "your system may have them in a package of their own, such as python3-venv")
endef
export CHECK_PYTHON

define MAKE_VENV
@command -v "$(PYTHON)" >/dev/null || { echo \
	'make: needs Python 3.11 or later, but found no $(PYTHON); try make PYTHON=python3.11' >&2; exit 1; }
@"$(PYTHON)" -c "$$CHECK_PYTHON"
@rm -rf $(1)
@"$(PYTHON)" -I -m venv $(1)
endef

# Also when only the dev lock has changed: what left a lock has to leave .venv.
.venv/site.stamp: requirements.txt requirements-dev.txt
	@echo 'setting up .venv: the site …'
	$(call MAKE_VENV,.venv)
	@$(VENV_PYTHON) $(PIP_INSTALL) --require-hashes -r requirements.txt
	@{ echo '$(PYTHON)'; pwd -P; } >.venv/made-for
	@touch $@

.venv/project.stamp: .venv/site.stamp pyproject.toml
	@echo 'setting up .venv: this project …'
	@$(VENV_PYTHON) $(PIP_INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

# Set aside meanwhile, so that after an interruption set-up begins again.
.venv/dev.stamp: .venv/site.stamp
	@echo 'setting up .venv: tests and lint …'
	@mv .venv/site.stamp .venv/site.aside
	@$(VENV_PYTHON) $(PIP_INSTALL) --require-hashes -r requirements-dev.txt
	@mv .venv/site.aside .venv/site.stamp
	@touch $@

.cache/lock/uv-$(UV_VERSION).stamp:
	@echo 'setting up .cache/lock …'
	$(call MAKE_VENV,.cache/lock)
	@.cache/lock/bin/python $(PIP_INSTALL) uv==$(UV_VERSION)
	@touch $@

# Environments apart, made again with .venv, whose Python they share.
.cache/%/ready.stamp: requirements-%.txt .venv/site.stamp
	@echo 'setting up .cache/$* …'
	$(call MAKE_VENV,.cache/$*)
	@.cache/$*/bin/python $(PIP_INSTALL) $(APART) --only-binary :all: --require-hashes -r $<
	@touch $@

# Without docopt, which has no wheel and which only a command that we do not run imports.
.cache/cff/ready.stamp: APART := --no-deps
