# Every target prepares what it needs by itself: npm packages, the Node runtime, generated code, an Envoy. A fresh machine
# needs git, make, Node 20 or newer (with npm) and Python 3.

SHELL := /bin/sh
.DEFAULT_GOAL := build

export NX_DAEMON := false
export NX_NO_CLOUD := true
export NX_TUI := false

setup := node tools/workspace/src/setup/main.mjs

.PHONY: help setup build test lint check gen demo bench conformance measure clean docker

help: ## what there is
	@awk -F ':.*## ' '/^[a-z.%]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install packages and generate code; the other targets do this first
	@$(setup) packages gen

build: setup ## bundle every app; runnable as out/bin/NAME
	@npm run --silent build

test: setup ## types, lint, unused code, unit tests, tests with a real Envoy and Helm
	@ENVOY_BIN="$$($(setup) envoy)"; HELM_BIN="$$($(setup) helm)"; export ENVOY_BIN HELM_BIN; npm run --silent test:tiers

lint: setup ## eslint with the layer rule, and prettier
	@npm run --silent lint

check: setup ## types, lint, unused code
	@npm run --silent check

gen: ## generate code anew
	@$(setup) packages
	@npm run --silent gen

demo: setup ## a small mesh on loopback, with a route change; KEEP=1 leaves it running
	@ENVOY_BIN="$$($(setup) envoy)" && export ENVOY_BIN && npm run --silent demo

bench: setup ## measure; ARGS="..." are passed on
	@npm run --silent bench -- $(ARGS)

conformance: setup ## compare with recorded answers of Istio; ARGS="..." are passed on
	@npm run --silent conformance -- $(ARGS)

measure: build ## start-up time and memory of each binary
	@npm run --silent measure

clean: ## remove what was built, generated and cached
	rm -rf out dist coverage .nx .cache
	find apps libs tools -type d -name generated -not -path '*/node_modules/*' -prune -exec rm -rf {} +

# Container images come with a later version.
no_images = @echo "make $@: container images are not built yet; 'make build' gives the binaries in out/bin" >&2; exit 1

docker: ## container images (not built yet); docker.NAME for one
	$(no_images)

docker.%:
	$(no_images)
