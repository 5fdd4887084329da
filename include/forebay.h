// Licensed under the Apache License, Version 2.0. See LICENSE.
// Generated from the ffi crate by build.rs: do not edit. After a change: FOREBAY_UPDATE_HEADER=1 cargo build
//
// The C ABI of the Forebay source runtime: admission, ordering, ownership and recovery for the sources of a data
// integration engine. One reader or coordinator is a loop: any thread offers commands to its mailbox, one thread at a
// time owns its turn, asks for the next step, does it, and reports how it went. Needs C99 or C++11.
//
// Loops
//     uint64_t turn = 0;
//     int32_t outcome = FB_OUTCOME_DONE;
//     do {
//         fb_reader_next(reader, turn, outcome, FB_ALLOW_EVERYTHING, now(), buffer, sizeof buffer, &step, &error);
//         turn = step.turn;
//         outcome = do_it(&step, buffer);
//     } while (step.kind != FB_STEP_KIND_CLOSED && step.kind != FB_STEP_KIND_TERMINAL);
//   tests/c/little_source.c is a whole source.
//
// Errors
//   Every function but fb_version and fb_error_name returns an fb_code: FB_OK, or why nothing was done. The last
//   argument is where the text goes: a struct of the caller's, or NULL for no text. It is written exactly when the
//   call does not return FB_OK. Other results are written exactly when it does, with two exceptions, both for
//   FB_ERR_BUFFER_TOO_SMALL: the needed length is written, and a next function has granted and written its step.
//   A refused offer is no error: see fb_admission.
//
// Memory
//   All memory is the caller's. The library keeps no pointer of the caller's after a call has returned, allocates
//   nothing that the caller would have to free, and hands out no pointer but the text of fb_error_name. A pointer may
//   be NULL only if its length is 0 or its description says so; one to a struct or a number must be aligned and valid;
//   no two of the pointers of one call may overlap where the library writes. Bytes are uint8_t, texts are UTF-8.
//
// Handles
//   A handle is a number, not a pointer. One that is closed, stale, invented, of another kind of object or of another
//   copy of the library is answered with FB_ERR_CLOSED, from any thread at any time. A call that is inside an object
//   when its handle is closed ends as usual; the object goes with the last one. Four million objects of each kind.
//
// Threads
//   Any thread may call any function; none waits (creating and closing take a lock for an instant), none calls back.
//   What is marked "Owner" belongs to whoever holds the number of the current turn; from everybody else it returns
//   FB_ERR_NOT_OWNER and changes nothing. A turn may be carried on by another thread. A result called wake is true if
//   the owner was told to park since it last looked: the caller must then wake it, by whatever means it parks. A
//   wake-up too many does no harm. Do not call anything in a child after fork: exec is all that it may do.
//
// Units
//   now_nanos is the host's clock in nanoseconds: any origin, below 2^63, never backwards, the same one for all calls
//   on an object.
//   Lengths are bytes unless said otherwise, 0 to PTRDIFF_MAX. An int32_t that is described as an enum may be handed
//   any number; one that the enum does not have is FB_ERR_INVALID_ARGUMENT.
//
// Versions
//   Numbers are never used twice, and structs never change within one FB_LAYOUT: compare it with fb_version() >> 32
//   before anything else. A struct that begins with its size is refused if the library knows another size.


#ifndef FOREBAY_H
#define FOREBAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Counts the changes of the functions and structs of this header.
#define FB_LAYOUT 1

// The protocol between coordinator and readers that this header's commands speak.
#define FB_PROTOCOL 1

// Bytes of the text in an fb_error, its final NUL among them.
#define FB_ERROR_TEXT 512

// Bytes of a capability digest: SHA-256.
#define FB_DIGEST_LEN 32

// In an fb_step: no time to wake up at by itself.
#define FB_NEVER 18446744073709551615ull

// Bytes of a command in front of its payload.
#define FB_COMMAND_HEADER_LEN 120

