/* Licensed under the Apache License, Version 2.0. See LICENSE. */
/*
 * Two producers and an owner. One producer plays the coordinator: splits on the channel, one in each command. The other
 * one plays the engine: barriers and completed checkpoints. The owner drains until the mailbox is closed and empty.
 *
 * Shows: every command that was accepted is applied exactly once and in its order, and no wake-up is lost: the owner
 * parks without a limit of its own, and whoever is told to wake it does so.
 *
 * Usage: producers <commands of each producer>
 */
#include "harness.h"

#include <sched.h>

/* Checkpoints that the engine has on their way at most: two commands each must fit the reserve. */
#define AHEAD 8u

typedef struct source {
    fb_reader_t reader;
    parking owner;
    uint64_t commands;
    uint64_t deadline;
    /* Of the owner; `completed` also of the engine, under the mutex. */
    pthread_mutex_t mutex;
    uint64_t completed;
    uint64_t splits;
    uint64_t snapshots;
    uint64_t sent;
    uint64_t parks;
    uint64_t polls;
} source;

static uint64_t completed(source *all) {
    uint64_t value;
    CHECK(pthread_mutex_lock(&all->mutex) == 0);
    value = all->completed;
    CHECK(pthread_mutex_unlock(&all->mutex) == 0);
    return value;
}

/* Offers until the answer is not "later". */
static void offer(source *all, const uint8_t *command, size_t len) {
    fb_error error;
    fb_admission admission;
    for (;;) {
        OK(fb_reader_offer(all->reader, command, len, now_nanos(), &admission, &error));
        if (admission.wake) {
            parking_wake(&all->owner);
        }
        if (admission.status != FB_STATUS_RETRY_LATER) {
            break;
        }
        CHECK(now_nanos() < all->deadline);
        sched_yield();
    }
    CHECK(admission.status == FB_STATUS_ACCEPTED && admission.reason == FB_REASON_NONE);
}

static void *play_coordinator(void *argument) {
    source *all = argument;
    fb_error error;
    uint8_t split[8], payload[64], buffer[FB_COMMAND_HEADER_LEN + sizeof payload];
    fb_command command = to_reader(FB_KIND_READER_EPOCH_START, 0);
    offer(all, buffer, encode(&command, NULL, 0, buffer, sizeof buffer));
    for (uint64_t sequence = 1; sequence <= all->commands; sequence++) {
        fb_bytes splits;
        size_t len;
        put_u64(split, sequence);
        splits.data = split;
        splits.len = sizeof split;
        OK(fb_splits_encode(&splits, 1, payload, sizeof payload, &len, &error));
        command = to_reader(FB_KIND_ASSIGN_SPLITS, sequence);
        offer(all, buffer, encode(&command, payload, len, buffer, sizeof buffer));
    }
    return NULL;
}

static void *play_engine(void *argument) {
    source *all = argument;
    fb_error error;
    for (uint64_t i = 0; i < all->commands; i++) {
        int32_t kind = i % 2 == 0 ? FB_KIND_BARRIER : FB_KIND_CHECKPOINT_COMPLETE;
        fb_admission admission;
        while (i / 2 >= completed(all) + AHEAD) {
            CHECK(now_nanos() < all->deadline);
            sched_yield();
        }
        OK(fb_reader_offer_own(all->reader, kind, i / 2 + 1, now_nanos(), &admission, &error));
        CHECK(admission.status == FB_STATUS_ACCEPTED);
        if (admission.wake) {
            parking_wake(&all->owner);
        }
    }
    return NULL;
}

/* The coordinator has taken everything. */
static void acknowledge(source *all, const fb_step *step, const uint8_t *batch) {
    fb_error error;
    bool wake;
    if (step->kind == FB_STEP_KIND_SEND) {
        all->sent += commands_in(batch, step->payload_len);
    }
    OK(fb_reader_answer(all->reader, step->flight, FB_STATUS_ACCEPTED, FB_REASON_NONE, all->sent + 1, &wake, &error));
    CHECK(!wake); /* The owner is here, not parked. */
}

static void add_split(source *all, const fb_step *step, const uint8_t *payload) {
    fb_error error;
    fb_bytes split;
    size_t count;
    OK(fb_splits_decode(payload, step->payload_len, &split, 1, &count, &error));
    CHECK(count == 1 && split.len == 8);
    CHECK(get_u64(split.data) == ++all->splits);
}

