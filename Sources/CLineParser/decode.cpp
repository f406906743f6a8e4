// Decodes blocks of lines into batches of events.
#include <memory>
#include <new>

#include "line_parser.hpp"
#include "line_scanner.hpp"
#include "stage_one.hpp"

using namespace tidemark;

struct tm_decoder {
    tm_decoder(tm_limits limits, std::unique_ptr<StageOne> stage)
        : limits(limits), stage(std::move(stage)), parser(limits, members, rewritten) {}

    tm_limits limits;
    std::unique_ptr<StageOne> stage;
    std::vector<tm_event> events;
    std::vector<tm_member> members;
    std::vector<uint8_t> rewritten;
    LineParser parser;
    size_t blankCount = 0;
    size_t controlCount = 0;

    bool decodeBlock(const uint8_t *block, const tm_line *lines, size_t lineCount, size_t start, size_t end);
    bool decodeLine(const uint8_t *block, tm_line line, uint32_t number);
    void decodeIndexed(const uint8_t *block, tm_line line, uint32_t number, const uint32_t *indexes, size_t first);
    void diagnose(const uint8_t *block, tm_line line, uint32_t number);
    void appendSalvaged(const uint8_t *block, uint32_t lineOffset, const LineScanner &scanner, tm_event event);
    void appendEvent(uint32_t number);
    tm_range salvagedText(const uint8_t *bytes, uint32_t lineOffset, const SalvagedField &field);
    void fill(tm_batch *batch) const;
};

// Sets the indexes after the last one, which the parser may read ahead. Stage one keeps room for them.
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
    if (field[fieldMore].present && field[fieldMore].number) {
        if (sequence.present) {
            event.flags |= TM_HAS_MORE;
        } else {
            faults |= faultSequence;
        }
    }
    if (payload.isMarked) event.flags |= TM_MARKED;
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
    if (!stage->isUTF8(bytes + field.start, count)) return {TM_ABSENT, 0};
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
    if (!stage->isUTF8(block + line.offset, line.count)) event.reason = TM_INVALID_UTF8;
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
    switch (stage->run(block + line.offset, line.count)) {
        case StageOne::Outcome::outOfMemory:
            return false;
        case StageOne::Outcome::blank:
            blankCount++;
            return true;
        case StageOne::Outcome::fault:
            diagnose(block, line, number);
            return true;
        case StageOne::Outcome::indexed:
            break;
    }
    uint32_t *indexes = stage->indexes;
    const size_t count = stage->indexCount;
    for (size_t index = 0; index < count; index++) indexes[index] += line.offset;
    closeIndexes(indexes + count, line.offset + line.count);
    decodeIndexed(block, line, number, indexes, 0);
    return true;
}

// Runs stage one once for the whole block, in which line ends count as white space. A line with an open string or bad
// UTF-8 makes it fail as a whole; stage one is then run for each line.
bool tm_decoder::decodeBlock(const uint8_t *block, const tm_line *lines, size_t lineCount, size_t start, size_t end) {
    const StageOne::Outcome outcome = stage->run(block + start, end - start);
    if (outcome == StageOne::Outcome::blank) {
        blankCount += lineCount;
        return true;
    }
    if (outcome != StageOne::Outcome::indexed) return false;
    uint32_t *indexes = stage->indexes;
    const size_t count = stage->indexCount;
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

static tm_decoder *makeDecoder(tm_limits limits, std::unique_ptr<StageOne> stage) {
    try {
        return stage ? new tm_decoder(limits, std::move(stage)) : nullptr;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

extern "C" {

tm_decoder *tm_decoder_create(tm_limits limits) {
#if TIDEMARK_SIMDJSON
    return makeDecoder(limits, makeSimdjsonStageOne());
#else
    return makeDecoder(limits, makePortableStageOne());
#endif
}

tm_decoder *tm_decoder_create_portable(tm_limits limits) { return makeDecoder(limits, makePortableStageOne()); }

void tm_decoder_destroy(tm_decoder *decoder) { delete decoder; }

int tm_decoder_decode(tm_decoder *decoder, const uint8_t *block, size_t count, const tm_line *lines, size_t line_count,
                      tm_batch *batch) {
    try {
        decoder->events.clear();
        decoder->members.clear();
        decoder->rewritten.clear();
        decoder->blankCount = decoder->controlCount = 0;
        if (line_count > 0) {
            if (!decoder->stage->reserve(count)) return -1;
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