// How a call ended.
enum fb_code
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Done.
    FB_OK = 0,
    // The handle is closed, stale, of another kind of object, or of another copy of the library.
    FB_ERR_CLOSED = 1,
    // The caller does not own the current turn. Nothing has changed.
    FB_ERR_NOT_OWNER = 2,
    // An argument cannot be: NULL, negative, out of range. Nothing has changed.
    FB_ERR_INVALID_ARGUMENT = 3,
    // A setting cannot be; the text names it.
    FB_ERR_INVALID_SETTING = 4,
    // A checkpoint cannot be used; the text says why, and what to do.
    FB_ERR_CHECKPOINT = 5,
    // An assignment was refused; the text says why.
    FB_ERR_ASSIGNMENT = 6,
    // A defect of the library. Close the object; the library stays usable.
    FB_ERR_PANIC = 7,
    // The caller's buffer is too small; the length that is needed was written.
    FB_ERR_BUFFER_TOO_SMALL = 8,
    // No more objects can be handed out.
    FB_ERR_EXHAUSTED = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum fb_code fb_code;
#else
typedef int32_t fb_code;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What the host does next. In brackets: what stands in the fields of fb_step beside kind and turn.
enum fb_step_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Both loops: wait until woken, at most until a time. [value: the time, or FB_NEVER]
    FB_STEP_KIND_PARK = 1,
    // Both loops: nothing more happens. [value: an fb_terminal]
    FB_STEP_KIND_TERMINAL = 2,
    // Both loops: the mailbox was closed and is empty.
    FB_STEP_KIND_CLOSED = 3,
    // Both loops: send the batch to the other side, and answer the flight. [flight, payload: a batch for offer_batch;
    // coordinator: subtask]
    FB_STEP_KIND_SEND = 4,
    // Both loops: take the connector's snapshot. [value: checkpoint; reader: payload: the runtime's part of it]
    FB_STEP_KIND_SNAPSHOT = 5,
    // Both loops: tell the connector that a checkpoint is complete. [value: checkpoint]
    FB_STEP_KIND_CHECKPOINT_COMPLETE = 6,
    // Both loops: tell the connector that a checkpoint was aborted. [value: checkpoint]
    FB_STEP_KIND_CHECKPOINT_ABORTED = 7,
    // Reader: give the connector splits. [payload: see fb_splits_decode]
    FB_STEP_KIND_ADD_SPLITS = 16,
    // Reader: tell the connector that no split will come any more.
    FB_STEP_KIND_NO_MORE_SPLITS = 17,
    // Reader: let the connector emit, within the budget; report with one of the last three fb_outcome. [budget]
    FB_STEP_KIND_POLL = 18,
    // Reader: find the coordinator, send it the batch, and answer the flight. [flight, payload: a batch]
    FB_STEP_KIND_REGISTER = 19,
    // Reader: tell the engine that the input has ended.
    FB_STEP_KIND_FINISH = 20,
    // Coordinator: open the enumerator.
    FB_STEP_KIND_OPEN = 32,
    // Coordinator: give the enumerator splits back. [subtask: who had them; payload: see fb_splits_decode]
    FB_STEP_KIND_ADD_SPLITS_BACK = 33,
    // Coordinator: commands for a reader go to an address from now on. [subtask; payload: the address]
    FB_STEP_KIND_CONNECT = 34,
    // Coordinator: tell the enumerator that a reader is there. [subtask]
    FB_STEP_KIND_REGISTER_READER = 35,
    // Coordinator: start the enumerator.
    FB_STEP_KIND_RUN = 36,
    // Coordinator: tell the enumerator that a reader wants a split. [subtask]
    FB_STEP_KIND_REQUEST_SPLIT = 37,
    // Coordinator: run a mail that was posted. [value: its token]
    FB_STEP_KIND_MAIL = 38,
    // Coordinator: the source has failed; told once. [payload: why, UTF-8]
    FB_STEP_KIND_FAILED = 39,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum fb_step_kind fb_step_kind;
#else
typedef int32_t fb_step_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What fb_reader_next may answer.
enum fb_allow
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Any step.
    FB_ALLOW_EVERYTHING = 0,
    // Neither FB_STEP_KIND_POLL nor FB_STEP_KIND_FINISH: what was admitted is to be applied, nothing emitted.
    FB_ALLOW_NO_POLL = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum fb_allow fb_allow;
