# What one does with this package. Everything here can be done by hand; the recipes show how.

SWIFT ?= swift
KILLS ?= 500
DOCUMENTS ?= 10000
POINTS ?= all
SEED ?= 0
RACES ?= 10000
SEEDS ?= 20000
ROUNDS ?= 20
MESSAGES ?= 10000000
MINUTES ?= 10
BENCH ?=
SUITE ?=
BASE ?=
VERSION ?=
RESULTS ?= .build/bench/results.json
PEER_RESULTS ?= .build/bench/peers.json
PEERS ?=
TARGET ?=
SECONDS ?= 20
INPUT ?=
PREFIX ?= /usr/local
SOURCES := $(wildcard Sources Tests Benchmarks Examples) Package.swift

ifneq ($(shell uname), Darwin)
# Release builds run where no Swift is installed.
STATIC := --static-swift-stdlib
endif

# Packages, `make install` and the benchmarks are made of this build. It has no debug information.
RELEASE_BUILD = $(SWIFT) build -c release -debug-info-format none $(STATIC)
RELEASE = $$($(SWIFT) build -c release --show-bin-path)
# A first look, the examples and the tests share the debug build, `.build`, with `swift build` and `swift test` by hand.
DEBUG = $$($(SWIFT) build --show-bin-path)
# Sizes that a debug build takes hours for.
LARGE_TEST = $(SWIFT) test -c release -Xswiftc -enable-testing

.DEFAULT_GOAL := help

## run: build without optimization, apply a sample stream to a fresh database, and show the result
run: deps
	@printf 'Building the command without optimization, for a first look: up to some six minutes on two cores.\n'
	@$(SWIFT) build --product tidemark
	@docs/examples/first-run.sh "$(DEBUG)/tidemark" demo.db
	@printf '\nSee the same in a browser:  make run-serve\n'

## run-serve: build the server, which takes some minutes the first time, and show demo.db in a browser
run-serve: deps
	@if [ ! -e demo.db ]; then $(MAKE) --no-print-directory run; fi
	@printf 'Building the server without optimization: some minutes more on two cores.\n'
	@$(SWIFT) build --product tidemark
	@$(SWIFT) build --product tidemark-serve
	@"$(DEBUG)/tidemark" serve --db demo.db

## run-http: a server with ETags, the cache in front of it, and events beside
run-http: deps
	@$(SWIFT) build --product tidemark
	@python3 docs/examples/http-answers.py "$(DEBUG)/tidemark"

## run-graphql: a GraphQL server, the cache in front of it, and events beside; a mutation and a deferred fragment
run-graphql: deps
	@$(SWIFT) build --product tidemark
	@python3 docs/examples/graphql-and-events.py "$(DEBUG)/tidemark"

## run-scopes: a server with scopes and two people, who see a shared and a private album; one of them loses access
run-scopes: deps
	@$(SWIFT) build --product tidemark
	@$(SWIFT) build --product tidemark-serve
	@python3 docs/examples/scopes.py "$(DEBUG)/tidemark"

## run-jetstream: a NATS server, a publisher, and two caches with half of the libraries each; one is killed
run-jetstream: deps
	@$(SWIFT) build --product tidemark
	@docs/examples/jetstream.sh "$(DEBUG)/tidemark"

## recipes: run the programs of docs/recipes, which connect backends of several kinds
recipes: deps
	@$(SWIFT) build --product tidemark
	@docs/recipes/run "$(DEBUG)/tidemark"

## site-look: build the site, and look at each page in Chromium, narrow and wide, light and dark; two minutes
site-look: site
	@node docs/site/look.mjs .build/site

## site: all pages as plain files in .build/site, with a search, and the declarations by DocC; minutes the first time (BASE=/path)
site: deps
	@python3 docs/site/build.py .build/site
	@python3 docs/site/docc.py .build/site $(BASE)
	@printf 'Open it in a browser:  %s\n' "$(CURDIR)/.build/site/index.html"
	@printf 'With DocC:             python3 -m http.server -d .build/site, then http://127.0.0.1:8000/api/documentation\n'

## install: build for release and install the commands below PREFIX (PREFIX=/usr/local, DESTDIR=)
install: deps
	@$(RELEASE_BUILD) --product tidemark-serve
	@$(RELEASE_BUILD) --product tidemark-graphql-generate
	@$(RELEASE_BUILD) --product tidemark
	@install -d "$(DESTDIR)$(PREFIX)/bin"
	@for name in tidemark tidemark-serve tidemark-graphql-generate; do \
	    install -m 755 "$(RELEASE)/$$name" "$(DESTDIR)$(PREFIX)/bin/$$name"; done
	@printf 'Installed in %s\n' "$(DESTDIR)$(PREFIX)/bin"

