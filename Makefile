# The commands of this repository. Builds live in build/<preset>; see CMakePresets.json.
SHELL := bash
.SHELLFLAGS := -o pipefail -ec
.NOTPARALLEL:
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
PRESET ?= release
FUZZ_SECONDS ?= 10
BUILD := build/$(PRESET)

## Use it
.PHONY: demo
demo: deps configure web ## A live control plane on a simulated fleet, with work; Ctrl-C ends it
	@cmake --build --preset $(PRESET) -j $(JOBS) --target berth
	@$(BUILD)/berth demo

.PHONY: bench
bench: deps configure ## All published comparisons; writes bench/RESULTS.md (BENCH="openb mig": only these)
	@cmake --build --preset $(PRESET) -j $(JOBS) --target benches
	@python3 -B tools/bench_results.py --programs $(BUILD)/bench $(BENCH)

.PHONY: package
package: deps configure web ## A Debian package: build/release/berth_VERSION_ARCHITECTURE.deb
	@cmake --build --preset $(PRESET) -j $(JOBS) --target berth
	@cd $(BUILD) && cpack -G DEB

## Work on it
.PHONY: build
build: deps configure web ## Compile everything (PRESET=release, dev, asan-ubsan or tsan)
	@cmake --build --preset $(PRESET) -j $(JOBS)

.PHONY: web
web: deps ## Build the web page that `berth server` serves (web/dist)
	@tools/web.sh

.PHONY: test
test: build ## All that must hold: tests, scenarios, checks, ten seconds of each fuzzer
	@status=0; \
	ctest --preset $(PRESET) -j $(JOBS) 2>&1 | tee $(BUILD)/ctest.log || status=1; \
	if [ $(PRESET) = release ]; then \
	  python3 -B tools/check/run.py --build $(BUILD) || status=1; \
	  tools/fuzz_smoke.sh $(FUZZ_SECONDS) $(JOBS) || status=1; \
	fi; \
	echo; grep -h -E '^SKIPPED: |traces are absent|: skipped, ' \
	  $(BUILD)/Testing/Temporary/LastTest.log | sort -u || true; \
	grep -E 'tests passed' $(BUILD)/ctest.log || status=1; \
	if [ $$status = 0 ]; then echo "make test: all good"; else echo "make test: FAILED, see above"; fi; \
	exit $$status

.PHONY: check
check: build ## Only the checks of the source: arrows, purity, format, tidy, sizes (TIDY=all: every file)
	@python3 -B tools/check/run.py --build $(BUILD)

.PHONY: fuzz
fuzz: deps ## Fuzz every reader of foreign bytes (FUZZ_SECONDS=10 each)
	@tools/fuzz_smoke.sh $(FUZZ_SECONDS) $(JOBS)

.PHONY: states
states: configure ## Write the saved states among the fuzzers' inputs anew, after their format has changed
	@cmake --build --preset $(PRESET) -j $(JOBS) --target state_corpus
	@$(BUILD)/fuzz/state_corpus data/gpus tests/fuzz/states tests/fuzz/corpus/state --update

.PHONY: format
format: deps ## Rewrite the C++ sources with clang-format 16
	@find src bench tests -name '*.cc' -o -name '*.h' | xargs --no-run-if-empty clang-format-16 -i

## Prepare
.PHONY: deps
deps: ## Install the missing Debian packages of packages.txt (root or sudo)
	@tools/deps.sh

.PHONY: configure
configure:
	@cmake --preset $(PRESET) --log-level=WARNING > /dev/null

.PHONY: clean
clean: ## Remove build/
	@rm -rf build

.PHONY: help
help:
	@bold=; plain=; if [ -t 1 ]; then bold=$$'\e[1m'; plain=$$'\e[0m'; fi; \
	echo "$${bold}Berth$$plain: a control plane for GPU fleets"; \
	awk -v b="$$bold" -v p="$$plain" -F ':.*## ' \
	  '/^## /{ printf "\n%s%s%s\n", b, substr($$0, 4), p } \
	   /^[a-z]+:.*## /{ printf "  make %-8s %s\n", $$1, $$2 }' Makefile; \
	echo; echo "New here? Start with README.md, then ARCHITECTURE.md."