#else
typedef int32_t fb_allow;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a command says. The payloads stand beside each kind; all numbers in them are little-endian.
enum fb_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // To a reader: the coordinator opens its channel. No payload.
    FB_KIND_READER_EPOCH_START = 1,
    // To a reader: splits. See fb_splits_encode.
    FB_KIND_ASSIGN_SPLITS = 2,
    // To a reader: no split will come any more. u64 generation, from 1.
    FB_KIND_NO_MORE_SPLITS = 3,
    // Own: the engine orders a snapshot. Number: checkpoint.
    FB_KIND_BARRIER = 5,
    // Own: a checkpoint is complete. Number: checkpoint.
    FB_KIND_CHECKPOINT_COMPLETE = 6,
    // Own: a checkpoint will never be complete. Number: checkpoint.
    FB_KIND_CHECKPOINT_ABORTED = 7,
    // To a coordinator: a reader asks for a split. No payload.
    FB_KIND_REQUEST_SPLIT = 11,
    // To a coordinator: a reader has emitted all of its bounded input. No payload.
    FB_KIND_READER_FINISHED = 13,
    // To a coordinator: everything up to a sequence is applied. u64 sequence.
    FB_KIND_COMMAND_APPLIED = 14,
    // To a coordinator: a reader has snapshotted. u64 checkpoint, u64 sequence applied before it.
    FB_KIND_READER_CHECKPOINT_REPORT = 15,
    // To a coordinator: a reader announces itself. Written by the library only.
    FB_KIND_REGISTER_READER = 17,
    // To a reader: the source has failed on the coordinator's side. UTF-8 text.
    FB_KIND_SOURCE_FAILED = 18,
    // To a reader: a barrier is on its way. u64 checkpoint.
    FB_KIND_BARRIER_COMING = 19,
    // Own: the engine opens the enumerator. Number: 0.
    FB_KIND_OPEN_ENUMERATOR = 20,
    // Own: the engine starts the enumerator. Number: 0.
    FB_KIND_RUN_ENUMERATOR = 21,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum fb_kind fb_kind;
#else
typedef int32_t fb_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// How the last step went.
enum fb_outcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The step is done; also what the first call reports.
    FB_OUTCOME_DONE = 0,
    // The step failed: the source has failed.
    FB_OUTCOME_FAILED = 1,
    // A poll turn ended, and there is more.
    FB_OUTCOME_MORE_AVAILABLE = 2,
    // A poll turn ended, and there is nothing for now: fb_reader_available says when there may be.
    FB_OUTCOME_NOTHING_AVAILABLE = 3,
    // A poll turn ended, and so has the bounded input.
    FB_OUTCOME_END_OF_INPUT = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum fb_outcome fb_outcome;
#else
typedef int32_t fb_outcome;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why an offer ended like that.
enum fb_reason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Nothing to add.
    FB_REASON_NONE = 0,
    // The mailbox is closed.
    FB_REASON_CLOSED = 1,
    // The source is cancelled or has failed.
    FB_REASON_TERMINAL = 2,
    // The runtime or job id is another one.
    FB_REASON_RUNTIME = 3,
    // The attempt at one of the ends is another one.
    FB_REASON_ATTEMPT = 4,
    // The coordinator's epoch is another one.
    FB_REASON_EPOCH = 5,
    // A header that is damaged or unknown.
    FB_REASON_HEADER = 6,
    // The checksum differs.
    FB_REASON_CHECKSUM = 7,
    // Larger than a command may be.
    FB_REASON_TOO_LARGE = 8,
    // The payload is not what its kind wants.
    FB_REASON_PAYLOAD = 9,
    // Not a command for this side.
    FB_REASON_DIRECTION = 10,
    // A sequence before it is missing.
    FB_REASON_GAP = 11,
    // The same sequence was taken with another command id.
    FB_REASON_CONFLICT = 12,
    // The loop has not passed the cut that the command belongs behind.
    FB_REASON_CUT = 13,
    // No room for another command.
    FB_REASON_COMMANDS = 14,
    // No room for the bytes.
    FB_REASON_BYTES = 15,
    // The worker's budget is used up.
    FB_REASON_BUDGET = 16,
    // The channel is not open yet, or is changing.
    FB_REASON_NOT_READY = 17,
    // Another copy of the command is being admitted.
    FB_REASON_IN_PROGRESS = 18,
    // Nobody with this address on the asked member.
    FB_REASON_UNKNOWN = 19,
    // The transport did not deliver: what a host answers for it, with FB_STATUS_RETRY_LATER.
    FB_REASON_TRANSPORT = 20,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum fb_reason fb_reason;
