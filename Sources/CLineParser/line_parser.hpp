// The fast path: one pass over the offsets of stage one that validates the grammar, finds the values that an event
// needs, and records whether a resource contains white space.
//
// Stage one has checked UTF-8 and control characters in strings, and gives the offset of every structural character,
// every opening quote and every first byte of a scalar. Between two indexes there is therefore one token followed by
// white space, or an error that this pass detects.
#pragma once

#include <cstring>
#include <vector>

#include "tidemark_lines.h"

namespace tidemark {

inline bool isSpace(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }
inline bool isDigit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

struct Span {
    uint32_t start = TM_ABSENT;  // for a string, after its opening quote
    uint32_t end = 0;
    bool escaped = false;
};

// The shape faults of a line, one bit each; the lowest set bit is reported as the reason.
enum Fault : uint32_t {
    faultEnvelope = 1u << 0,
    faultSequence = 1u << 1,
    faultType = 1u << 2,
    faultPayload = 1u << 3,
    faultBatchSize = 1u << 4,
    faultMissingID = 1u << 5,
    faultLongID = 1u << 6
};

// If a field is repeated, its last value and the faults of that value count; so each field has its own faults.
struct Payload {
    int kind = -1;  // tm_kind; -1: none seen
    tm_range name = {TM_ABSENT, 0};
    tm_range type = {TM_ABSENT, 0};
    tm_range detail = {TM_ABSENT, 0};
    bool isIndexOperation = false;
    bool isMarked = false;  // see TM_MARKED
    bool hasLastSequence = false;
    int64_t lastSequence = 0;
    uint32_t firstMember = 0;
    uint32_t memberCount = 0;
    uint32_t shapeFault = 0;
    uint32_t typeFault = 0;
    uint32_t valueFault = 0;   // resource, resources, resource_id, last_sequence
    uint32_t detailFault = 0;  // metadata, hints, the epoch of a reset

    uint32_t faults() const { return shapeFault | typeFault | valueFault | detailFault; }
};

enum EnvelopeName {
    fieldLibrary,
    fieldEpoch,
    fieldMutationID,
    fieldSequence,
    fieldPrevious,
    fieldAsOf,
    fieldMore,  // its number is 1 for true, 0 for false
    fieldCount
};

struct EnvelopeField {
    tm_range text = {TM_ABSENT, 0};
    int64_t number = 0;
    bool seen = false;  // also when it is null
    bool present = false;
    uint32_t fault = 0;
};

struct EnvelopeFields {
    EnvelopeField field[fieldCount];
    uint32_t shapeFault = 0;  // "envelope" is no object; fields outside of it still count
};

// The layout of a line that was a plain change: its bytes without its values. Values are those of `EnvelopeName`, and
// the ones below.
struct LineLayout {
    enum ValueKind { typeValue = fieldCount, resourceValue, ignoredValue };
    static constexpr size_t valueCountMax = 16;
    static constexpr size_t literalCountMax = 1024;
    static constexpr size_t missCountMax = 2;

    // The bytes before a value, and the value.
    struct Step {
        int kind;
        uint32_t literalCount;
        size_t tokenCount;
        size_t depth;
    };

    std::vector<Step> steps;  // at most valueCountMax; empty when no layout is known
    std::vector<uint8_t> literals;  // at most literalCountMax
    uint32_t tailCount = 0;
    size_t tailTokenCount = 0;
    bool isNull[fieldCount] = {};  // fields that were seen without a value, in the literals
};

// A value, and where it was found.
struct FoundValue {
    int kind;
    size_t token;
    uint32_t start;
    uint32_t end;
    size_t depth;
};

enum class LineClass { grammarFault, blank, control, message, event };

class LineParser;

// The value tokens of an object's own "id" and "uuid"; of a repeated name, the last one.
struct IdentityTokens {
    size_t id = SIZE_MAX;
    size_t uuid = SIZE_MAX;

    void note(LineParser &parser, const Span &key, size_t valueToken);
};

class LineParser {
   public:
    LineParser(tm_limits limits, std::vector<tm_member> &members, std::vector<uint8_t> &rewritten)
        : limits_(limits), members_(members), rewritten_(rewritten), open_(limits.nesting_depth_max + 1) {}

    void beginBlock(const uint8_t *block, size_t count) {
        block_ = block;
        blockEnd_ = count;
        nextBackslash_ = 0;
        findBackslash(0);
    }

    // Parses the line whose first structural index is indexes[first], and whose last one is below lineEnd. The index
    // after the block's last one must be readable and not below the block's end.
    LineClass parse(const uint32_t *indexes, size_t first, uint32_t lineEnd);

    // Returns the first index after the parsed line: the first one that is not below the line's end.
    size_t nextLine() {
        while (indexes_[at_] < lineEnd_) at_++;
        return at_;
    }

