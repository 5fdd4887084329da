/* Licensed under the Apache License, Version 2.0. See LICENSE. */
/*
 * A whole source in one thread: a coordinator and one reader that reach each other by function calls.
 *
 * First life: three splits with three records each are assigned, a checkpoint is taken when two records are out, the
 * input ends, both loops close. Second life: a new coordinator is restored from that checkpoint and gets back exactly
 * what was not emitted before it.
 *
 * A split is one byte for its name and one for how many of its records are out. Time is an argument of every call, so
 * this program has a clock of its own, which moves only when both loops wait for it.
 */
#include "harness.h"

enum { SPLITS = 3, RECORDS = 3, SPLIT_LEN = 2, ROOM = 4096, STEPS = 1000 };
enum { FINISHED_TOKEN = 17, STATE_VERSION = 5, CHECKPOINT_AFTER = 2 };

typedef struct checkpoint {
    uint8_t coordinator[ROOM];
    size_t coordinator_len;
    uint8_t reader[ROOM];
    size_t reader_len;
    uint8_t splits[ROOM];
    size_t splits_len;
    bool complete;
} checkpoint;

typedef struct enumerator {
    fb_coordinator_t loop;
    fb_step step;
    uint8_t payload[ROOM];
    bool opened, running, told_end, parked;
    uint32_t registered;
} enumerator;

typedef struct reader {
    fb_reader_t loop;
    fb_step step;
    uint8_t payload[ROOM];
    int32_t outcome;
    uint8_t splits[SPLITS][SPLIT_LEN];
    size_t count;
    uint32_t emitted[SPLITS];
    uint32_t records;
    bool no_more, ended, parked;
} reader;

typedef struct source {
    enumerator enumerator;
    reader reader;
    checkpoint checkpoint;
} source;

static fb_error error;
static uint64_t clock_nanos = 1;

static size_t write_splits(uint8_t splits[][SPLIT_LEN], size_t count, uint8_t *buffer) {
    fb_bytes list[SPLITS];
    size_t len;
    for (size_t i = 0; i < count; i++) {
        list[i].data = splits[i];
        list[i].len = SPLIT_LEN;
    }
    OK(fb_splits_encode(list, count, buffer, ROOM, &len, &error));
    return len;
}

static void own(source *all, int32_t kind, uint64_t number, bool to_coordinator) {
    fb_admission admission;
    if (to_coordinator) {
        OK(fb_coordinator_offer_own(all->enumerator.loop, kind, number, clock_nanos, &admission, &error));
        all->enumerator.parked &= !admission.wake;
    } else {
        OK(fb_reader_offer_own(all->reader.loop, kind, number, clock_nanos, &admission, &error));
        all->reader.parked &= !admission.wake;
    }
    CHECK(admission.status == FB_STATUS_ACCEPTED);
}

/* The enumerator's side. */

static void assign_all(enumerator *to) {
    uint8_t splits[SPLITS][SPLIT_LEN], payload[ROOM];
    bool has;
    for (uint8_t i = 0; i < SPLITS; i++) {
        splits[i][0] = i;
        splits[i][1] = 0;
    }
    OK(fb_coordinator_has_assignment_capacity(to->loop, to->step.turn, &has, &error));
    CHECK(has);
    OK(fb_coordinator_assign(to->loop, to->step.turn, 0, payload, write_splits(splits, SPLITS, payload), &error));
}

static void end_splits(enumerator *to) {
    uint8_t payload[ROOM];
    OK(fb_coordinator_no_more_splits(to->loop, to->step.turn, 0, &error));
    EXPECT(FB_ERR_ASSIGNMENT, fb_coordinator_assign(to->loop, to->step.turn, 0, payload,
                                                    write_splits(NULL, 0, payload), &error));
    CHECK(strstr(error.text, "no split will come any more") != NULL);
    to->told_end = true;
}