#else
typedef int32_t fb_reason;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// How an offer ended.
enum fb_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Validated, reserved, sequenced and visible to the owner; neither applied nor durable yet.
    FB_STATUS_ACCEPTED = 1,
    // This attempt has taken the same command before.
    FB_STATUS_DUPLICATE = 2,
    // Not now: offer again after a back-off.
    FB_STATUS_RETRY_LATER = 3,
    // Meant for another source, attempt or epoch.
    FB_STATUS_STALE_TARGET = 4,
    // The loop takes nothing any more.
    FB_STATUS_TERMINAL_REJECTED = 5,
    // A protocol version that is not spoken here.
    FB_STATUS_UNSUPPORTED_PROTOCOL = 6,
    // Damaged, oversized, or in conflict with what was taken before.
    FB_STATUS_INVALID_PAYLOAD = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum fb_status fb_status;
#else
typedef int32_t fb_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Why a loop does nothing any more.
enum fb_terminal
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Cancelled by the host.
    FB_TERMINAL_CANCELLED = 1,
    // Failed by the host or by the other side.
    FB_TERMINAL_FAILED = 2,
    // A control command found no room: the reserve is not enough. Told by the library only.
    FB_TERMINAL_RESERVE_EXHAUSTED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum fb_terminal fb_terminal;
#else
typedef int32_t fb_terminal;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a mailbox may hold. Bytes count as they are stored: header and payload, rounded up to 64.
typedef struct fb_limits {
    // Commands, 2 to 524288.
    uint32_t max_commands;
    // Bytes, 12 KiB to 1 GiB.
    uint32_t max_bytes;
    // Commands that only control commands may use; less than max_commands.
    uint32_t reserved_commands;
    // Bytes that only control commands may use; less than max_bytes.
    uint32_t reserved_bytes;
    // Bytes of one payload, 1 to max_bytes - reserved_bytes - 8 KiB.
    uint32_t max_payload;
} fb_limits;

// Why a call failed. The caller's; written only by a call that fails.
typedef struct fb_error {
    // What the call returned.
    fb_code code;
    // For people: UTF-8, ends with a NUL.
    char text[FB_ERROR_TEXT];
} fb_error;

// A 128-bit id.
typedef struct fb_id {
    // The upper 64 bits.
    uint64_t high;
    // The lower 64 bits.
    uint64_t low;
} fb_id;

// A command without its payload.
typedef struct fb_command {
    // What it says: an fb_kind.
    int32_t kind;
    // The subtask of the reader at either end.
    uint32_t subtask;
    // The engine's number of the job.
    uint64_t job;
    // The source that both ends belong to.
    struct fb_id runtime;
    // The attempt that sends.
    struct fb_id sender;
    // The attempt that is meant.
    struct fb_id target;
    // The coordinator's epoch.
    uint64_t epoch;
    // Place in the channel, from 1; 0 for FB_KIND_READER_EPOCH_START and FB_KIND_REGISTER_READER, which open one, and
    // for FB_KIND_SOURCE_FAILED and FB_KIND_BARRIER_COMING, which are not queued.
    uint64_t sequence;
    // Names the command for ever, also when it is sent again.
    struct fb_id id;
    // The last checkpoint that the sender has snapshotted; 0 if none.
    uint64_t cut;
} fb_command;

// Bytes in memory of the caller.
typedef struct fb_bytes {
    // Where they lie; NULL is good for none.
    const uint8_t *data;
    // How many.
    size_t len;
} fb_bytes;

// A budget of mailbox bytes.
typedef uint64_t fb_budget_t;

// What a reader needs to know of itself.
typedef struct fb_reader_config {
    // sizeof(fb_reader_config).
    uint32_t size;
    // From 0 to parallelism - 1.
    uint32_t subtask;
    // The budget that the mailbox shares.
    fb_budget_t budget;
    // The engine's number of the job.
    uint64_t job;
    // Names the source.
    struct fb_id runtime;
    // This life, drawn at random.
    struct fb_id attempt;
    // Digest of the connector's capability.
    uint8_t digest[FB_DIGEST_LEN];
    // When the reader was created, in ms since 1970.
    uint64_t created_millis;
    // Draws the jitter of back-offs.
    uint64_t seed;
    // Where commands for the reader go, in the host's format; copied.
    const uint8_t *address;
    // Bytes of the address, 0 to 320.
    size_t address_len;
    // What the mailbox may hold.
    struct fb_limits limits;
} fb_reader_config;

