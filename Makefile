# One task runner for people and for CI; `make help` lists what there is.
#
# Everything made here stays inside the clone: the environment in .venv, caches and temporary files in .cache, Rust
# objects in target. Nothing is made again unless what it was made from has changed.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CACHE := $(CURDIR)/.cache

export CARGO_HOME := $(CACHE)/cargo
export HYPOTHESIS_STORAGE_DIRECTORY := $(CACHE)/hypothesis
export MPLCONFIGDIR := $(CACHE)/matplotlib
export MYPY_CACHE_DIR := $(CACHE)/mypy
export PIP_CACHE_DIR := $(CACHE)/pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PYTHONNOUSERSITE := 1
export RUFF_CACHE_DIR := $(CACHE)/ruff
export TMPDIR := $(CACHE)/tmp
export UV_CACHE_DIR := $(CACHE)/uv
export XDG_CACHE_HOME := $(CACHE)
# Compiled modules are kept: every test of a command starts an interpreter.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE VIRTUAL_ENV CONDA_PREFIX
$(shell mkdir -p $(CACHE)/tmp)

# Stamps live in the environment they describe, under a name that changes when the clone is moved: an environment
# keeps absolute paths, so it is then made anew.
STAMPS := $(VENV)/stamps-$(shell printf '%s' '$(CURDIR)' | cksum | cut -d' ' -f1)
QUIC_FEATURES := ackclock-quic/sockets
TEST_FEATURES := $(QUIC_FEATURES),ackclock-python/as-tests
LINT_FEATURES := $(TEST_FEATURES),ackclock-python/quic
RUST_SOURCES := Cargo.toml Cargo.lock rust-toolchain.toml $(shell find crates -path '*/src/*' -name '*.rs' -o -name Cargo.toml)

