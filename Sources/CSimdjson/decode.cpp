// Decodes blocks of lines into batches of events.
#include <memory>
#include <new>

#include <simdjson.h>

#include "line_parser.hpp"
#include "line_scanner.hpp"

using namespace tidemark;

struct tm_decoder {
    explicit tm_decoder(tm_limits limits) : limits(limits), parser(limits, members, rewritten) {}

    tm_limits limits;
    std::unique_ptr<simdjson::internal::dom_parser_implementation> stage;
    std::vector<tm_event> events;
    std::vector<tm_member> members;
    std::vector<uint8_t> rewritten;
    LineParser parser;
    size_t blankCount = 0;
    size_t controlCount = 0;

    bool reserve(size_t count);
    bool decodeBlock(const uint8_t *block, const tm_line *lines, size_t lineCount, size_t start, size_t end);
    bool decodeLine(const uint8_t *block, tm_line line, uint32_t number);
    void decodeIndexed(const uint8_t *block, tm_line line, uint32_t number, const uint32_t *indexes, size_t first);
    void diagnose(const uint8_t *block, tm_line line, uint32_t number);
    void appendSalvaged(const uint8_t *block, uint32_t lineOffset, const LineScanner &scanner, tm_event event);
    void appendEvent(uint32_t number);
    tm_range salvagedText(const uint8_t *bytes, uint32_t lineOffset, const SalvagedField &field);
    void fill(tm_batch *batch) const;
};

// simdjson needs space for one structural index for each byte; the space grows and never shrinks.
bool tm_decoder::reserve(size_t count) {
    const size_t capacity = count + TM_PADDING;
    if (!stage) {
        return simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1, stage) ==
               simdjson::SUCCESS;
    }
    return stage->capacity() >= capacity || stage->set_capacity(capacity) == simdjson::SUCCESS;
}

// Sets the indexes after the last one, which the parser may read ahead. simdjson reserves space for them.
static void closeIndexes(uint32_t *behind, uint32_t end) {
    for (size_t index = 0; index < 4; index++) behind[index] = end;
}

static uint8_t reasonOf(uint32_t faults) {
    static const uint8_t reasons[] = {TM_BAD_SHAPE,       TM_BAD_SEQUENCE, TM_BAD_TYPE,   TM_BAD_SHAPE,
                                      TM_BATCH_TOO_LARGE, TM_MISSING_ID,   TM_ID_TOO_LONG};
    return faults == 0 ? uint8_t(TM_OK) : reasons[__builtin_ctz(faults)];
}

void tm_decoder::appendEvent(uint32_t number) {
    const Payload &payload = parser.payload;
    const EnvelopeField *field = parser.envelope.field;
    uint32_t faults = payload.faults() | parser.envelope.shapeFault;
    for (int name = 0; name < fieldCount; name++) faults |= field[name].fault;

    tm_event event = tm_event();
    event.kind = uint8_t(payload.kind < 0 ? TM_UNUSABLE : payload.kind);
    event.line = number;
    event.library = field[fieldLibrary].text;
    event.epoch = field[fieldEpoch].text;
    event.mutation_id = field[fieldMutationID].text;
    event.type = payload.type;
    event.detail = payload.kind == TM_UNKNOWN ? payload.name : payload.detail;
    event.first_member = payload.firstMember;
    event.member_count = payload.memberCount;
    event.last_sequence = payload.lastSequence;
    if (payload.hasLastSequence) event.flags |= TM_HAS_LAST_SEQUENCE;
    if (payload.isIndexOperation) event.flags |= TM_INDEX_OPERATION;

    if (event.kind == TM_RESET && event.detail.offset == TM_ABSENT && payload.detailFault == 0) {
        if (event.epoch.offset == TM_ABSENT) faults |= faultPayload;
        event.detail = event.epoch;
    }
    const EnvelopeField &sequence = field[fieldSequence], &previous = field[fieldPrevious];
    if (sequence.present) {
        event.flags |= TM_HAS_SEQUENCE;
        event.sequence = sequence.number;
    }
    if (previous.present && (!sequence.present || previous.number >= sequence.number)) {
        faults |= faultSequence;
    } else if (previous.present) {
        event.flags |= TM_HAS_PREVIOUS;
        event.previous = previous.number;
    }
    if (faults != 0) {
        const EnvelopeField &library = field[fieldLibrary];
        if (library.fault || (!library.seen && !sequence.present)) event.flags |= TM_LIBRARY_UNREADABLE;
        event.kind = TM_UNUSABLE;
        event.reason = reasonOf(faults);
        event.member_count = 0;
    }
    events.push_back(event);
}