// A reader.
typedef uint64_t fb_reader_t;

// The answer to an offer, or to a batch: then it tells how the first command that was not taken fared.
typedef struct fb_admission {
    // How it ended: an fb_status.
    int32_t status;
    // Why: an fb_reason.
    int32_t reason;
    // Every sequence below it was taken; 0 if the channel is not open or not known.
    uint64_t expected;
    // Whether the host must wake the owner of the loop.
    bool wake;
} fb_admission;

// What a poll turn may emit: it ends at whatever is reached first. The host counts.
typedef struct fb_poll_budget {
    // Records.
    uint32_t records;
    // Bytes of the records.
    uint32_t bytes;
    // Time in ns.
    uint64_t nanos;
} fb_poll_budget;

// What the host does next, and the turn in which it does so.
typedef struct fb_step {
    // What to do.
    fb_step_kind kind;
    // The subtask that it is about; 0 where the kind names none.
    uint32_t subtask;
    // To be handed in with the step's outcome.
    uint64_t turn;
    // A checkpoint, a time, a token or a cause, as the kind says; else 0.
    uint64_t value;
    // Bytes of the payload; 0 where the kind has none.
    size_t payload_len;
    // The flight to answer; never 0 where the kind has one.
    uint8_t flight;
    // What a poll turn may emit; 0 where the kind is none.
    struct fb_poll_budget budget;
} fb_step;

// What the tracker of assignments may hold.
typedef struct fb_tracker_limits {
    // Splits.
    uint64_t max_entries;
    // Bytes of the serialized splits.
    uint64_t max_bytes;
} fb_tracker_limits;

// What a coordinator needs to know of itself.
typedef struct fb_coordinator_config {
    // sizeof(fb_coordinator_config).
    uint32_t size;
    // Readers of the source, 1 to 65536. Each takes 3 KiB for its channel, from the beginning.
    uint32_t parallelism;
    // The budget that the mailbox shares.
    fb_budget_t budget;
    // The engine's number of the job.
    uint64_t job;
    // Names the source.
    struct fb_id runtime;
    // This life, drawn at random.
    struct fb_id attempt;
    // Higher than that of any earlier life; a restored checkpoint may raise it.
    uint64_t epoch;
    // Digest of the connector's capability.
    uint8_t digest[FB_DIGEST_LEN];
    // Draws the jitter of back-offs.
    uint64_t seed;
    // What the tracker may hold.
    struct fb_tracker_limits tracker;
    // What the mailbox may hold.
    struct fb_limits limits;
} fb_coordinator_config;

// A coordinator.
typedef uint64_t fb_coordinator_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What the loaded library is: its FB_LAYOUT in the upper 32 bits, its FB_PROTOCOL in the lower ones.
//
// A program that was built with a header of another layout must not call anything else.
uint64_t fb_version(void);

// The name of a code, as it stands in logs: "CLOSED". "UNKNOWN" for a number that is none. The text is the library's
// and stays.
const char *fb_error_name(int32_t code);

// The limits of STIP-31's initial production defaults.
fb_code fb_limits_default(struct fb_limits *limits,
                          struct fb_error *error);

// Writes a command as fb_reader_offer and fb_coordinator_offer take it: FB_COMMAND_HEADER_LEN bytes and the payload.
//
// # Safety
// At payload are payload_len readable bytes, at buffer capacity writable ones; no memory is given twice.
fb_code fb_command_encode(const struct fb_command *command,
                          const uint8_t *payload,
                          size_t payload_len,
                          uint8_t *buffer,
                          size_t capacity,
                          size_t *len,
                          struct fb_error *error);

// Writes a list of splits: the payload of FB_KIND_ASSIGN_SPLITS, and what fb_coordinator_assign takes.
//
// # Safety
// At splits are count readable fb_bytes, each with its bytes, at buffer capacity writable bytes; no memory is given
// twice.
fb_code fb_splits_encode(const struct fb_bytes *splits,
                         size_t count,
                         uint8_t *buffer,
                         size_t capacity,
                         size_t *len,
                         struct fb_error *error);

// Reads a list of splits: where each one lies in the payload, in order. Nothing is copied.
//
// # Safety
// At payload are payload_len readable bytes, at splits is room for capacity fb_bytes; no memory is given twice.
fb_code fb_splits_decode(const uint8_t *payload,
                         size_t payload_len,
                         struct fb_bytes *splits,
                         size_t capacity,
                         size_t *count,
                         struct fb_error *error);