PIP_INSTALL := $(BIN)/python -m pip install --quiet --no-cache-dir --progress-bar off --require-hashes
# Takes a fifth of pip's processor time. Where it finds no packages, pip is asked, whose settings may name another index or certificate.
UV_INSTALL := $(BIN)/uv pip install --quiet --no-cache --python $(BIN)/python --require-hashes
MATURIN := $(BIN)/maturin
ACKCLOCK := $(BIN)/ackclock
TYPED := $(foreach folder,python/ackclock reference verification benches papers tests,$(if $(wildcard $(folder)/*.py),$(folder)))
PLAYGROUND := python/ackclock/data/playground
WASM := target/wasm32-unknown-unknown/playground/ackclock_web.wasm

PLAYGROUND_SOURCES := $(RUST_SOURCES) $(wildcard scenarios/*.toml) $(shell find playground -type f -not -path '*/node_modules/*' -not -path '*/target/*')
# For what carries the playground: up to date where its tools are, without it elsewhere, and never an old one.
PLAYGROUND_IF_TOOLS = $(if $(and $(shell command -v npm),$(shell command -v rustup)),playground,no-playground)
say = @printf '==> %s\n'

.PHONY: help demo quic link kernel check test test-rust test-python test-kernel lint lint-rust lint-python lint-commits evidence community evaluation-comment changelog captures figures docs site bench bench-counts bench-peers slow-link verification conform-mutants crosscheck fuzz mutants miri audit attacks worst-paths papers papers-quick league playground no-playground slides wheel sdist crates test-same-results lock clean
.PHONY: ready ready-for-development

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ready ## build everything, and show what a download does to a video call by its algorithm: a table and a report
	$(say) 'Comparing CUBIC, BBR 3, Reno and Copa on the built-in scenario call-beside-download'
	@$(ACKCLOCK) compare

quic: ready ## build ackclock-quic: QUIC stacks (quinn, noq) for flows that name one; two minutes
	$(say) 'Compiling the binding with quinn and noq'
	@cd packaging/quic && $(CURDIR)/$(MATURIN) develop --release
	@if [ "$$(uname)" = Linux ]; then cargo build --release --locked --quiet --package ackclock-quic --features sockets; fi

link: ## build target/release/ackclock-link, an emulated link between two network name spaces of Linux
	$(say) 'Compiling the emulated link'
	@cargo build --release --locked --quiet --package ackclock-link
	@echo 'target/release/ackclock-link'

# What libbpf and the program in the kernel are compiled with: clang, and the headers of libelf and zlib.
BPF_TOOLS := command -v clang >/dev/null && printf '\#include <libelf.h>\n\#include <zlib.h>\n' | cc -E - >/dev/null 2>&1
NO_BPF_TOOLS := clang and the headers of libelf and zlib are needed (Debian: clang libelf-dev zlib1g-dev pkg-config)

kernel: ## build target/release/ackclock-kernel: the same controllers in the TCP of this machine's kernel
	@$(BPF_TOOLS) || { echo '$(NO_BPF_TOOLS)' >&2; exit 1; }
	$(say) 'Compiling ackclock-kernel'
	@cargo build --release --locked --quiet --package ackclock-kernel --features bpf
	@echo 'target/release/ackclock-kernel'

check: ready-for-development ## check what differs from main (or BASE=commit): formatting, lints, types and the nearest tests; two minutes
	@TYPED='$(TYPED)' $(BIN)/python .ci/check $(BASE)

test: test-rust test-python ## run every test, Rust and Python, the code in README and docs among them

# The QUIC stacks are tested with the other crates, so that what both need is compiled once.
test-rust: $(STAMPS)/venv ## test the Rust crates, the controllers on the QUIC stacks quinn and noq among them
	$(say) 'Testing the Rust crates'
	@cargo test --workspace --features $(TEST_FEATURES) --locked

test-python: ready-for-development ## test the Python package, the documentation and the laws of the repository
	$(say) 'Testing the Python package, the documentation and the house rules'
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --no-loadscope-reorder

test-kernel: ready-for-development ## test the controllers in this machine's kernel, where there are the tools and the privileges
	@if $(BPF_TOOLS); then \
	  echo '==> Testing the controllers in the kernel'; \
	  cargo test --locked --package ackclock-kernel --features bpf -- --nocapture; \
	else \
	  echo '==> $(NO_BPF_TOOLS): the controllers are not tested in the kernel'; \
	fi

lint: lint-commits lint-rust lint-python ## check formatting, lints, types and commits; warnings are errors

lint-commits:
	$(say) 'commits since main'
	@.ci/check-commits

# Every `--locked` holds the lock file of the workspace; the others belong to what is built rarely.
lint-rust: $(STAMPS)/venv
	$(say) 'lock files beside that of the workspace'
	@for each in fuzz playground/bindgen; do \
		cargo metadata --locked --quiet --format-version 1 --manifest-path $$each/Cargo.toml >/dev/null || exit; \
	done
	$(say) 'rustfmt'
	@cargo fmt --all --check
	$(say) 'clippy'
	@cargo clippy --workspace --all-targets --features $(LINT_FEATURES) --locked --quiet -- --deny warnings
	$(say) 'clippy, without what the wheel ackclock-quic adds'
	@cargo clippy --package ackclock-python --package ackclock-quic --features ackclock-python/as-tests --locked --quiet -- --deny warnings
	$(say) 'rustdoc'
	@RUSTDOCFLAGS='--deny warnings' cargo doc --workspace --features $(LINT_FEATURES) --no-deps --locked --quiet

lint-python: ready-for-development
	$(say) 'ruff'
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	$(say) 'mypy'
	@$(BIN)/mypy --no-error-summary $(TYPED)
	$(say) 'stubtest: the types written for the binding are the binding'
	@$(BIN)/python -m mypy.stubtest --concise --mypy-config-file pyproject.toml ackclock._native

evidence: ready-for-development ## evaluate ALGORITHM=name in full and publish its row of the league; five to twenty minutes of one processor
	@$(BIN)/python -m verification.evidence $(if $(ALGORITHM),'$(ALGORITHM)',--help)

community: ready-for-development ## evaluate NAME of community/, or each file without a row of its content, and write its row; two minutes
	@$(BIN)/python -m verification.community $(NAME)

evaluation-comment: ready ## evaluate CLASS=mine.py:Mine by RFC 9743, quick, into results/comment/evaluation.md, as the action comments it
	@rm -rf results/comment
	@$(ACKCLOCK) evaluate '$(or $(CLASS),$(error CLASS=mine.py:Mine is the class to evaluate))' --quick --output results/comment

changelog: ready-for-development ## make a section VERSION=x.y.z of CHANGELOG.md of the files of changes/
	@$(BIN)/scriv collect --version '$(or $(VERSION),$(error VERSION=x.y.z is the version to release))'

captures: ready-for-development ## ask tshark of the drawn captures again, and hold the reader of captures to all its answers
	@$(BIN)/python -m tests.captures.answers
	@CAPTURES=2000 $(BIN)/python -m pytest tests/package/test_drawn_captures.py

figures: ready-for-development ## draw all figures of the documentation into results/figures/; NAMES=papers/he-tcp some
	@$(BIN)/python -m verification.figures $(NAMES)

docs: ready-for-development ## build docs/ as HTML; warnings are errors
	$(say) 'Building the documentation'
	@# All pages are written: of pages that are not, Sphinx forgets the index entries, by which the search finds pages.
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --write-all -d $(CACHE)/doctrees docs docs/_build/html
	@echo 'docs/_build/html/index.html'

site: $(PLAYGROUND_IF_TOOLS) docs ## make one folder for a web server: front page, documentation, league, and the playground
	@$(BIN)/python docs/site docs/_build/html docs/_build/site
	@echo 'docs/_build/site/index.html'

bench: ready ## measure speed and memory, beside ns-2, ns-3 and HTSIM=clone where there (not with PEERS=no); JSON=file
	$(say) 'Measuring; results mean something only on an otherwise idle machine'
	@$(BIN)/python -m benches $(if $(JSON),--json '$(JSON)') $(if $(filter no,$(PEERS)),--without-peers)

bench-counts: ready-for-development ## count instructions by valgrind, beside those recorded; RECORD=yes records them; FAST=yes counts a few
	@$(BIN)/python -m benches.instructions $(if $(filter yes,$(RECORD)),--record) $(if $(filter yes,$(FAST)),--fast)
	@$(BIN)/python -m benches.queues $(if $(filter yes,$(FAST)),--fast)

bench-peers: ready ## the same after installing Debian's ns2 and ns3 packages, system-wide; a quarter of an hour
	$(say) 'Installing ns2 and ns3 from the distribution'
	@$$([ "$$(id -u)" = 0 ] || echo sudo) apt-get install --yes --no-install-recommends ns2 libns3-dev g++
	@$(MAKE) bench

slow-link: ready ## run what docs/slow-link.md shows, and renew its tables and figure; three minutes of CPU time, resumable
	@$(BIN)/python -m verification.comparisons.slow_link --publish

verification: ready ## hold the simulator to theory and standards; figures in results/verification
	@$(BIN)/python -m verification

conform-mutants: ready ## check that each case of conformance fails a mutant; SPECIFICATION=bbr runs those of one
	@$(BIN)/python -m tests.conformance $(SPECIFICATION)

crosscheck: ready ## compare random scenes with ns-2 where installed (Debian's package ns2): goodput, loss, fairness, timeouts
	@$(BIN)/python -m verification.comparisons.random_scenes

# The targets of fuzz/ with the longest input of each, and the bounded tests of the same generators.
FUZZ_TARGETS := scenario_reader:20000 controllers:2000 whole_simulations:2048
FUZZ_SECONDS ?= 60
# To read and write a hundred thousand flows takes a minute under the sanitizer.
FUZZ_SCENARIOS := $(filter-out scenarios/thousand-% %-large.toml,$(wildcard scenarios/*.toml))

fuzz: ready-for-development ## fuzz readers, controllers and whole simulations, a minute each (FUZZ_SECONDS); bounded tests without cargo-fuzz
	@if cargo +nightly fuzz --version >/dev/null 2>&1; then \
	  mkdir -p fuzz/corpus/scenario_reader && cp $(FUZZ_SCENARIOS) fuzz/corpus/scenario_reader/; \
	  for target in $(FUZZ_TARGETS); do \
	    echo "==> Fuzzing $${target%:*}"; \
	    cargo +nightly fuzz run "$${target%:*}" -- -max_total_time=$(FUZZ_SECONDS) -max_len="$${target#*:}"; \
	  done; \
	else \
	  echo '==> cargo-fuzz is not installed (cargo install cargo-fuzz, and a nightly compiler): running the bounded tests'; \
	  cargo test --locked -p ackclock-congestion --test all conformance; \
	  cargo test --locked -p ackclock-simulation --test all scenario_robustness; \
	  cargo test --locked -p ackclock-simulation --test whole_simulations; \
	fi

# Files whose errors would show in no table: what checks the simulator, and what tells connections of one flow apart.
MUTATED ?= crates/ackclock-network/src/outcome.rs crates/ackclock-network/src/packet/header.rs

mutants: ready-for-development ## mutate the files of MUTATED by cargo-mutants, where installed, and list what no test notices
	@if cargo mutants --version >/dev/null 2>&1; then \
	  cargo mutants --in-place --output .cache $(foreach file,$(MUTATED),--file '$(file)'); \
	else \
	  echo '==> cargo-mutants is not installed (cargo install --locked cargo-mutants): nothing is mutated'; \
	fi

# The unit tests of the modules with unsafe code: all tests of a crate take hours.
MIRI_TOOLCHAIN ?= nightly
MIRI_TESTS ?= ackclock-memory:prefetch ackclock-memory:huge_pages

miri: ready-for-development ## run the tests of unsafe code by Miri, where a nightly compiler with it is installed
	@if cargo +$(MIRI_TOOLCHAIN) miri --version >/dev/null 2>&1; then \
	  for tests in $(MIRI_TESTS); do \
	    cargo +$(MIRI_TOOLCHAIN) miri test --locked --target-dir .cache/miri --package "$${tests%:*}" --lib "$${tests#*:}" || exit; \
	  done; \
	else \
	  echo '==> Miri is not installed (rustup toolchain install $(MIRI_TOOLCHAIN) --component miri --component rust-src): unsafe code is not run by it'; \
	fi

audit: $(STAMPS)/build ## check licences, sources and known faults of dependencies by cargo-deny and pip-audit, where installed
	@.ci/audit

papers: ready ## reproduce every paper in papers/, in full, with one scorecard
	@$(ACKCLOCK) reproduce all

attacks: ready-for-development ## search known weaknesses again by `ackclock attack`, KEYS=vegas-rerouting some; ten minutes of one processor
	@$(BIN)/python -m verification.attacks $(KEYS)

worst-paths: ready-for-development ## attack every contender of the league, in results/attacks; CONTENDERS='avoidance-reno …' names some; half an hour of one processor
	@$(BIN)/python -m verification.attacks.worst_paths $(CONTENDERS)

papers-quick: ready ## reproduce every paper in papers/ by its quick run; five minutes of one processor
	@$(ACKCLOCK) reproduce all --quick

league: ready ## evaluate every algorithm by RFC 9743 with few seeds, in results/league; CONTENDERS='avoidance-reno …' names some
	@$(BIN)/python -m verification.league $(CONTENDERS)

# The playground: WebAssembly of crates/ackclock-web by wasm-bindgen at the version of the library, pages of playground/.
playground: $(PLAYGROUND)/index.html ## build the pages that `ackclock playground` opens (node 20 and rustup needed); prints what a browser downloads

no-playground:
	@echo '==> node with npm and rustup are needed for the playground: it is left out'
	@rm -rf $(PLAYGROUND)

$(PLAYGROUND)/index.html: $(PLAYGROUND_SOURCES)
	@command -v npm >/dev/null || { echo 'node with npm is needed: https://nodejs.org' >&2; exit 1; }
	@command -v rustup >/dev/null && rustup target add wasm32-unknown-unknown 2>/dev/null || true
	$(say) 'Installing what playground/package-lock.json pins'
	@cd playground && npm ci --silent --no-audit --no-fund
	$(say) 'Compiling the simulator to WebAssembly'
	@cargo build --quiet --locked --profile playground --package ackclock-web --target wasm32-unknown-unknown
	@cargo build --quiet --locked --manifest-path playground/bindgen/Cargo.toml --target-dir target/bindgen
	$(say) 'Building $(PLAYGROUND)'
	@node playground/build.mjs $(WASM) target/bindgen/debug/ackclock-bindgen $(PLAYGROUND)

slides: playground ## make results/slides/, the lecture of docs/course.md with the playground in it, for any web server
	@rm -rf results/slides && mkdir -p results/slides
	@cp course/slides.html results/slides/index.html
	@cp -R playground/node_modules/reveal.js/dist results/slides/reveal
	@cp -R $(PLAYGROUND) results/slides/playground
	@rm -f results/slides/reveal/*.map
	@echo 'results/slides/index.html'

wheel: $(STAMPS)/build $(PLAYGROUND_IF_TOOLS) ## build dist/*.whl with the playground and try it in an empty environment without Rust; PGO=yes as wheels are shipped
	$(say) 'Building the wheel'
	@rm -rf dist
	@$(if $(filter yes,$(PGO)),rustup component add llvm-tools)
	@$(MATURIN) build --release --strip --quiet $(if $(filter yes,$(PGO)),--pgo) --interpreter $(BIN)/python --out dist
	@$(BIN)/python packaging/readme.py dist/*.whl
	@.ci/check-wheel $(PYTHON) dist/*.whl

sdist: $(STAMPS)/build $(PLAYGROUND_IF_TOOLS) ## build the source distribution in dist/, with the scenarios and papers
	@$(MATURIN) sdist --out dist
	@$(BIN)/python packaging/readme.py dist/*.tar.gz

crates: ## package and compile every published crate as cargo publish would, without publishing it
	@cargo publish --workspace --exclude ackclock-python --locked --dry-run

test-same-results: ready ## compare the tables of WHEEL=file with those of this checkout's build, byte by byte
	@$(BIN)/python .ci/same-results '$(WHEEL)'

lock: ready-for-development ## pin the newest allowed Python dependencies again in requirements/
	@lock() { $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
	    --no-emit-index-url --custom-compile-command 'make lock' --output-file "$$@"; }; \
	lock requirements/development.lock --group build --group lint --group test --group docs --group lock pyproject.toml; \
	lock requirements/runtime.lock --constraints requirements/development.lock pyproject.toml; \
	lock requirements/build.lock --constraints requirements/development.lock --group build; \
	lock requirements/audit.lock --group audit

clean: ## remove everything that make made, except results/
	rm -rf $(VENV) .cache target fuzz/target dist docs/_build python/ackclock/_native*.so playground/node_modules $(PLAYGROUND)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up ---------------------------------------------------------------------------------------------------

# Downloading Python packages and compiling Rust keep different resources busy: side by side.
ready: $(STAMPS)/build
	@$(MAKE) --silent --jobs 2 $(STAMPS)/runtime $(STAMPS)/released
	@$(MAKE) --silent $(STAMPS)/installed

ready-for-development: $(STAMPS)/build
	@$(MAKE) --silent --jobs 2 $(STAMPS)/development $(STAMPS)/compiled
	@$(MAKE) --silent $(STAMPS)/installed

$(STAMPS)/venv:
	@command -v $(PYTHON) >/dev/null || { echo 'Python 3.11 or newer is needed: set PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed, $(PYTHON) is $$($(PYTHON) -V): set PYTHON=/path/to/python3" >&2; exit 1; }
	@command -v cargo >/dev/null || { echo 'Rust is needed: https://rustup.rs' >&2; exit 1; }
	$(say) 'Making the Python environment in $(VENV)'
	@$(PYTHON) -m venv --clear $(VENV)
	@mkdir -p $(STAMPS)
	@touch $@

$(STAMPS)/build: requirements/build.lock $(STAMPS)/venv
	$(say) 'Installing the build tools'
	@$(PIP_INSTALL) --requirement requirements/build.lock
	@touch $@

$(STAMPS)/runtime: requirements/runtime.lock $(STAMPS)/venv
	$(say) 'Installing the Python packages of requirements/runtime.lock'
	@$(UV_INSTALL) --compile-bytecode --requirement requirements/runtime.lock 2>/dev/null \
	  || $(PIP_INSTALL) --requirement requirements/runtime.lock
	@touch $@

# Bytecode is made of what is imported: that of all packages takes as long as to unpack them.
$(STAMPS)/development: requirements/development.lock $(STAMPS)/venv
	$(say) 'Installing the Python packages of requirements/development.lock'
	@$(UV_INSTALL) --requirement requirements/development.lock 2>/dev/null \
	  || $(PIP_INSTALL) --no-compile --requirement requirements/development.lock
	@touch $(STAMPS)/runtime $@

# One place holds the extension: that of `ready` is compiled for speed, and serves development too where it is there. That of
# `ready-for-development` is compiled as tests are, in a third of the time, and computes the same.
$(STAMPS)/released: $(RUST_SOURCES) pyproject.toml $(STAMPS)/build
	$(say) 'Compiling the Rust extension in release mode'
	@$(MATURIN) develop --release --skip-install
	@touch $(STAMPS)/compiled $@

$(STAMPS)/compiled: $(RUST_SOURCES) pyproject.toml $(STAMPS)/build
	$(say) 'Compiling the Rust extension as tests are compiled'
	@rm -f $(STAMPS)/released
	@$(MATURIN) develop --features as-tests --skip-install
	@touch $@

# The package is installed as a link to python/ackclock: it is written once, not for every change.
$(STAMPS)/installed: pyproject.toml Cargo.toml | $(STAMPS)/compiled $(STAMPS)/runtime
	$(say) 'Linking the package into the environment'
	@report=$$($(MATURIN) develop $(if $(wildcard $(STAMPS)/released),--release,--features as-tests) 2>&1) || { echo "$$report" >&2; exit 1; }
	@touch $@
