# Licensed under the Apache License, Version 2.0. See LICENSE.
# The commands of this repository. `make demo` and `make test` need Rust, a JDK, Maven, make and a C compiler.

MVN ?= mvn
MVN_FLAGS ?= -B -q
# No colours: escapes are noise in a file.
MVN_PLAIN = -Dstyle.color=never
# Tests say a line for each class; what the engine logs is in target/surefire-reports of each module.
MVN_TEST_FLAGS = $(filter-out -q,$(MVN_FLAGS)) --no-transfer-progress
JAVA ?= $(if $(JAVA_HOME),$(JAVA_HOME)/bin/java,java)
CARGO ?= cargo
INPUT ?=
JOB ?=

# A second JDK for the whole-system tests; tests on it are skipped with a message where there is none.
FOREBAY_JDK25 ?= $(firstword $(wildcard /usr/lib/jvm/*25*))

# BENCH=quick measures so briefly that it only tells whether the benchmarks run; its numbers are kept apart.
BENCH ?= full
BENCH_OUT = target/bench$(if $(filter quick,$(BENCH)),-quick)
CRITERION_OUT = $(if $(filter quick,$(BENCH)),$(BENCH_OUT),target)/criterion
CRITERION_FLAGS = $(if $(filter quick,$(BENCH)),--sample-size 10 --warm-up-time 0.1 --measurement-time 0.1)
JMH_FLAGS = $(if $(filter quick,$(BENCH)),-f 1 -wi 1 -i 1 -w 100ms -r 100ms)
IDLE_SAMPLES = $(if $(filter quick,$(BENCH)),30,600)
BENCH_CP = java/benchmarks/target/classes:$$(cat java/benchmarks/target/class-path.txt)

ENGINE_FLAGS = -Dhazelcast.socket.bind.any=false

.PHONY: help build demo run test test-rust test-loom test-shuttle test-java test-jdk25 lint format bench header clean

help:
	@echo 'make demo [INPUT=dir]  run the main job on a real engine and verify its result'
	@echo 'make run JOB=file      run a job file on a node in one process'
	@echo 'make test              build everything and pass every test'
	@echo 'make build             build the library and the jars'
	@echo 'make bench             measure beside the rivals, into target/bench/summary.tsv'
	@echo 'make lint | format     check | apply formatting and lints'
	@echo 'make header            write include/forebay.h anew from the ffi crate'

build:
	@echo '== building the native library'
	@$(CARGO) build --release --locked
	@echo '== building the Java modules'
	@cd java && $(MVN) $(MVN_PLAIN) $(MVN_FLAGS) -DskipTests package

demo: build
	@mkdir -p target/demo
	@$(JAVA) $(ENGINE_FLAGS) -Xmx1g -Dlog4j2.configurationFile=log4j2-demo.properties \
	    -Dforebay.demo.log=target/demo/engine.log \
	    -cp "java/demo/target/classes:$$(cat java/demo/target/class-path.txt)" \
	    dev.forebay.demo.Demo target/demo . $(if $(INPUT),"$(INPUT)") 2> target/demo/stderr.log

run: build
	@$(JAVA) $(ENGINE_FLAGS) -Xmx1g -Dlog4j2.configurationFile=log4j2-run.properties \
	    -cp "java/demo/target/classes:$$(cat java/demo/target/class-path.txt)" \
	    dev.forebay.demo.RunJob target/run "$(JOB)"

test: lint test-rust test-loom test-shuttle test-java test-jdk25

test-rust:
	@echo '== Rust tests and C programs'
	@$(CARGO) build --release --locked
	@$(CARGO) test --workspace --locked --release

test-loom:
	@echo '== schedules of the concurrent parts, explored by loom'
	@RUSTFLAGS='--cfg loom' CARGO_TARGET_DIR=target/loom $(CARGO) test --locked --release -p forebay-core --lib loom

test-shuttle:
	@echo '== schedules of more threads, drawn by shuttle'
	@RUSTFLAGS='--cfg shuttle' CARGO_TARGET_DIR=target/shuttle $(CARGO) test --locked --release -p forebay-core --lib shuttle

test-java:
	@echo '== Java tests, among them whole jobs on a real node'
	@cd java && $(MVN) $(MVN_PLAIN) $(MVN_TEST_FLAGS) verify

test-jdk25: test-java
ifeq ($(FOREBAY_JDK25),)
	@echo '== skipped: no JDK 25 (set FOREBAY_JDK25 to its home)'
else
	@echo '== whole jobs on a real node, on $(FOREBAY_JDK25)'
	@cd java && $(MVN) $(MVN_PLAIN) $(MVN_TEST_FLAGS) -pl system-tests -am -Dforebay.jdk25=true -Djvm=$(FOREBAY_JDK25)/bin/java \
	    -Dsurefire.failIfNoSpecifiedTests=false -Dtest='dev.forebay.system.**' verify
endif

lint:
	@echo '== formatting and lints'
	@$(CARGO) fmt --all --check
	@$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	@cd java && $(MVN) $(MVN_PLAIN) $(MVN_FLAGS) spotless:check

format:
	@$(CARGO) fmt --all
	@cd java && $(MVN) $(MVN_PLAIN) $(MVN_FLAGS) spotless:apply

bench: build
	@mkdir -p $(BENCH_OUT)
	@echo '== admission, from Rust'
	@CRITERION_HOME=$(CURDIR)/$(CRITERION_OUT) \
	    $(CARGO) bench --locked -q -p forebay-benches --bench admission -- --noplot $(CRITERION_FLAGS)
	@echo '== admission, from Java'
	@$(JAVA) -cp "$(BENCH_CP)" org.openjdk.jmh.Main AdmissionBenchmark \
	    -rf json -rff $(BENCH_OUT)/admission_java.json $(JMH_FLAGS)
	@echo '== idle to record, on a real node (its log is $(BENCH_OUT)/engine.log)'
	@$(JAVA) $(ENGINE_FLAGS) -Xmx512m -cp "$(BENCH_CP)" \
	    dev.forebay.benchmarks.IdleToRecord $(BENCH_OUT)/idle_to_record.tsv $(BENCH_OUT) $(IDLE_SAMPLES) \
	    2> $(BENCH_OUT)/engine.log
	@echo '== $(BENCH_OUT)/summary.tsv'
	@$(CARGO) run --release --locked -q -p forebay-benches --bin bench-summary -- $(CRITERION_OUT) $(BENCH_OUT)

header:
	@FOREBAY_UPDATE_HEADER=1 $(CARGO) build

clean:
	@$(CARGO) clean
	@cd java && $(MVN) $(MVN_PLAIN) $(MVN_FLAGS) clean