// A budget of max_bytes for all mailboxes that are created with it, charged by the page of 4 KiB that a command
// begins. Control commands are charged, but never refused for it.
fb_code fb_budget_create(uint64_t max_bytes,
                         fb_budget_t *budget,
                         struct fb_error *error);

// Bytes that are in use.
fb_code fb_budget_used(fb_budget_t budget,
                       uint64_t *used,
                       struct fb_error *error);

// Ends the handle. Loops that were created with the budget keep it.
fb_code fb_budget_close(fb_budget_t budget,
                        struct fb_error *error);

// Creates a reader that has not registered yet.
//
// # Safety
// At config are as many readable bytes as its size says, at its address address_len ones.
fb_code fb_reader_create(const struct fb_reader_config *config,
                         fb_reader_t *reader,
                         struct fb_error *error);

// Hands in a command of the coordinator. Any thread; never waits.
//
// # Safety
// At command are len readable bytes.
fb_code fb_reader_offer(fb_reader_t reader,
                        const uint8_t *command,
                        size_t len,
                        uint64_t now_nanos,
                        struct fb_admission *admission,
                        struct fb_error *error);

// Hands in the batch of a coordinator's FB_STEP_KIND_SEND. Any thread; never waits. The admission is the answer to the
// flight.
//
// # Safety
// At batch are len readable bytes.
fb_code fb_reader_offer_batch(fb_reader_t reader,
                              const uint8_t *batch,
                              size_t len,
                              uint64_t now_nanos,
                              struct fb_admission *admission,
                              struct fb_error *error);

// Hands in a barrier or a callback of the engine: an fb_kind that is "own", and its number. Any thread; never waits.
fb_code fb_reader_offer_own(fb_reader_t reader,
                            int32_t kind,
                            uint64_t number,
                            uint64_t now_nanos,
                            struct fb_admission *admission,
                            struct fb_error *error);

// Hands in the answer to a flight: what the coordinator's admission said, or FB_STATUS_RETRY_LATER with
// FB_REASON_TRANSPORT if the batch did not get there. Any thread; never waits.
fb_code fb_reader_answer(fb_reader_t reader,
                         uint8_t flight,
                         int32_t status,
                         int32_t reason,
                         uint64_t expected,
                         bool *wake,
                         struct fb_error *error);

// After a poll turn that ended with FB_OUTCOME_NOTHING_AVAILABLE: polling may be worth it again. Takes the turn of
// that poll. Any thread; never waits.
fb_code fb_reader_available(fb_reader_t reader,
                            uint64_t turn,
                            bool *wake,
                            struct fb_error *error);

// Ends the reader at once, whatever its mailbox holds: FB_TERMINAL_CANCELLED or FB_TERMINAL_FAILED. The first cause
// stays. Any thread; never waits.
fb_code fb_reader_terminate(fb_reader_t reader,
                            int32_t cause,
                            bool *wake,
                            struct fb_error *error);

// Refuses every later offer; what was admitted is still served, then comes FB_STEP_KIND_CLOSED. Any thread; more than
// once.
fb_code fb_reader_close_mailbox(fb_reader_t reader,
                                bool *wake,
                                struct fb_error *error);

// Owner: reports how the step of a turn went, with an fb_outcome, and answers the next one, as an fb_allow says. The
// first call hands in turn 0 and FB_OUTCOME_DONE. An outcome that the step cannot have is FB_ERR_INVALID_ARGUMENT.
//
// The step's payload is copied into the buffer. If it does not fit, the answer is FB_ERR_BUFFER_TOO_SMALL, but the
// step was granted and written all the same: fetch its payload with fb_reader_payload, and go on. After any other
// failure the turn is still the old one.
//
// # Safety
// At buffer are capacity writable bytes; no memory is given twice.
fb_code fb_reader_next(fb_reader_t reader,
                       uint64_t turn,
                       int32_t outcome,
                       int32_t allow,
                       uint64_t now_nanos,
                       uint8_t *buffer,
                       size_t capacity,
                       struct fb_step *step,
                       struct fb_error *error);