static void send_to_reader(source *all) {
    enumerator *from = &all->enumerator;
    fb_admission admission;
    bool wake;
    CHECK(from->step.subtask == 0);
    OK(fb_reader_offer_batch(all->reader.loop, from->payload, from->step.payload_len, clock_nanos, &admission, &error));
    CHECK(admission.status == FB_STATUS_ACCEPTED);
    all->reader.parked &= !admission.wake;
    OK(fb_coordinator_answer(from->loop, 0, from->step.flight, admission.status, admission.reason, admission.expected,
                             &wake, &error));
    CHECK(!wake);
}

static void snapshot_enumerator(source *all) {
    static const uint8_t state[] = "state";
    enumerator *from = &all->enumerator;
    checkpoint *to = &all->checkpoint;
    CHECK(from->step.value == 1);
    EXPECT(FB_ERR_BUFFER_TOO_SMALL, fb_coordinator_snapshot(from->loop, from->step.turn, STATE_VERSION, state,
                                                            sizeof state, NULL, 0, &to->coordinator_len, &error));
    CHECK(to->coordinator_len > sizeof state);
    OK(fb_coordinator_snapshot(from->loop, from->step.turn, STATE_VERSION, state, sizeof state, to->coordinator, ROOM,
                               &to->coordinator_len, &error));
}

static void step_enumerator(source *all) {
    enumerator *on = &all->enumerator;
    OK(fb_coordinator_next(on->loop, on->step.turn, NULL, 0, clock_nanos, on->payload, ROOM, &on->step, &error));
    switch (on->step.kind) {
    case FB_STEP_KIND_OPEN:
        on->opened = true;
        break;
    case FB_STEP_KIND_CONNECT:
        CHECK(on->step.payload_len == 4 && memcmp(on->payload, "here", 4) == 0);
        break;
    case FB_STEP_KIND_REGISTER_READER:
        CHECK(on->opened);
        on->registered++;
        break;
    case FB_STEP_KIND_RUN:
        on->running = true;
        break;
    case FB_STEP_KIND_REQUEST_SPLIT:
        CHECK(on->running);
        assign_all(on);
        break;
    case FB_STEP_KIND_MAIL:
        CHECK(on->step.value == FINISHED_TOKEN);
        end_splits(on);
        break;
    case FB_STEP_KIND_SEND:
        send_to_reader(all);
        break;
    case FB_STEP_KIND_SNAPSHOT:
        snapshot_enumerator(all);
        break;
    case FB_STEP_KIND_CHECKPOINT_COMPLETE:
        all->checkpoint.complete = true;
        break;
    default:
        CHECK(on->step.kind == FB_STEP_KIND_PARK || on->step.kind == FB_STEP_KIND_CLOSED);
        on->parked = on->step.kind == FB_STEP_KIND_PARK;
    }
}

/* The reader's side. */

static void send_to_coordinator(source *all) {
    reader *from = &all->reader;
    fb_admission admission;
    bool wake;
    OK(fb_coordinator_offer_batch(all->enumerator.loop, from->payload, from->step.payload_len, clock_nanos, &admission,
                                  &error));
    CHECK(admission.status == FB_STATUS_ACCEPTED);
    all->enumerator.parked &= !admission.wake;
    OK(fb_reader_answer(from->loop, from->step.flight, admission.status, admission.reason, admission.expected, &wake,
                        &error));
    CHECK(!wake);
}

static void add_splits(reader *to) {
    fb_bytes list[SPLITS];
    size_t count;
    OK(fb_splits_decode(to->payload, to->step.payload_len, list, SPLITS, &count, &error));
    CHECK(to->count + count <= SPLITS);
    for (size_t i = 0; i < count; i++) {
        CHECK(list[i].len == SPLIT_LEN);
        memcpy(to->splits[to->count++], list[i].data, SPLIT_LEN);
    }
}

/* A poll turn: one record of the first split that has one. */
static int32_t poll(reader *on) {
    CHECK(on->step.budget.records == 64 && on->step.budget.bytes == 1 << 20 && on->step.budget.nanos == 5000000);
    for (size_t i = 0; i < on->count; i++) {
        if (on->splits[i][1] < RECORDS) {
            on->splits[i][1]++;
            on->emitted[on->splits[i][0]]++;
            on->records++;
            return FB_OUTCOME_MORE_AVAILABLE;
        }
    }
    if (on->no_more) {
        return FB_OUTCOME_END_OF_INPUT;
    }
    if (on->records == 0) {
        OK(fb_reader_request_split(on->loop, on->step.turn, &error));
    }
    return FB_OUTCOME_NOTHING_AVAILABLE;
}

