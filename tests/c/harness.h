/* Licensed under the Apache License, Version 2.0. See LICENSE. */
/*
 * What the C programs of this folder share: checks that end the program, a clock, a parking place, ids, commands.
 * A program ends with 0 if all is well; each wait in it has a limit.
 */
#ifndef FOREBAY_TEST_HARNESS_H
#define FOREBAY_TEST_HARNESS_H

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "forebay.h"

#ifdef __GNUC__
#define UNUSED_IS_FINE __attribute__((unused))
#else
#define UNUSED_IS_FINE
#endif

/* Nothing in these programs takes longer, not even under valgrind on a busy machine. */
#define LIMIT_NANOS 60000000000ull

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition)) {                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                   \
        }                                                                              \
    } while (0)

/* Checks the code of a call that takes `&error`. */
#define EXPECT(code, call) expect((code), (call), &error, #call, __FILE__, __LINE__)
#define OK(call) EXPECT(FB_OK, call)

UNUSED_IS_FINE static void expect(fb_code wanted, fb_code got, const fb_error *error, const char *call,
                                  const char *file, int line) {
    if (got != wanted) {
        fprintf(stderr, "%s:%d: %s is %s, not %s: %s\n", file, line, call, fb_error_name(got), fb_error_name(wanted),
                got == FB_OK ? "" : error->text);
        exit(1);
    }
}

UNUSED_IS_FINE static uint64_t now_nanos(void) {
    struct timespec now;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Where the owner of a loop parks. */
typedef struct parking {
    pthread_mutex_t mutex;
    pthread_cond_t woken;
    bool signalled;
} parking;

UNUSED_IS_FINE static void parking_open(parking *place) {
    pthread_condattr_t attributes;
    CHECK(pthread_mutex_init(&place->mutex, NULL) == 0);
    CHECK(pthread_condattr_init(&attributes) == 0);
    CHECK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&place->woken, &attributes) == 0);
    CHECK(pthread_condattr_destroy(&attributes) == 0);
    place->signalled = false;
}

UNUSED_IS_FINE static void parking_close(parking *place) {
    CHECK(pthread_cond_destroy(&place->woken) == 0);
    CHECK(pthread_mutex_destroy(&place->mutex) == 0);
}

UNUSED_IS_FINE static void parking_wake(parking *place) {
    CHECK(pthread_mutex_lock(&place->mutex) == 0);
    place->signalled = true;
    CHECK(pthread_cond_signal(&place->woken) == 0);
    CHECK(pthread_mutex_unlock(&place->mutex) == 0);
}

/* Waits until woken or until a time; false if it was the time. */
UNUSED_IS_FINE static bool parking_wait(parking *place, uint64_t until_nanos) {
    struct timespec until;
    bool woken;
    int waited = 0;
    until.tv_sec = (time_t)(until_nanos / 1000000000u);
    until.tv_nsec = (long)(until_nanos % 1000000000u);
    CHECK(pthread_mutex_lock(&place->mutex) == 0);
    while (!place->signalled && waited == 0) {
        waited = pthread_cond_timedwait(&place->woken, &place->mutex, &until);
    }
    woken = place->signalled;
    place->signalled = false;
    CHECK(pthread_mutex_unlock(&place->mutex) == 0);
    return woken;
}

UNUSED_IS_FINE static fb_id id(uint64_t low) {
    fb_id made = {0x4642, 0};
    made.low = low;
    return made;
}

UNUSED_IS_FINE static void put_u64(uint8_t *bytes, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

UNUSED_IS_FINE static uint64_t get_u64(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << 8 * i;
    }
    return value;
}

/* The one source that the programs play. */
enum { JOB = 7, RUNTIME = 1, READER = 2, COORDINATOR = 3, EPOCH = 1 };

UNUSED_IS_FINE static fb_budget_t new_budget(uint64_t max_bytes) {
    fb_error error;
    fb_budget_t budget;
    OK(fb_budget_create(max_bytes, &budget, &error));
    return budget;
}

UNUSED_IS_FINE static fb_reader_config reader_config(fb_budget_t budget) {
    static const uint8_t address[] = "here";
    fb_error error;
    fb_reader_config config;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.budget = budget;
    config.job = JOB;
    config.runtime = id(RUNTIME);
    config.attempt = id(READER);
    config.created_millis = 1;
    config.seed = 1;
    config.address = address;
    config.address_len = sizeof address - 1;
    OK(fb_limits_default(&config.limits, &error));
    return config;
}

UNUSED_IS_FINE static fb_coordinator_config coordinator_config(fb_budget_t budget) {
    fb_error error;
    fb_coordinator_config config;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.parallelism = 1;
    config.budget = budget;
    config.job = JOB;
    config.runtime = id(RUNTIME);
    config.attempt = id(COORDINATOR);
    config.epoch = EPOCH;
    config.seed = 2;
    OK(fb_limits_default(&config.limits, &error));
    OK(fb_tracker_limits_default(&config.tracker, &error));
    return config;
}

/* A command of the coordinator for the reader; its id is its sequence. */
UNUSED_IS_FINE static fb_command to_reader(int32_t kind, uint64_t sequence) {
    fb_command command;
    memset(&command, 0, sizeof command);
    command.kind = kind;
    command.job = JOB;
    command.runtime = id(RUNTIME);
    command.sender = id(COORDINATOR);
    command.target = id(READER);
    command.epoch = EPOCH;
    command.sequence = sequence;
    command.id = id(sequence);
    return command;
}

/* Writes a command into a buffer that is large enough; answers its length. */
UNUSED_IS_FINE static size_t encode(const fb_command *command, const uint8_t *payload, size_t payload_len,
                                    uint8_t *buffer, size_t capacity) {
    fb_error error;
    size_t len;
    OK(fb_command_encode(command, payload, payload_len, buffer, capacity, &len, &error));
    return len;
}

/* Commands in a batch: each is a little-endian u32 length and as many bytes. */
UNUSED_IS_FINE static uint64_t commands_in(const uint8_t *batch, size_t len) {
    uint64_t count = 0;
    size_t at = 0;
    while (at < len) {
        CHECK(len - at >= 4);
        at += 4 + ((size_t)batch[at] | (size_t)batch[at + 1] << 8 | (size_t)batch[at + 2] << 16 |
                   (size_t)batch[at + 3] << 24);
        count++;
    }
    CHECK(at == len);
    return count;
}

#endif