tm_range tm_decoder::salvagedText(const uint8_t *bytes, uint32_t lineOffset, const SalvagedField &field) {
    if (!field.found || !field.isString) return {TM_ABSENT, 0};
    const size_t count = field.end - field.start;
    if (!simdjson::validate_utf8(reinterpret_cast<const char *>(bytes + field.start), count)) return {TM_ABSENT, 0};
    Span span;
    span.start = lineOffset + uint32_t(field.start);
    span.end = lineOffset + uint32_t(field.end);
    span.escaped = std::memchr(bytes + field.start, '\\', count) != nullptr;
    tm_range range;
    return parser.resolve(span, range, limits.id_byte_count_max) ? range : tm_range{TM_ABSENT, 0};
}

static bool salvagedNumber(const uint8_t *bytes, const SalvagedField &field, int64_t &value) {
    if (!field.found || field.isString || field.start == field.end) return false;
    uint64_t number = 0;
    for (size_t index = field.start; index < field.end; index++) {
        if (!isDigit(bytes[index])) return false;
        const uint64_t digit = bytes[index] - '0';
        if (number > (uint64_t(INT64_MAX) - digit) / 10) return false;
        number = number * 10 + digit;
    }
    value = int64_t(number);
    return true;
}

void tm_decoder::appendSalvaged(const uint8_t *block, uint32_t lineOffset, const LineScanner &scanner, tm_event event) {
    const uint8_t *bytes = block + lineOffset;
    event.kind = TM_UNUSABLE;
    event.library = salvagedText(bytes, lineOffset, scanner.salvage.library);
    event.epoch = salvagedText(bytes, lineOffset, scanner.salvage.epoch);
    event.mutation_id = event.type = event.detail = {TM_ABSENT, 0};
    int64_t number;
    // A broken line without a library may have been cut before it, so the default library is not assumed.
    const bool libraryIsReadable = event.library.offset != TM_ABSENT || scanner.salvage.library.isNull;
    if (!libraryIsReadable) event.flags |= TM_LIBRARY_UNREADABLE;
    if (salvagedNumber(bytes, scanner.salvage.sequence, number)) {
        event.flags |= TM_HAS_SEQUENCE;
        event.sequence = number;
        if (salvagedNumber(bytes, scanner.salvage.previous, number) && number < event.sequence) {
            event.flags |= TM_HAS_PREVIOUS;
            event.previous = number;
        }
    }
    events.push_back(event);
}

// Finds the reason why the fast path refused a line, in reading order.
void tm_decoder::diagnose(const uint8_t *block, tm_line line, uint32_t number) {
    LineScanner scanner(block + line.offset, line.count, limits.nesting_depth_max, limits.salvage_byte_count_max);
    const tm_reason reason = scanner.scan();
    tm_event event = tm_event();
    event.line = number;
    event.reason = TM_NOT_JSON;
    if (reason == TM_TOO_DEEP) event.reason = TM_TOO_DEEP;
    if (!simdjson::validate_utf8(reinterpret_cast<const char *>(block + line.offset), line.count)) {
        event.reason = TM_INVALID_UTF8;
    }
    appendSalvaged(block, line.offset, scanner, event);
}

void tm_decoder::decodeIndexed(const uint8_t *block, tm_line line, uint32_t number, const uint32_t *indexes,
                               size_t first) {
    const size_t memberMark = members.size();
    const size_t rewrittenMark = rewritten.size();
    switch (parser.parse(indexes, first, line.offset + line.count)) {
        case LineClass::blank:
            blankCount++;
            return;
        case LineClass::control:
            controlCount++;
            break;
        case LineClass::message: {
            tm_event event = tm_event();
            event.kind = TM_MESSAGE;
            event.line = number;
            event.library = event.epoch = event.mutation_id = event.type = event.detail = {TM_ABSENT, 0};
            events.push_back(event);
            break;
        }
        case LineClass::event:
            appendEvent(number);
            return;
        case LineClass::grammarFault:
            members.resize(memberMark);
            rewritten.resize(rewrittenMark);
            diagnose(block, line, number);
            return;
    }
    members.resize(memberMark);
    rewritten.resize(rewrittenMark);
}