    // Sets the range of a string's bytes, with escapes resolved. Returns false if the string has no UTF-8 form (the
    // range is then absent) or is longer than allowed.
    bool resolve(const Span &span, tm_range &range, uint32_t countMax) {
        if (span.escaped) return resolveEscaped(span, range, countMax);
        range = {span.start, span.end - span.start};
        return range.count <= countMax;
    }

    bool keyIs(const Span &key, const char *name, size_t length) {
        if (key.escaped) return escapedKeyIs(key, name, length);
        return key.end - key.start == length && std::memcmp(block_ + key.start, name, length) == 0;
    }

    Payload payload;
    EnvelopeFields envelope;

   private:
    EnvelopeFields inner_;  // the fields of the object at "envelope"
    const uint8_t *block_ = nullptr;
    size_t blockEnd_ = 0;
    size_t nextBackslash_ = 0;
    size_t firstBackslash_ = 0;  // the next backslash at the start of the line
    const uint32_t *indexes_ = nullptr;
    size_t at_ = 0;
    uint32_t lineEnd_ = 0;
    uint32_t tokenEnd_ = 0;
    bool hasSpace_ = false;
    size_t depth_ = 0;

    tm_limits limits_;
    std::vector<tm_member> &members_;
    std::vector<uint8_t> &rewritten_;
    std::vector<uint8_t> open_;  // 1: object, 0: array
    std::vector<uint8_t> scratch_;

    LineLayout layout_;
    FoundValue found_[LineLayout::valueCountMax];
    size_t foundCount_ = 0;
    size_t missCount_ = 0;  // consecutive plain changes with another layout

    void findBackslash(size_t from) {
        const void *found = from < blockEnd_ ? std::memchr(block_ + from, '\\', blockEnd_ - from) : nullptr;
        nextBackslash_ = found ? size_t(static_cast<const uint8_t *>(found) - block_) : SIZE_MAX;
    }

    bool done() const { return indexes_[at_] >= lineEnd_; }
    // Returns the byte at the current token; after the line's last token 0, which begins no token.
    uint8_t peek() const { return done() ? 0 : block_[indexes_[at_]]; }

    void advance(uint32_t end) {
        hasSpace_ |= indexes_[at_] != tokenEnd_;
        tokenEnd_ = end;
        at_++;
    }
    bool accept(uint8_t byte) {
        if (peek() != byte) return false;
        advance(indexes_[at_] + 1);
        return true;
    }

    bool parseString(Span &span);
    bool checkEscapes(uint32_t start, uint32_t end) const;
    uint32_t stringEnd(uint32_t quote, uint32_t next);
    uint32_t spacedStringEnd(uint32_t quote, uint32_t next);
    uint32_t scalarEnd(uint32_t start, uint32_t next) const;
    uint32_t wordEnd(uint32_t start, uint32_t next, const char *word, uint32_t length) const;
    uint32_t numberEnd(uint32_t start, uint32_t next) const;
    bool parseScalar();
    bool skipValue(IdentityTokens *identity = nullptr);
    bool nextKey(bool &first, Span &key);
    bool enter();
    void leave() { depth_--; }

    bool resolveEscaped(const Span &span, tm_range &range, uint32_t countMax);
    bool escapedKeyIs(const Span &key, const char *name, size_t length);
    bool sameName(const Span &left, const Span &right);
    bool unescape(const Span &span, std::vector<uint8_t> &out) const;
    tm_range minified(size_t firstToken, size_t lastToken, uint32_t start, uint32_t end, bool hasSpace);

    void note(int kind, size_t token, uint32_t start, uint32_t end, size_t depth);
    void learn(size_t first);
    bool parseAsBefore();
    bool parseValue(const LineLayout::Step &step);
    bool skipIgnored();
    bool isTypeName(const uint8_t *bytes, uint32_t count) const;

    bool parseRoot(bool nested, LineClass &lineClass);
    bool parseRootObject(bool nested, LineClass &lineClass);
    bool parseRootArray(LineClass &lineClass);
    bool parseEnvelopeField(int name, EnvelopeField &field);
    bool parseEnvelopeObject(EnvelopeFields &fields, bool &present);
    int envelopeName(const Span &key);
    bool parseNamedKind(Payload &payload);
    bool parseTaggedKind(Payload &payload);
    bool parseBareKind(Payload &payload);
    bool parsePayload(int kind, Payload &payload);
    bool parseInteger(int64_t &value, bool &present, uint32_t &fault);
    bool parseType(Payload &payload);
    bool parseResource(Payload &payload);
    bool parseResources(Payload &payload);
    bool parseMember(tm_member &member);
    uint8_t identify(size_t token, tm_member &member);
    bool parseDeletedID(Payload &payload);
    bool parseResetEpoch(Payload &payload);
    bool parseMark(Payload &payload, const char *word);
    bool parseNameList(bool allowsIntegers, bool &ok);
    bool parseDetailObject(Payload &payload, bool isMetadata);
    int kindOf(const Span &name);
};

}  // namespace tidemark
