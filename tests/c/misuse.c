/* Licensed under the Apache License, Version 2.0. See LICENSE. */
/*
 * What a wrong host does: missing pointers, lengths that cannot be, handles that are none, commands that are damaged,
 * calls without the turn, calls while and after another thread closes. Each is answered, nothing crashes, and what was
 * not closed stays usable.
 *
 * Usage: misuse <rounds of closing under eight threads>
 */
#include "harness.h"

enum { THREADS = 8, ROOM = 4096 };

/* What every misuse is tried on, and where the answers go. */
static fb_budget_t budget;
static fb_reader_t reader;
static fb_coordinator_t coordinator;
static uint8_t buffer[ROOM];
static fb_error error;
static fb_admission admission;
static fb_step step;
static size_t len;
static bool wake;

static void missing_pointers(void) {
    fb_command command = to_reader(FB_KIND_NO_MORE_SPLITS, 1);
    fb_bytes split = {NULL, 1};
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_budget_create(1, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_budget_used(budget, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_limits_default(NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_tracker_limits_default(NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_create(NULL, &reader, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_create(NULL, &coordinator, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_offer(reader, NULL, 1, 0, &admission, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_offer(reader, buffer, 1, 0, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_offer_batch(reader, NULL, 1, 0, &admission, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_offer_own(reader, FB_KIND_BARRIER, 1, 0, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_answer(reader, 1, FB_STATUS_ACCEPTED, 0, 1, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_available(reader, 1, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_terminate(reader, FB_TERMINAL_FAILED, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_close_mailbox(reader, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_next(reader, 0, 0, 0, 0, buffer, ROOM, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_next(reader, 0, 0, 0, 0, NULL, 1, &step, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_payload(reader, 0, buffer, ROOM, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_describe(reader, NULL, ROOM, &len, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_failure(reader, NULL, ROOM, &len, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_post(coordinator, 1, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_next(coordinator, 0, NULL, 1, 0, buffer, ROOM, &step, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_assign(coordinator, 0, 0, NULL, 1, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_has_assignment_capacity(coordinator, 0, NULL, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_restore(coordinator, buffer, 1, NULL, buffer, ROOM, &len, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_restore_reader(coordinator, 0, NULL, 1, NULL, 0, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_command_encode(NULL, NULL, 0, buffer, ROOM, &len, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_command_encode(&command, NULL, 8, buffer, ROOM, &len, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_splits_encode(NULL, 1, buffer, ROOM, &len, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_splits_encode(&split, 1, buffer, ROOM, &len, &error));
    CHECK(strstr(error.text, "NULL") != NULL);
    /* Who wants no text gets none. */
    CHECK(fb_budget_create(1, NULL, NULL) == FB_ERR_INVALID_ARGUMENT);
}

static void lengths_that_cannot_be(void) {
    const size_t huge[] = {(size_t)-1, (size_t)PTRDIFF_MAX + 1, (size_t)(ptrdiff_t)-4096};
    fb_command command = to_reader(FB_KIND_NO_MORE_SPLITS, 1);
    fb_bytes split;
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_offer(reader, buffer, huge[i], 0, &admission, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_offer(coordinator, buffer, huge[i], 0, &admission, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_next(reader, 0, 0, 0, 0, buffer, huge[i], &step, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_next(coordinator, 0, "", huge[i], 0, buffer, 1, &step, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_command_encode(&command, buffer, huge[i], buffer, ROOM, &len, &error));
        split.data = buffer;
        split.len = huge[i];
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_splits_encode(&split, 1, buffer, ROOM, &len, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_splits_encode(&split, huge[i], buffer, ROOM, &len, &error));
        /* A count whose bytes do not fit a size_t. */
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_splits_decode(buffer, 4, &split, huge[i] / 8, &len, &error));
    }
}

static void numbers_that_are_none(void) {
    const int32_t none[] = {-1, 100, 255, 256, 257, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        fb_command command = to_reader(none[i], 1);
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_command_encode(&command, NULL, 0, buffer, ROOM, &len, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_offer_own(reader, none[i], 1, 0, &admission, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_answer(reader, 1, none[i], FB_REASON_NONE, 1, &wake, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_answer(reader, 1, FB_STATUS_ACCEPTED, none[i], 1, &wake, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_terminate(reader, none[i], &wake, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_next(reader, 0, none[i], 0, 0, buffer, ROOM, &step, &error));
        EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_next(reader, 0, 0, none[i], 0, buffer, ROOM, &step, &error));
        CHECK(strcmp(fb_error_name(none[i]), "UNKNOWN") == 0);
    }
    /* A kind that exists, but does not belong to the own process, is an answer of the mailbox. */
    OK(fb_reader_offer_own(reader, FB_KIND_ASSIGN_SPLITS, 1, 0, &admission, &error));
    CHECK(admission.status == FB_STATUS_INVALID_PAYLOAD && admission.reason == FB_REASON_DIRECTION && !admission.wake);
}

static void settings_that_cannot_be(void) {
    fb_reader_config config = reader_config(budget);
    fb_coordinator_config other = coordinator_config(budget);
    uint64_t made = 0;
    config.size = sizeof config - 1;
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_create(&config, &made, &error));
    config.size = UINT32_MAX;
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_reader_create(&config, &made, &error));
    config = reader_config(budget);
    config.address_len = UINT16_MAX + 1;
    config.address = calloc(config.address_len, 1);
    CHECK(config.address != NULL);
    EXPECT(FB_ERR_INVALID_SETTING, fb_reader_create(&config, &made, &error));
    free((void *)(uintptr_t)config.address);
    config = reader_config(budget);
    config.limits.max_commands = 1;
    EXPECT(FB_ERR_INVALID_SETTING, fb_reader_create(&config, &made, &error));
    CHECK(strstr(error.text, "max_commands") != NULL);
    config = reader_config(coordinator);
    EXPECT(FB_ERR_CLOSED, fb_reader_create(&config, &made, &error));
    other.parallelism = 0;
    EXPECT(FB_ERR_INVALID_SETTING, fb_coordinator_create(&other, &made, &error));
    CHECK(made == 0);
}

static void damaged_commands(void) {
    fb_command command = to_reader(FB_KIND_READER_EPOCH_START, 0);
    uint8_t good[FB_COMMAND_HEADER_LEN];
    size_t good_len = encode(&command, NULL, 0, good, sizeof good);
    CHECK(good_len == FB_COMMAND_HEADER_LEN);
    for (size_t cut = 0; cut < good_len; cut++) {
        OK(fb_reader_offer(reader, good, cut, 0, &admission, &error));
        CHECK(admission.status == FB_STATUS_INVALID_PAYLOAD && admission.reason == FB_REASON_HEADER);
    }
    for (size_t bit = 0; bit < good_len * 8; bit++) {
        good[bit / 8] ^= (uint8_t)(1 << bit % 8);
        OK(fb_reader_offer(reader, good, good_len, 0, &admission, &error));
        CHECK(admission.status != FB_STATUS_ACCEPTED && admission.status != FB_STATUS_DUPLICATE && !admission.wake);
        good[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    memset(buffer, 0xff, sizeof buffer);
    OK(fb_reader_offer_batch(reader, buffer, sizeof buffer, 0, &admission, &error));
    CHECK(admission.status == FB_STATUS_INVALID_PAYLOAD);
    OK(fb_reader_offer_batch(reader, NULL, 0, 0, &admission, &error));
    CHECK(admission.status == FB_STATUS_ACCEPTED);
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_splits_decode(buffer, sizeof buffer, NULL, 0, &len, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_splits_decode(NULL, 0, NULL, 0, &len, &error));
    EXPECT(FB_ERR_CHECKPOINT, fb_coordinator_restore(coordinator, buffer, sizeof buffer, &step.subtask, buffer, ROOM,
                                                     &len, &error));
    EXPECT(FB_ERR_CHECKPOINT, fb_coordinator_restore_reader(coordinator, 0, NULL, 0, NULL, 0, &error));
    /* And the command itself is still a good one. */
    OK(fb_reader_offer(reader, good, good_len, 0, &admission, &error));
    CHECK(admission.status == FB_STATUS_ACCEPTED);
}

static void without_the_turn(void) {
    uint64_t turn;
    EXPECT(FB_ERR_NOT_OWNER, fb_reader_next(reader, 1, 0, 0, 0, buffer, ROOM, &step, &error));
    EXPECT(FB_ERR_NOT_OWNER, fb_reader_request_split(reader, 1, &error));
    EXPECT(FB_ERR_NOT_OWNER, fb_coordinator_next(coordinator, 9, NULL, 0, 0, buffer, ROOM, &step, &error));
    EXPECT(FB_ERR_NOT_OWNER, fb_coordinator_no_more_splits(coordinator, 9, 0, &error));
    EXPECT(FB_ERR_NOT_OWNER, fb_coordinator_snapshot(coordinator, 9, 1, NULL, 0, buffer, ROOM, &len, &error));

    /* A buffer that is too small loses nothing: the step is granted, the payload is fetched. */
    EXPECT(FB_ERR_BUFFER_TOO_SMALL, fb_reader_next(reader, 0, 0, 0, 0, NULL, 0, &step, &error));
    CHECK(step.turn == 1 && step.flight != 0 && step.payload_len > 0);
    EXPECT(FB_ERR_BUFFER_TOO_SMALL, fb_reader_payload(reader, 1, buffer, step.payload_len - 1, &len, &error));
    CHECK(len == step.payload_len);
    EXPECT(FB_ERR_NOT_OWNER, fb_reader_payload(reader, 0, buffer, ROOM, &len, &error));
    OK(fb_reader_payload(reader, 1, buffer, ROOM, &len, &error));
    CHECK(len == step.payload_len && commands_in(buffer, len) == 1);

    turn = step.turn;
    EXPECT(FB_ERR_NOT_OWNER, fb_reader_next(reader, turn - 1, 0, 0, 0, buffer, ROOM, &step, &error));
    OK(fb_reader_describe(reader, buffer, ROOM, &len, &error));
    CHECK(len > 6 && memcmp(buffer, "reader", 6) == 0);
    OK(fb_reader_next(reader, turn, 0, 0, 0, buffer, ROOM, &step, &error));
    CHECK(step.turn == turn + 1);

    /* A failure ends the reader, and says so. */
    OK(fb_reader_next(reader, step.turn, FB_OUTCOME_FAILED, 0, 0, buffer, ROOM, &step, &error));
    CHECK(step.kind == FB_STEP_KIND_TERMINAL && step.value == FB_TERMINAL_FAILED && step.payload_len == 0);
    OK(fb_reader_payload(reader, step.turn, buffer, ROOM, &len, &error));
    CHECK(len == 0);
    OK(fb_reader_failure(reader, buffer, ROOM, &len, &error));

    /* Only a poll ends with what it found, and nothing can fail before the first step. */
    EXPECT(FB_ERR_INVALID_ARGUMENT,
           fb_reader_next(reader, step.turn, FB_OUTCOME_END_OF_INPUT, 0, 0, buffer, ROOM, &step, &error));
    EXPECT(FB_ERR_INVALID_ARGUMENT, fb_coordinator_next(coordinator, 0, "boom", 4, 0, buffer, ROOM, &step, &error));
    OK(fb_coordinator_next(coordinator, 0, NULL, 0, 0, buffer, ROOM, &step, &error));
    CHECK(step.kind == FB_STEP_KIND_PARK && step.value == FB_NEVER);
}

static void handles_that_are_none(void) {
    uint64_t bad[8];
    size_t count = 0;
    bad[count++] = 0;
    bad[count++] = 1;
    bad[count++] = UINT64_MAX;
    bad[count++] = budget;
    bad[count++] = coordinator;
    bad[count++] = reader + 1;
    bad[count++] = reader ^ (uint64_t)1 << 30; /* another generation */
    bad[count++] = reader ^ (uint64_t)1 << 60; /* another copy of the library */
    for (size_t i = 0; i < count; i++) {
        EXPECT(FB_ERR_CLOSED, fb_reader_offer(bad[i], buffer, 1, 0, &admission, &error));
        EXPECT(FB_ERR_CLOSED, fb_reader_next(bad[i], 0, 0, 0, 0, buffer, ROOM, &step, &error));
        EXPECT(FB_ERR_CLOSED, fb_reader_available(bad[i], 1, &wake, &error));
        EXPECT(FB_ERR_CLOSED, fb_reader_describe(bad[i], buffer, ROOM, &len, &error));
        EXPECT(FB_ERR_CLOSED, fb_reader_close(bad[i], &error));
    }
    EXPECT(FB_ERR_CLOSED, fb_coordinator_post(reader, 1, &wake, &error));
    EXPECT(FB_ERR_CLOSED, fb_coordinator_close(budget, &error));
    EXPECT(FB_ERR_CLOSED, fb_budget_close(reader, &error));
    CHECK(strcmp(fb_error_name(error.code), "CLOSED") == 0);
}

/* Use after close, and while it is closed. */
typedef struct racer {
    pthread_t thread;
    fb_reader_t reader;
    uint64_t rounds;
    uint64_t closed;
} racer;

static void *race(void *argument) {
    racer *self = argument;
    fb_error why;
    fb_admission answer;
    fb_step next;
    bool needed;
    uint8_t room[512], command[FB_COMMAND_HEADER_LEN];
    fb_command start = to_reader(FB_KIND_READER_EPOCH_START, 0);
    size_t command_len = encode(&start, NULL, 0, command, sizeof command), ignored;
    bool alive = true;
    for (int i = 0; i < 50; i++) {
        fb_code codes[7];
        if (i == 25) {
            self->closed += fb_reader_close(self->reader, &why) == FB_OK;
            alive = false;
        }
        codes[0] = fb_reader_offer(self->reader, command, command_len, 0, &answer, &why);
        codes[1] = fb_reader_offer_own(self->reader, FB_KIND_CHECKPOINT_ABORTED, 1, 0, &answer, &why);
        codes[2] = fb_reader_next(self->reader, (uint64_t)i, 0, 0, 0, room, sizeof room, &next, &why);
        codes[3] = fb_reader_available(self->reader, 1, &needed, &why);
        codes[4] = fb_reader_answer(self->reader, 1, FB_STATUS_ACCEPTED, 0, 1, &needed, &why);
        codes[5] = fb_reader_describe(self->reader, room, sizeof room, &ignored, &why);
        codes[6] = fb_reader_terminate(self->reader, FB_TERMINAL_CANCELLED, &needed, &why);
        for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
            bool fine = codes[c] == FB_OK || codes[c] == FB_ERR_NOT_OWNER || codes[c] == FB_ERR_BUFFER_TOO_SMALL;
            CHECK(codes[c] == FB_ERR_CLOSED || (alive && fine));
        }
    }
    return NULL;
}

static void use_after_close(uint64_t rounds) {
    fb_reader_config config = reader_config(budget);
    racer racers[THREADS];
    for (uint64_t round = 0; round < rounds; round++) {
        fb_reader_t raced;
        uint64_t closed = 0;
        OK(fb_reader_create(&config, &raced, &error));
        for (int i = 0; i < THREADS; i++) {
            racers[i].reader = raced;
            racers[i].closed = 0;
            CHECK(pthread_create(&racers[i].thread, NULL, race, &racers[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            CHECK(pthread_join(racers[i].thread, NULL) == 0);
            closed += racers[i].closed;
        }
        CHECK(closed == 1);
    }
}

int main(int count, char **arguments) {
    fb_reader_config readers;
    fb_coordinator_config coordinators;
    uint64_t used;

    CHECK(count == 2);
    budget = new_budget(1 << 20);
    readers = reader_config(budget);
    coordinators = coordinator_config(budget);
    OK(fb_reader_create(&readers, &reader, &error));
    OK(fb_coordinator_create(&coordinators, &coordinator, &error));

    missing_pointers();
    lengths_that_cannot_be();
    numbers_that_are_none();
    settings_that_cannot_be();
    damaged_commands();
    without_the_turn();
    handles_that_are_none();
    use_after_close(strtoull(arguments[1], NULL, 10));

    OK(fb_reader_close(reader, &error));
    EXPECT(FB_ERR_CLOSED, fb_reader_close(reader, &error));
    OK(fb_coordinator_close(coordinator, &error));
    OK(fb_budget_used(budget, &used, &error));
    CHECK(used == 0);
    OK(fb_budget_close(budget, &error));
    EXPECT(FB_ERR_CLOSED, fb_budget_used(budget, &used, &error));
    printf("every misuse was answered\n");
    return 0;
}
