// Decodes lines of JSON into plain events. This header hides the C++ code, and which first stage the decoder has
// (stage_one.hpp).
//
// A tm_range points into the given block, or, with TM_REWRITTEN set in its offset, into tm_batch.rewritten. The offset
// TM_ABSENT means that the value was absent or null on the wire.
#ifndef TIDEMARK_LINES_H
#define TIDEMARK_LINES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TM_ABSENT UINT32_MAX
#define TM_REWRITTEN 0x80000000u
// The first stage may read up to this many bytes after the block; they must be readable.
#define TM_PADDING 64

typedef struct tm_range {
    uint32_t offset;
    uint32_t count;
} tm_range;

typedef enum tm_kind {
    TM_CHANGED = 0,
    TM_BATCH_CHANGED = 1,
    TM_DELETED = 2,
    TM_BULK = 3,
    TM_REFRESH = 4,
    TM_HEARTBEAT = 5,
    TM_RESET = 6,
    TM_UNKNOWN = 7,
    TM_UNUSABLE = 8,
    TM_MESSAGE = 9
} tm_kind;

// The numbers are the same as in TidemarkModel's QuarantineReason.
typedef enum tm_reason {
    TM_OK = 0,
    TM_NOT_JSON = 1,
    TM_INVALID_UTF8 = 2,
    TM_TOO_LONG = 3,
    TM_TOO_DEEP = 4,
    TM_MISSING_ID = 5,
    TM_BAD_TYPE = 6,
    TM_BAD_SEQUENCE = 7,
    TM_BAD_SHAPE = 8,
    TM_BATCH_TOO_LARGE = 9,
    TM_ID_TOO_LONG = 10
} tm_reason;

enum {
    TM_HAS_SEQUENCE = 1,
    TM_HAS_PREVIOUS = 2,
    TM_HAS_LAST_SEQUENCE = 4,
    TM_INDEX_OPERATION = 8,
    // For an unusable line that names no library: it has no sequence either, by which the library could be determined.
    TM_LIBRARY_UNREADABLE = 16,
    // The unit goes on in the next line.
    TM_HAS_MORE = 32,
    // The `state` of a reset, the `stale` of a heartbeat, or the reason "scope" of a delete.
    TM_MARKED = 64
};

typedef struct tm_event {
    uint8_t kind;
    uint8_t reason;
    uint8_t flags;
    uint32_t line;
    int64_t sequence;
    int64_t previous;
    int64_t last_sequence;
    tm_range library;
    tm_range epoch;
    tm_range mutation_id;
    tm_range type;
    // The metadata, the hints, the new epoch of a reset, or the name of an unknown kind.
    tm_range detail;
    uint32_t first_member;
    uint32_t member_count;
} tm_event;

typedef struct tm_member {
    uint64_t uuid_high;
    uint64_t uuid_low;
    tm_range id;
    tm_range resource;
    uint8_t is_uuid;
    uint8_t reason;
} tm_member;

typedef struct tm_limits {
    uint32_t nesting_depth_max;
    uint32_t batch_member_count_max;
    uint32_t id_byte_count_max;
    uint32_t type_byte_count_max;
    uint32_t salvage_byte_count_max;
} tm_limits;

// A line without its line end.
typedef struct tm_line {
    uint32_t offset;
    uint32_t count;
} tm_line;

typedef struct tm_batch {
    const tm_event *events;
    size_t event_count;
    const tm_member *members;
    size_t member_count;
    const uint8_t *rewritten;
    size_t rewritten_count;
    size_t blank_count;
    size_t control_count;
} tm_batch;

typedef struct tm_decoder tm_decoder;

// Creates a decoder; NULL when memory is short.
tm_decoder *tm_decoder_create(tm_limits limits);

// Creates a decoder that uses no library, as every build without simdjson does. For comparisons with the other one.
tm_decoder *tm_decoder_create_portable(tm_limits limits);

void tm_decoder_destroy(tm_decoder *decoder);

// Decodes whole lines. `block` must have TM_PADDING readable bytes after `count`. The lines must be in the block in
// ascending order, with nothing but white space between them. The result is valid until the next call. Returns 0, or -1
// when memory is short and nothing was decoded.
int tm_decoder_decode(tm_decoder *decoder, const uint8_t *block, size_t count, const tm_line *lines,
                      size_t line_count, tm_batch *batch);

// Reads the complete fields at the beginning of a line that was too long to keep: its library, sequence, previous
// sequence and epoch. The batch gets one event of kind TM_UNUSABLE and reason TM_TOO_LONG. Returns 0, or -1 when memory
// is short.
int tm_decoder_salvage(tm_decoder *decoder, const uint8_t *block, size_t count, tm_batch *batch);

#ifdef __cplusplus
}
#endif

#endif