static void snapshot_reader(source *all) {
    reader *from = &all->reader;
    checkpoint *to = &all->checkpoint;
    CHECK(from->step.value == 1);
    memcpy(to->reader, from->payload, from->step.payload_len);
    to->reader_len = from->step.payload_len;
    to->splits_len = write_splits(from->splits, from->count, to->splits);
}

static void step_reader(source *all) {
    reader *on = &all->reader;
    OK(fb_reader_next(on->loop, on->step.turn, on->outcome, FB_ALLOW_EVERYTHING, clock_nanos, on->payload, ROOM,
                      &on->step, &error));
    on->outcome = FB_OUTCOME_DONE;
    switch (on->step.kind) {
    case FB_STEP_KIND_REGISTER:
    case FB_STEP_KIND_SEND:
        send_to_coordinator(all);
        break;
    case FB_STEP_KIND_ADD_SPLITS:
        add_splits(on);
        break;
    case FB_STEP_KIND_NO_MORE_SPLITS:
        on->no_more = true;
        break;
    case FB_STEP_KIND_POLL:
        on->outcome = poll(on);
        break;
    case FB_STEP_KIND_SNAPSHOT:
        snapshot_reader(all);
        break;
    case FB_STEP_KIND_CHECKPOINT_COMPLETE:
        CHECK(all->checkpoint.complete);
        break;
    case FB_STEP_KIND_FINISH:
        on->ended = true;
        break;
    default:
        CHECK(on->step.kind == FB_STEP_KIND_PARK || on->step.kind == FB_STEP_KIND_CLOSED);
        on->parked = on->step.kind == FB_STEP_KIND_PARK;
    }
}

/* The engine's side. */

/* Both are parked: the time comes that one of them waits for. False if none does. */
static bool pass_time(source *all) {
    uint64_t enumerator = all->enumerator.step.value, reader = all->reader.step.value;
    uint64_t due = enumerator < reader ? enumerator : reader;
    if (due == FB_NEVER) {
        return false;
    }
    CHECK(due > clock_nanos);
    clock_nanos = due;
    all->enumerator.parked = enumerator > due;
    all->reader.parked = reader > due;
    return true;
}

/* One step of each loop that is not parked; false if nothing will ever happen by itself. */
static bool step_both(source *all) {
    if (all->enumerator.parked && all->reader.parked && !pass_time(all)) {
        return false;
    }
    if (!all->enumerator.parked) {
        step_enumerator(all);
    }
    if (!all->reader.parked) {
        step_reader(all);
    }
    return true;
}

/* The coordinator snapshots before its reader, as in Zeta. */
static void take_checkpoint(source *all) {
    own(all, FB_KIND_BARRIER, 1, true);
    own(all, FB_KIND_BARRIER, 1, false);
    for (int i = 0; i < STEPS && all->checkpoint.reader_len == 0; i++) {
        CHECK(step_both(all));
    }
    CHECK(all->checkpoint.coordinator_len > 0 && all->checkpoint.reader_len > 0);
    own(all, FB_KIND_CHECKPOINT_COMPLETE, 1, true);
    while (!all->checkpoint.complete) {
        step_enumerator(all);
    }
    own(all, FB_KIND_CHECKPOINT_COMPLETE, 1, false);
}

static void run_until_end(source *all) {
    bool wake;
    own(all, FB_KIND_OPEN_ENUMERATOR, 0, true);
    own(all, FB_KIND_RUN_ENUMERATOR, 0, true);
    for (int i = 0; i < STEPS && all->reader.records < CHECKPOINT_AFTER; i++) {
        CHECK(step_both(all));
    }
    take_checkpoint(all);
    OK(fb_coordinator_post(all->enumerator.loop, FINISHED_TOKEN, &wake, &error));
    all->enumerator.parked &= !wake;
    for (int i = 0; i < STEPS && step_both(all); i++) {
    }
    CHECK(all->enumerator.parked && all->reader.parked);
    CHECK(all->enumerator.registered == 1 && all->enumerator.told_end && all->reader.ended);
    for (int i = 0; i < SPLITS; i++) {
        CHECK(all->reader.emitted[i] == RECORDS);
    }
}