## test: every test, as `swift test` by hand runs them
test: deps
	$(SWIFT) test

## test-quick: build the tests and run those of one module, with the time of each step (SUITE=TidemarkStoreTests)
test-quick: deps
	@begun=$$(date +%s); $(SWIFT) build --build-tests && built=$$(date +%s) \
	    && $(SWIFT) test --skip-build --filter '^$(or $(SUITE),TidemarkStoreTests)\.' \
	    && printf 'built in %d s, tested in %d s\n' $$((built - begun)) $$(($$(date +%s) - built))

## test-portable: build and test without simdjson and zstd, as on platforms without them (SUITE=TidemarkSQLiteTests for one)
test-portable: deps
	@.ci/portable $(if $(SUITE),'^$(SUITE)\.')

## format: format every source file
format:
	$(SWIFT) format format --in-place --parallel --recursive $(SOURCES)

## format-check: fail if a source file is not formatted
format-check:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

# The bench, built for release beside the command that it starts.
BENCH_BUILD = $(RELEASE_BUILD) --product tidemark-bench && $(RELEASE_BUILD) --product tidemark
ifeq ($(filter-out serve scopes,$(or $(SUITE),serve)),)
BENCH_BUILD += && $(RELEASE_BUILD) --product tidemark-serve
endif
BENCH_RUN = "$(RELEASE)/tidemark-bench"

## bench: time every stage, or SUITE, with its reference in one run, and keep the results (SUITE=apply BENCH=--smoke)
bench: deps
	@$(BENCH_BUILD)
	@$(BENCH_RUN) $(addprefix --suite ,$(SUITE)) --out $(RESULTS) $(BENCH)

## bench-compare: repeat the figures of BASE and compare by ratio (BASE=before.json)
bench-compare: deps
	@if [ -z "$(BASE)" ]; then echo 'Say with what: make bench-compare BASE=before.json' >&2; exit 64; fi
	@$(BENCH_BUILD)
	@$(BENCH_RUN) compare "$(BASE)"

## bench-urlcache: the suite of HTTP answers with Foundation's URLCache beside it; builds the bench without static linking
bench-urlcache: deps
	@$(SWIFT) build -c release --scratch-path .build-urlcache -Xswiftc -DTIDEMARK_URLCACHE --product tidemark-bench
	@.build-urlcache/release/tidemark-bench --suite http $(BENCH)

## bench-guard: small runs: fail if counted work or a ratio is above Benchmarks/thresholds.json
bench-guard: deps
	@$(BENCH_BUILD)
	@$(BENCH_RUN) guard

## bench-page: write docs/benchmarks.md and its chart from the last results, and those of the peers if there are any
bench-page:
	@$(BENCH_RUN) page $(RESULTS) $(if $(wildcard $(PEER_RESULTS)),--peers $(PEER_RESULTS)) --into docs

## bench-peers: the alternatives, with the same input in the same run (PEERS=--smoke for a small one); minutes
bench-peers: deps
	@Benchmarks/Peers/install
	@python3 Benchmarks/Peers/run.py --out $(PEER_RESULTS) $(PEERS)

## crash-test: kill ingests and sessions KILLS times each and check that nothing acknowledged was lost (KILLS=500); minutes
crash-test: deps
	TIDEMARK_SCALE=kills=$(KILLS) $(LARGE_TEST) --filter CrashTests

## crash-points: stop at every change of the disk, by process and by power (POINTS=100 for fewer, SEED=1 for others); minutes
crash-points: deps
	TIDEMARK_SCALE=points=$(if $(filter-out all,$(POINTS)),$(POINTS),0),seed=$(SEED) \
	    $(LARGE_TEST) --filter 'CrashPointTests|StreamFaultTests'

## cluster-test: kill, stop and cut off caches, publishers and three NATS servers for ROUNDS rounds (ROUNDS=20); minutes
cluster-test: deps
	@$(SWIFT) build --product tidemark
	@python3 Tests/Cluster/cluster.py --rounds $(ROUNDS) --command "$(DEBUG)/tidemark"

## stream-memory: read MESSAGES messages of a stream into a cache, whose memory must stay flat (MESSAGES=10000000); minutes
stream-memory: deps
	@$(RELEASE_BUILD) --product tidemark
	@python3 Tests/Cluster/memory.py --messages $(MESSAGES) --command "$(RELEASE)/tidemark"

## simulate: run SEEDS schedules of the simulated world, in a release build, from SEED=1 on (SEEDS=20000); minutes
simulate: deps
	@$(RELEASE_BUILD) --product tidemark
	@"$(RELEASE)/tidemark" selftest --schedules $(SEEDS) \
	    --seed $(if $(filter-out 0,$(SEED)),$(SEED),1)