// Owner: the payload of the step of a turn once more, for a buffer that was too small.
//
// # Safety
// At buffer are capacity writable bytes; no memory is given twice.
fb_code fb_reader_payload(fb_reader_t reader,
                          uint64_t turn,
                          uint8_t *buffer,
                          size_t capacity,
                          size_t *len,
                          struct fb_error *error);

// Owner, while it executes the step of a turn: asks the coordinator for a split.
fb_code fb_reader_request_split(fb_reader_t reader,
                                uint64_t turn,
                                struct fb_error *error);

// The reader in words, for a dump; UTF-8 without a NUL. Any thread; the owner does not notice.
//
// # Safety
// At buffer are capacity writable bytes; no memory is given twice.
fb_code fb_reader_describe(fb_reader_t reader,
                           uint8_t *buffer,
                           size_t capacity,
                           size_t *len,
                           struct fb_error *error);

// Why the reader has failed, if the library or the coordinator has found out; else nothing. UTF-8 without a NUL. Any
// thread.
//
// # Safety
// At buffer are capacity writable bytes; no memory is given twice.
fb_code fb_reader_failure(fb_reader_t reader,
                          uint8_t *buffer,
                          size_t capacity,
                          size_t *len,
                          struct fb_error *error);

// Ends the handle; good for one caller. Calls that are inside the reader end as usual.
fb_code fb_reader_close(fb_reader_t reader,
                        struct fb_error *error);

// The tracker limits of STIP-31's initial production defaults.
fb_code fb_tracker_limits_default(struct fb_tracker_limits *limits,
                                  struct fb_error *error);

// Creates a coordinator that no reader knows yet.
//
// # Safety
// At config are as many readable bytes as its size says.
fb_code fb_coordinator_create(const struct fb_coordinator_config *config,
                              fb_coordinator_t *coordinator,
                              struct fb_error *error);

// Hands in a command of a reader. Any thread; never waits.
//
// # Safety
// At command are len readable bytes.
fb_code fb_coordinator_offer(fb_coordinator_t coordinator,
                             const uint8_t *command,
                             size_t len,
                             uint64_t now_nanos,
                             struct fb_admission *admission,
                             struct fb_error *error);

// Hands in the batch of a reader's FB_STEP_KIND_SEND or FB_STEP_KIND_REGISTER. Any thread; never waits. The admission
// is the answer to the flight.
//
// # Safety
// At batch are len readable bytes.
fb_code fb_coordinator_offer_batch(fb_coordinator_t coordinator,
                                   const uint8_t *batch,
                                   size_t len,
                                   uint64_t now_nanos,
                                   struct fb_admission *admission,
                                   struct fb_error *error);

// Hands in an order or a callback of the engine: an fb_kind that is "own", and its number. Any thread; never waits.
fb_code fb_coordinator_offer_own(fb_coordinator_t coordinator,
                                 int32_t kind,
                                 uint64_t number,
                                 uint64_t now_nanos,
                                 struct fb_admission *admission,
                                 struct fb_error *error);

// Posts a piece of work of this process; its token comes back with FB_STEP_KIND_MAIL. Any thread; never waits.
fb_code fb_coordinator_post(fb_coordinator_t coordinator,
                            uint64_t token,
                            bool *wake,
                            struct fb_error *error);

// Hands in the answer to a flight: what the reader's admission said, or FB_STATUS_RETRY_LATER with
// FB_REASON_TRANSPORT if the batch did not get there. Any thread; never waits.
fb_code fb_coordinator_answer(fb_coordinator_t coordinator,
                              uint32_t subtask,
                              uint8_t flight,
                              int32_t status,
                              int32_t reason,
                              uint64_t expected,
                              bool *wake,
                              struct fb_error *error);

// Ends the coordinator at once, whatever its mailbox holds: FB_TERMINAL_CANCELLED or FB_TERMINAL_FAILED. The first
// cause stays. Any thread; never waits.
fb_code fb_coordinator_terminate(fb_coordinator_t coordinator,
                                 int32_t cause,
                                 bool *wake,
                                 struct fb_error *error);

// Refuses every later offer; what was admitted is still served, then comes FB_STEP_KIND_CLOSED. Any thread; more than
// once.
fb_code fb_coordinator_close_mailbox(fb_coordinator_t coordinator,
                                     bool *wake,
                                     struct fb_error *error);