bool tm_decoder::decodeLine(const uint8_t *block, tm_line line, uint32_t number) {
    if (line.count == 0) {
        blankCount++;
        return true;
    }
    parser.beginBlock(block, line.offset + line.count);
    const simdjson::error_code error =
        stage->stage1(block + line.offset, line.count, simdjson::stage1_mode::regular);
    if (error == simdjson::EMPTY) {
        blankCount++;
        return true;
    }
    if (error == simdjson::MEMALLOC || error == simdjson::CAPACITY) return false;
    if (error != simdjson::SUCCESS) {
        diagnose(block, line, number);
        return true;
    }
    uint32_t *indexes = stage->structural_indexes.get();
    const size_t count = stage->n_structural_indexes;
    for (size_t index = 0; index < count; index++) indexes[index] += line.offset;
    closeIndexes(indexes + count, line.offset + line.count);
    decodeIndexed(block, line, number, indexes, 0);
    return true;
}

// Runs stage 1 once for the whole block, in which line ends count as white space. A line with an open string or bad
// UTF-8 makes it fail as a whole; stage 1 is then run for each line.
bool tm_decoder::decodeBlock(const uint8_t *block, const tm_line *lines, size_t lineCount, size_t start, size_t end) {
    const simdjson::error_code error = stage->stage1(block + start, end - start, simdjson::stage1_mode::regular);
    if (error == simdjson::EMPTY) {
        blankCount += lineCount;
        return true;
    }
    if (error != simdjson::SUCCESS) return false;
    uint32_t *indexes = stage->structural_indexes.get();
    const size_t count = stage->n_structural_indexes;
    if (start != 0) {
        for (size_t index = 0; index < count; index++) indexes[index] += uint32_t(start);
    }
    closeIndexes(indexes + count, uint32_t(end));
    parser.beginBlock(block, end);
    size_t at = 0;
    for (size_t number = 0; number < lineCount; number++) {
        decodeIndexed(block, lines[number], uint32_t(number), indexes, at);
        at = parser.nextLine();
    }
    return true;
}

void tm_decoder::fill(tm_batch *batch) const {
    *batch = {events.data(),    events.size(),    members.data(), members.size(),
              rewritten.data(), rewritten.size(), blankCount,     controlCount};
}

extern "C" {

tm_decoder *tm_decoder_create(tm_limits limits) { return new (std::nothrow) tm_decoder(limits); }

void tm_decoder_destroy(tm_decoder *decoder) { delete decoder; }

int tm_decoder_decode(tm_decoder *decoder, const uint8_t *block, size_t count, const tm_line *lines, size_t line_count,
                      tm_batch *batch) {
    try {
        decoder->events.clear();
        decoder->members.clear();
        decoder->rewritten.clear();
        decoder->blankCount = decoder->controlCount = 0;
        if (line_count > 0) {
            if (!decoder->reserve(count)) return -1;
            const size_t start = lines[0].offset;
            const size_t end = lines[line_count - 1].offset + lines[line_count - 1].count;
            if (!decoder->decodeBlock(block, lines, line_count, start, end)) {
                for (size_t number = 0; number < line_count; number++) {
                    if (!decoder->decodeLine(block, lines[number], uint32_t(number))) return -1;
                }
            }
        }
        decoder->fill(batch);
        return 0;
    } catch (const std::bad_alloc &) {
        return -1;
    }
}

int tm_decoder_salvage(tm_decoder *decoder, const uint8_t *block, size_t count, tm_batch *batch) {
    try {
        decoder->events.clear();
        decoder->members.clear();
        decoder->rewritten.clear();
        decoder->blankCount = decoder->controlCount = 0;
        decoder->parser.beginBlock(block, count);
        LineScanner scanner(block, count, decoder->limits.nesting_depth_max, decoder->limits.salvage_byte_count_max);
        scanner.scan();
        tm_event event = tm_event();
        event.reason = TM_TOO_LONG;
        decoder->appendSalvaged(block, 0, scanner, event);
        decoder->fill(batch);
        return 0;
    } catch (const std::bad_alloc &) {
        return -1;
    }
}

}  // extern "C"