static void close_both(source *all) {
    bool wake;
    OK(fb_coordinator_close_mailbox(all->enumerator.loop, &wake, &error));
    CHECK(wake);
    OK(fb_reader_close_mailbox(all->reader.loop, &wake, &error));
    CHECK(wake);
    step_enumerator(all);
    step_reader(all);
    CHECK(all->enumerator.step.kind == FB_STEP_KIND_CLOSED && all->reader.step.kind == FB_STEP_KIND_CLOSED);
    OK(fb_coordinator_close(all->enumerator.loop, &error));
    OK(fb_reader_close(all->reader.loop, &error));
}

/* A new coordinator knows the enumerator's state, and gives back each split that was not emitted to its end. */
static void restore(const checkpoint *from, fb_budget_t budget) {
    fb_coordinator_config config = coordinator_config(budget);
    static enumerator second;
    fb_admission admission;
    fb_bytes list[SPLITS];
    uint8_t state[16], records = 0;
    size_t len, count;
    uint32_t version;

    config.attempt = id(99);
    OK(fb_coordinator_create(&config, &second.loop, &error));
    EXPECT(FB_ERR_CHECKPOINT, fb_coordinator_restore(second.loop, from->coordinator, from->coordinator_len - 1,
                                                     &version, state, sizeof state, &len, &error));
    EXPECT(FB_ERR_BUFFER_TOO_SMALL, fb_coordinator_restore(second.loop, from->coordinator, from->coordinator_len,
                                                           &version, NULL, 0, &len, &error));
    CHECK(len == sizeof "state");
    OK(fb_coordinator_restore(second.loop, from->coordinator, from->coordinator_len, &version, state, sizeof state,
                              &len, &error));
    CHECK(version == STATE_VERSION && len == sizeof "state" && strcmp((const char *)state, "state") == 0);
    OK(fb_coordinator_restore_reader(second.loop, 0, from->reader, from->reader_len, from->splits, from->splits_len,
                                     &error));
    OK(fb_coordinator_offer_own(second.loop, FB_KIND_OPEN_ENUMERATOR, 0, clock_nanos, &admission, &error));
    for (int i = 0; i < 2; i++) {
        OK(fb_coordinator_next(second.loop, second.step.turn, NULL, 0, clock_nanos, second.payload, ROOM, &second.step,
                               &error));
    }
    CHECK(second.step.kind == FB_STEP_KIND_ADD_SPLITS_BACK && second.step.subtask == 0);
    OK(fb_splits_decode(second.payload, second.step.payload_len, list, SPLITS, &count, &error));
    CHECK(count == SPLITS);
    for (size_t i = 0; i < count; i++) {
        records = (uint8_t)(records + list[i].data[1]);
    }
    CHECK(records == CHECKPOINT_AFTER);
    OK(fb_coordinator_close(second.loop, &error));
}

int main(void) {
    static source all;
    fb_budget_t budget;
    fb_reader_config reader;
    fb_coordinator_config coordinator;
    uint64_t used;

    CHECK(fb_version() == ((uint64_t)FB_LAYOUT << 32 | FB_PROTOCOL));
    budget = new_budget(1 << 20);
    reader = reader_config(budget);
    coordinator = coordinator_config(budget);
    OK(fb_reader_create(&reader, &all.reader.loop, &error));
    OK(fb_coordinator_create(&coordinator, &all.enumerator.loop, &error));

    run_until_end(&all);
    close_both(&all);
    restore(&all.checkpoint, budget);

    OK(fb_budget_used(budget, &used, &error));
    CHECK(used == 0);
    OK(fb_budget_close(budget, &error));
    printf("%u records, a checkpoint of %u bytes\n", (unsigned)all.reader.records,
           (unsigned)(all.checkpoint.coordinator_len + all.checkpoint.reader_len + all.checkpoint.splits_len));
    return 0;
}