// Before the first turn: takes over what fb_coordinator_snapshot wrote, and answers the enumerator's state in it with
// its version. If the buffer is too small, call again with a larger one: restoring the same again changes nothing.
//
// # Safety
// At blob are blob_len readable bytes, at buffer capacity writable ones; no memory is given twice.
fb_code fb_coordinator_restore(fb_coordinator_t coordinator,
                               const uint8_t *blob,
                               size_t blob_len,
                               uint32_t *version,
                               uint8_t *buffer,
                               size_t capacity,
                               size_t *len,
                               struct fb_error *error);

// Before FB_STEP_KIND_OPEN is done: takes over what a reader of a subtask had in the restored checkpoint. The metadata
// is the payload of its FB_STEP_KIND_SNAPSHOT, the splits are the connector's, as fb_splits_encode writes them.
//
// # Safety
// At metadata are metadata_len readable bytes, at splits splits_len ones.
fb_code fb_coordinator_restore_reader(fb_coordinator_t coordinator,
                                      uint32_t subtask,
                                      const uint8_t *metadata,
                                      size_t metadata_len,
                                      const uint8_t *splits,
                                      size_t splits_len,
                                      struct fb_error *error);

// Owner: reports how the step of a turn went, and answers the next one. The first call hands in turn 0. A failure that
// is not NULL fails the source; readers are told its text, which is UTF-8 and needs no NUL.
//
// The step's payload is copied into the buffer. If it does not fit, the answer is FB_ERR_BUFFER_TOO_SMALL, but the
// step was granted and written all the same: fetch its payload with fb_coordinator_payload, and go on. After any
// other failure the turn is still the old one.
//
// # Safety
// At failure are failure_len readable bytes, at buffer capacity writable ones; no memory is given twice.
fb_code fb_coordinator_next(fb_coordinator_t coordinator,
                            uint64_t turn,
                            const char *failure,
                            size_t failure_len,
                            uint64_t now_nanos,
                            uint8_t *buffer,
                            size_t capacity,
                            struct fb_step *step,
                            struct fb_error *error);

// Owner: the payload of the step of a turn once more, for a buffer that was too small.
//
// # Safety
// At buffer are capacity writable bytes; no memory is given twice.
fb_code fb_coordinator_payload(fb_coordinator_t coordinator,
                               uint64_t turn,
                               uint8_t *buffer,
                               size_t capacity,
                               size_t *len,
                               struct fb_error *error);

// Owner, while it executes the step of a turn: gives a reader splits, as fb_splits_encode writes them. All or none.
//
// # Safety
// At splits are len readable bytes.
fb_code fb_coordinator_assign(fb_coordinator_t coordinator,
                              uint64_t turn,
                              uint32_t subtask,
                              const uint8_t *splits,
                              size_t len,
                              struct fb_error *error);

// Owner, while it executes the step of a turn: tells a reader that no split will come any more.
fb_code fb_coordinator_no_more_splits(fb_coordinator_t coordinator,
                                      uint64_t turn,
                                      uint32_t subtask,
                                      struct fb_error *error);

// Owner, while it executes the step of a turn: whether more can be assigned without coming near the tracker's limits.
fb_code fb_coordinator_has_assignment_capacity(fb_coordinator_t coordinator,
                                               uint64_t turn,
                                               bool *has,
                                               struct fb_error *error);

// Owner, while it executes FB_STEP_KIND_SNAPSHOT: the coordinator's part of the checkpoint, around the enumerator's
// state. If the buffer is too small, call again with a larger one.
//
// # Safety
// At state are state_len readable bytes, at buffer capacity writable ones; no memory is given twice.
fb_code fb_coordinator_snapshot(fb_coordinator_t coordinator,
                                uint64_t turn,
                                uint32_t version,
                                const uint8_t *state,
                                size_t state_len,
                                uint8_t *buffer,
                                size_t capacity,
                                size_t *len,
                                struct fb_error *error);

// The coordinator in words, for a dump; UTF-8 without a NUL. Any thread; the owner does not notice.
//
// # Safety
// At buffer are capacity writable bytes; no memory is given twice.
fb_code fb_coordinator_describe(fb_coordinator_t coordinator,
                                uint8_t *buffer,
                                size_t capacity,
                                size_t *len,
                                struct fb_error *error);

// Ends the handle; good for one caller. Calls that are inside the coordinator end as usual.
fb_code fb_coordinator_close(fb_coordinator_t coordinator,
                             struct fb_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FOREBAY_H */
