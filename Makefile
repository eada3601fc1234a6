# The two commands of the README are `make demo` and `make test`.

PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?= constraints.txt
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# A worker that is done takes over tests from another. One more than there are processors, since
# tests wait for servers, browsers and clusters a fifth of the time.
PARALLEL := --numprocesses $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist worksteal

# The tests start hundreds of processes: what Python compiles for one is kept for the others.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo docs papers records pictures benchmarks fuzz test lint types check memory coverage test-lowest test-newest test-sdist test-spark clean changelog

demo: $(VENV)/.installed  ## Mask the built-in survey; leaves demo/release.csv and demo/report.html.
	@$(BIN)/shoal demo demo --force

docs: $(VENV)/.developed  ## Build the guide, without network, into .build/site; a warning is an error.
	@$(BIN)/python docs/make_site.py .build/site
	@echo ".build/site/index.html: the guide"

papers: $(VENV)/.developed  ## Run the tables and figures of the papers again; writes docs/papers.
	@$(BIN)/python -m reproduction docs/papers --force

records: $(VENV)/.developed  ## Check the best known partitions and bounds with plain NumPy; minutes for k = 10.
	@$(BIN)/python -m reproduction.records

pictures: $(VENV)/.developed $(VENV)/.tools  ## Photograph report, map and page for docs/pictures.
	@$(BIN)/python docs/photograph.py
	@$(BIN)/python docs/photograph_app.py

benchmarks: $(VENV)/.developed  ## Measure every figure of docs/speed.md and docs/costs.md; half an hour on an idle machine.
	@$(BIN)/python benchmarks/run_all.py

fuzz: $(VENV)/.developed  ## Random tables and plans, judged independently: SECONDS=, RUNS=, SEED=; RUN= repeats one.
	@PYTHONPATH=src:tests $(BIN)/python -m fuzz --json .build/fuzz.json $(if $(SEED),--seed $(SEED)) \
		$(if $(RUNS),--runs $(RUNS)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(START),--start $(START)) \
		$(if $(JOBS),--jobs $(JOBS)) $(if $(RUN),--run $(RUN))

test: $(VENV)/.made  ## Everything: lint, types, docstrings, tests, doctests, the guide, links and spelling.
	$(MAKE) --jobs 2 $(VENV)/.developed $(VENV)/.tools
	$(MAKE) --jobs 4 lint types check memory

lint: $(VENV)/.developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/numpydoc lint $$(find src/shoal -name '*.py' | grep -v -e /_kernels/ -e /cli/)

types: $(VENV)/.developed
	$(BIN)/mypy

check: $(VENV)/.developed $(VENV)/.tools
	SHOAL_EXAMPLES=$${SHOAL_EXAMPLES:-10} $(BIN)/python -m pytest $(PARALLEL)

# Memory faults: kernels that read or write outside an array, or read memory before writing it.
KERNEL_TESTS := tests/_kernels tests/partitioners/test_contract.py tests/partitioners/test_units.py -m 'not slow' \
	-k 'not scikit_learn' --ignore tests/_kernels/test_compile.py --ignore tests/_kernels/test_cache.py \
	--ignore tests/_kernels/test_pipeline.py --ignore tests/_kernels/test_compile_ahead.py --quiet

# One process: it takes the time that the other tests wait for servers, browsers and clusters. What
# it prints is shown when it is done. Indices are checked by what numba writes before LLVM optimises
# it: optimising less finds the same faults and compiles sooner.
memory: $(VENV)/.developed  ## Run the tests of the kernels with checked indices and poisoned memory.
	@mkdir -p .build
	@echo "The tests of the kernels, with checked indices and poisoned memory: .build/memory.txt"
	@NUMBA_BOUNDSCHECK=1 NUMBA_OPT=1 SHOAL_POISON=1 GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0 \
		SHOAL_EXAMPLES=5 $(BIN)/python -m pytest $(KERNEL_TESTS) > .build/memory.txt 2>&1; \
		code=$$?; cat .build/memory.txt; exit $$code

coverage: $(VENV)/.developed $(VENV)/.tools  ## The tests once more, with the share of the lines and branches that they run.
	@rm -rf .build/coverage && mkdir -p .build/coverage
	$(BIN)/python -m coverage run -m pytest $(PARALLEL)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --skip-covered --sort cover

test-spark: $(VENV)/.developed  ## Large tables on a local Spark session; needs Java 17 or later.
	$(PIP) install --quiet 'pyspark>=4.0' --constraint $(CONSTRAINTS)
	$(BIN)/python -m pytest -q -p no:randomly tests/scale/check_spark.py

test-lowest:  ## The tests with the lowest versions that pyproject.toml allows, in .venv-lowest.
	$(MAKE) check VENV=.venv-lowest CONSTRAINTS=.build/lowest.txt

test-newest:  ## The tests with the newest versions there are, in .venv-newest.
	$(MAKE) check VENV=.venv-newest CONSTRAINTS=.build/newest.txt

test-sdist: $(VENV)/.developed  ## The tests in an unpacked source distribution, with packages of its own.
	@rm -rf .build/sdist && mkdir -p .build/sdist/unpacked
	$(BIN)/python -m build --sdist --no-isolation --outdir .build/sdist .
	@tar --extract --gzip --file .build/sdist/shoal-*.tar.gz --directory .build/sdist/unpacked --strip-components 1
	$(MAKE) --directory .build/sdist/unpacked test

.build/lowest.txt: pyproject.toml tests/lowest_versions.py
	@mkdir -p .build
	$(PYTHON) tests/lowest_versions.py > $@

.build/newest.txt:
	@mkdir -p .build && touch $@

changelog: $(VENV)/.developed  ## Gather the change fragments into CHANGELOG.md.
	$(BIN)/towncrier build --yes

clean:
	rm -rf .venv .venv-lowest .venv-newest .build demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --upgrade pip
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	@echo "Installing Shoal and what it needs into $(VENV) ..."
	$(PIP) install --quiet --editable .
	@touch $@

$(VENV)/.developed: $(VENV)/.made pyproject.toml $(CONSTRAINTS)
	@echo "Installing Shoal and the tools of its developers into $(VENV) ..."
	$(PIP) install --quiet --no-compile --editable '.[app,duckdb,files,formulas,plots,r,scale,sign,splink,sql]' --group dev --constraint $(CONSTRAINTS)
	@$(BIN)/python -m compileall -qq -j 0 -x '/tests/' $(VENV)/lib || true  # on all processors; pip uses one
	@touch $@ $(VENV)/.installed

# The tests look at pages in chromium, start a PostgreSQL server and pack files with zstd.
$(VENV)/.tools: $(VENV)/.made tests/install_tools.sh
	@bash tests/install_tools.sh
	@touch $@