## canaries: plant defects in a copy of the sources and find each with the simulation, within 200 seeds; minutes
canaries: deps
	Tests/Canaries/canaries.py

## module-table: write the dependencies of the modules into docs/architecture.md
module-table:
	@$(SWIFT) package dump-package | python3 docs/modules.py

## bounds-table: write docs/bounds.md from the comments of the sources
bounds-table:
	@python3 docs/bounds.py

## generate-doc-examples: write the compiled examples of doc comments again
generate-doc-examples:
	@python3 Tests/DocumentationExampleTests/generate.py

## generate-operations: write the generated operations of the tests again
generate-operations: deps
	@$(SWIFT) build --product tidemark-graphql-generate
	@tool="$(DEBUG)/tidemark-graphql-generate" && cd Tests/TidemarkGraphQLTypesTests && \
	    "$$tool" --schema StarWars/schema.graphqls --operations 'StarWars/Documents/*.graphql' --output StarWars/Generated && \
	    "$$tool" --schema Photos/schema.graphqls --operations 'Photos/Documents/*.graphql' --output Photos/Generated \
	        --module Photos --access package --scalars DateTime=Date,Link=URL --per-document && \
	    "$$tool" --schema ../../Benchmarks/Items/schema.graphqls --operations ../../Benchmarks/Items/Documents/Items.graphql \
	        --output ../../Benchmarks/Items/Generated && \
	    "$$tool" --schema Torture/schema.graphqls --operations 'Torture/Documents/*.graphql' --output Torture/Generated \
	        --module Torture --access public

## graphql-oracle: compare DOCUMENTS random documents with graphql-core, which it installs (DOCUMENTS=10000); minutes
graphql-oracle: deps
	@Tests/Python/install
	TIDEMARK_SCALE=documents=$(DOCUMENTS) $(LARGE_TEST) --filter OracleTests

## python: install the Python packages that some tests compare with (graphql-core, jsonschema) below .build
python:
	@Tests/Python/install
	@Tests/Python/install-incremental

## big-test: a million faulty lines against the reference model; minutes
big-test: deps
	TIDEMARK_SCALE=big=200000 $(LARGE_TEST) --filter BigStreamTests

## test-limits: a million entities under 100 MB of disk, the memory of the process, a schema of 10,000 lines; minutes
test-limits: deps
	TIDEMARK_SCALE=limits $(LARGE_TEST) --filter 'LimitTests|LargeSchemaTests'

## test-tsan: RACES races of observers against all other calls, under the thread sanitizer (RACES=10000); minutes
test-tsan: deps
	$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-tsan
	TIDEMARK_SCALE=races=$(RACES) TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=$(CURDIR)/Tests/tsan-suppressions.txt" \
	    $(SWIFT) test --skip-build \
	    --sanitize=thread --scratch-path .build-tsan --filter SubscriptionRaceTests

## asan-jetstream: the tests of streams, with real servers, under the address sanitizer; minutes
asan-jetstream: deps
	$(SWIFT) build --build-tests --sanitize=address --scratch-path .build-asan
	ASAN_OPTIONS=detect_leaks=0:halt_on_error=1:exitcode=66 $(SWIFT) test --skip-build --sanitize=address \
	    --scratch-path .build-asan --filter TidemarkJetStreamTests

## fuzz: fuzz TARGET, or every target, for SECONDS each (TARGET=lines SECONDS=60), or one input (INPUT=file)
fuzz: deps
	@Tests/Fuzzing/run $(if $(INPUT),--input $(INPUT),$(SECONDS)) $(TARGET)

## fuzz-ci: every fuzzer for 10 seconds from one seed, in a build without optimization
fuzz-ci: deps
	@TIDEMARK_FUZZ_QUICK=1 TIDEMARK_FUZZ_SEED=1 Tests/Fuzzing/run 10

## soak: mixed traffic on databases, MINUTES under the thread sanitizer and as many under the address sanitizer (MINUTES=10, SEED=1)
soak: deps
	$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-tsan
	TIDEMARK_SCALE=minutes=$(MINUTES),seed=$(SEED) \
	    TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=$(CURDIR)/Tests/tsan-suppressions.txt" \
	    $(SWIFT) test --skip-build --sanitize=thread --scratch-path .build-tsan --filter SoakTests
	$(SWIFT) build --build-tests --sanitize=address --scratch-path .build-asan
	TIDEMARK_SCALE=minutes=$(MINUTES),seed=$(SEED) ASAN_OPTIONS="detect_leaks=0" \
	    $(SWIFT) test --skip-build --sanitize=address --scratch-path .build-asan --filter SoakTests

## load-test: lines of a gigabyte, a million unusable lines, hosts that never read: the command at its limits; minutes
load-test: deps
	@$(RELEASE_BUILD) --product tidemark
	TIDEMARK_SCALE=load TIDEMARK_COMMAND="$(RELEASE)/tidemark" \
	    $(SWIFT) test --no-parallel --filter 'LoadTests|LoadHostTests'

