# `make run` and `make test` are the two commands; `make help` lists the rest.

SHELL := /bin/bash
# Rust's installer puts cargo where a shell that is already open does not look.
export PATH := $(PATH):$(HOME)/.cargo/bin
VELO := $(or $(CARGO_TARGET_DIR),target)/release/velo

.PHONY: build run run-all test test-all bench simulate instructions fuzz result site page package setup help

build: ## Build velo (the default)
	@scripts/check-rust.sh
	cargo build --release --locked --package velo-cli
	@echo "$(VELO) is built; make help says what else there is"

run: ## Measure void and coin on the published stacks, 4 minutes once built
	@MEASURE=4 scripts/setup.sh --default void coin
	$(VELO) run void coin --budget 4m

run-all: ## Measure void and coin on every contender, about half an hour
	@scripts/setup.sh void coin
	$(VELO) run void coin --all --budget 25m

# Nothing is measured, and the velo that measures takes twice as long to build as the one that checks use.
test: export PROFILE := dev
test: setup ## Format, lints, tests, the page, and the answers of one contender of each kind and of those that changed
	@scripts/test.sh $(PARTS)

test-all: export PROFILE := dev
test-all: setup ## The same for every contender, studies, documents, instructions and the oldest Rust: an hour, before a release
	@scripts/test.sh --all

bench: build ## Compare velo load with wrk, ab, oha and others, an hour: make bench PARTS=coin
	@scripts/bench.sh $(PARTS)

simulate: ## Try the ranking rules on runs with known truth; write the table into docs/evidence.md
	@scripts/simulate.sh

instructions: ## Count the load engine's instructions for each request, with valgrind
	@scripts/instructions.sh

fuzz: ## Ten minutes of fuzzing each: make fuzz TARGET=response_parser SECONDS=60
	@scripts/fuzz.sh "$(TARGET)" "$(SECONDS)"

result: build ## Put the report of a run into docs/results/coin.md and README.md: make result RUN=results/... (INTO=docs/results/wait.md)
	@scripts/result.sh "$(RUN)" $(INTO)

RUNS ?= results
site: build ## Build the site of runs, or of archives of such, into target/site: make site RUNS=artefacts (URL=https://...)
	$(VELO) site --out target/site $(if $(URL),--url "$(URL)") $(RUNS)

page: ## Build the report's page from web/, as it is checked in
	@scripts/page.sh

package: ## Build the packages of a release, tarballs, .deb files and container images, into target/package
	@scripts/package.sh

setup: ## Build velo and install what contenders need (as root on Debian), else print what is missing
	@scripts/setup.sh

help: ## This list
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done