static void park(source *all, uint64_t until) {
    uint64_t limit = until == FB_NEVER ? all->deadline : until;
    all->parks++;
    if (!parking_wait(&all->owner, limit)) {
        CHECK(until != FB_NEVER); /* Else a wake-up was lost. */
    }
}

static int32_t apply(source *all, const fb_step *step, const uint8_t *payload) {
    switch (step->kind) {
    case FB_STEP_KIND_REGISTER:
    case FB_STEP_KIND_SEND:
        acknowledge(all, step, payload);
        break;
    case FB_STEP_KIND_ADD_SPLITS:
        add_split(all, step, payload);
        break;
    case FB_STEP_KIND_SNAPSHOT:
        CHECK(step->value == ++all->snapshots && step->payload_len > 0);
        break;
    case FB_STEP_KIND_CHECKPOINT_COMPLETE:
        CHECK(step->value == all->snapshots);
        CHECK(pthread_mutex_lock(&all->mutex) == 0);
        CHECK(step->value == ++all->completed);
        CHECK(pthread_mutex_unlock(&all->mutex) == 0);
        break;
    case FB_STEP_KIND_POLL:
        all->polls++;
        return FB_OUTCOME_NOTHING_AVAILABLE;
    case FB_STEP_KIND_PARK:
        park(all, step->value);
        break;
    default:
        CHECK(step->kind == FB_STEP_KIND_CLOSED);
    }
    return FB_OUTCOME_DONE;
}

static void *play_owner(void *argument) {
    source *all = argument;
    fb_error error;
    uint8_t buffer[64 << 10];
    fb_step step;
    int32_t outcome = FB_OUTCOME_DONE;
    step.turn = 0;
    do {
        CHECK(now_nanos() < all->deadline);
        OK(fb_reader_next(all->reader, step.turn, outcome, FB_ALLOW_EVERYTHING, now_nanos(), buffer, sizeof buffer,
                          &step, &error));
        outcome = apply(all, &step, buffer);
    } while (step.kind != FB_STEP_KIND_CLOSED);
    return NULL;
}

int main(int count, char **arguments) {
    static source all;
    fb_error error;
    fb_budget_t budget = new_budget(1 << 20);
    fb_reader_config config = reader_config(budget);
    pthread_t owner, coordinator, engine;
    uint64_t used;
    bool wake;

    CHECK(count == 2);
    all.commands = strtoull(arguments[1], NULL, 10);
    all.deadline = now_nanos() + LIMIT_NANOS;
    /* Small, so that it is full most of the time. */
    config.limits.max_commands = 64;
    config.limits.reserved_commands = 32;
    CHECK(pthread_mutex_init(&all.mutex, NULL) == 0);
    parking_open(&all.owner);
    OK(fb_reader_create(&config, &all.reader, &error));

    CHECK(pthread_create(&owner, NULL, play_owner, &all) == 0);
    CHECK(pthread_create(&coordinator, NULL, play_coordinator, &all) == 0);
    CHECK(pthread_create(&engine, NULL, play_engine, &all) == 0);
    CHECK(pthread_join(coordinator, NULL) == 0);
    CHECK(pthread_join(engine, NULL) == 0);
    OK(fb_reader_close_mailbox(all.reader, &wake, &error));
    if (wake) {
        parking_wake(&all.owner);
    }
    CHECK(pthread_join(owner, NULL) == 0);

    CHECK(all.splits == all.commands);
    CHECK(all.snapshots == (all.commands + 1) / 2 && all.completed == all.commands / 2);
    OK(fb_budget_used(budget, &used, &error));
    CHECK(used == 0);
    OK(fb_reader_close(all.reader, &error));
    OK(fb_budget_close(budget, &error));
    parking_close(&all.owner);
    CHECK(pthread_mutex_destroy(&all.mutex) == 0);
    printf("%llu splits, %llu snapshots, %llu completed, %llu polls, %llu parks\n", (unsigned long long)all.splits,
           (unsigned long long)all.snapshots, (unsigned long long)all.completed, (unsigned long long)all.polls,
           (unsigned long long)all.parks);
    return 0;
}