## dist: a .tar.gz and a .deb that need no Swift installation, below .build/dist; Linux
dist: deps
	@$(RELEASE_BUILD) --product tidemark-serve
	@$(RELEASE_BUILD) --product tidemark-graphql-generate
	@$(RELEASE_BUILD) --product tidemark
	@rm -rf .build/dist
	@Packaging/dist "$(RELEASE)/tidemark" .build/dist

## dist-check: build the packages, install each into an empty root, and run it there; needs root or user namespaces
dist-check: dist
	@Packaging/check .build/dist

## release: check everything, build and check the packages, write the notes and tag the commit (VERSION=0.3.0); an hour
release: deps
	@Packaging/release "$(VERSION)"

# The examples share the build folder: Tidemark itself is then built once for both.
EXAMPLES = --package-path Examples --scratch-path .build

## examples: build and test the package in Examples, as a user would
examples: deps
	$(SWIFT) test $(EXAMPLES)

## tutorial: a new package as docs/typed-operations.md has it, from a fresh clone of the last commit; minutes
tutorial: deps
	@python3 docs/examples/typed-operations.py

## extension: build the extension of the sqlite3 shell that reads a database, and print its path
extension: deps
	@$(RELEASE_BUILD) --product tidemarksqlite
	@ls "$$($(SWIFT) build -c release --show-bin-path)"/libtidemarksqlite.*

# The client in TypeScript: compiled, and bundled for the check of its size.
WEB = Web/client

## web: build the client and the inspector in TypeScript, and check their layout and the client's size
web: web-deps
	@tsc -p $(WEB)
	@node $(WEB)/scripts/check-format.mjs
	@node $(WEB)/scripts/bundle.mjs
	@node $(WEB)/scripts/check-format.mjs --folder=../inspector
	@node Web/inspector/scripts/build.mjs

## test-web: build the client, and test it in Node against the vectors and transcripts of Protocol; the inspector in Chromium
test-web: web-inspector-compare web
	@cd $(WEB) && node scripts/test.mjs
	@Web/inspector/scripts/axe || echo 'axe-core cannot be installed; its checks are skipped' >&2
	@node Web/inspector/scripts/test.mjs

# The page that is checked in is compared with what its sources make, before `web` makes it again.
web-inspector-compare: web-deps
	@node Web/inspector/scripts/test.mjs --compare

## test-web-cross: SEEDS random walks through both implementations (SEEDS=10000 FROM=1); about an hour on two cores
test-web-cross: web
	@cd $(WEB) && SEEDS=$(or $(SEEDS),10000) node --test test/cross.test.mjs

## web-example: the photo library in a page, on a port of this machine (PORT=7430; TIDEMARK_COMMAND=… for a server of its own)
web-example: web-deps
	@printf 'The client and the inspector are compiled and bundled first; that takes about half a minute.\n'
	@$(MAKE) --no-print-directory web
	@printf 'The page of the example is bundled, and its servers are started.\n'
	@node Web/example/server/main.mjs

## bench-web: the client's figures in Node and in Chromium, beside what others take (BENCH=--smoke for a small run)
bench-web: web
	@node --expose-gc $(WEB)/bench/bench.mjs $(BENCH)
	@node $(WEB)/bench/chromium.mjs $(BENCH)

## web-browser: install Chromium, without which make test-web skips the tests in a browser
web-browser:
	@./.ci/web-deps browser

## web-format: lay out the sources of the client and the inspector
web-format: web-deps
	@node $(WEB)/scripts/check-format.mjs --write
	@node $(WEB)/scripts/check-format.mjs --folder=../inspector --write

## clean: remove the build
clean:
	rm -rf demo.db demo.db-* demo.db.token
	rm -rf Web/client/dist Web/client/bundle .build .build-tsan .build-asan .build-canaries .build-fuzz .build-fuzz-quick .build-urlcache

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /  make \1|/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

# The libraries that the package links against. Quiet when they are there.
deps:
	@./.ci/deps

# What the client is built with. Quiet when it is there.
web-deps:
	@./.ci/web-deps

.PHONY: web web-browser web-example test-web-cross web-inspector-compare test-web bench-web web-format web-deps graphql-oracle generate-operations generate-doc-examples bounds-table module-table python run run-serve run-http run-graphql run-scopes run-jetstream recipes site site-look install examples tutorial dist dist-check release extension test test-quick test-portable test-tsan asan-jetstream stream-memory test-limits soak load-test fuzz fuzz-ci format format-check bench bench-urlcache bench-compare \
    bench-guard bench-page bench-peers crash-test crash-points cluster-test simulate canaries big-test clean help deps
