// The slow path: reads one line byte by byte, in reading order. It finds the reason why a line is not JSON, and reads
// the complete fields before that. It shares nothing with the fast path except the header, and runs only on bad lines.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "tidemark_lines.h"

namespace tidemark {

struct SalvagedField {
    bool found = false;
    bool isNull = false;
    bool isString = false;
    size_t start = 0;  // inside the quotes of a string
    size_t end = 0;
};

struct Salvage {
    SalvagedField library, epoch, sequence, previous;
};

struct LineScanner {
    const uint8_t *bytes;
    size_t count;
    size_t depthMax;
    size_t salvageMax;
    size_t position = 0;
    bool tooDeep = false;
    Salvage salvage;

    LineScanner(const uint8_t *bytes, size_t count, size_t depthMax, size_t salvageMax)
        : bytes(bytes), count(count), depthMax(depthMax), salvageMax(salvageMax) {}

    // Returns the first fault of the line, or TM_OK.
    tm_reason scan() {
        const bool grammatical = scanDocument();
        if (tooDeep) return TM_TOO_DEEP;
        return grammatical ? TM_OK : TM_NOT_JSON;
    }

   private:
    static bool isSpace(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

    void skipSpace() {
        while (position < count && isSpace(bytes[position])) position++;
    }

    bool scanString(size_t &start, size_t &end) {
        if (position >= count || bytes[position] != '"') return false;
        start = ++position;
        while (position < count) {
            const uint8_t byte = bytes[position];
            if (byte == '"') {
                end = position++;
                return true;
            }
            if (byte < 0x20) return false;
            if (byte != '\\') {
                position++;
                continue;
            }
            if (position + 1 >= count) return false;
            const uint8_t escape = bytes[position + 1];
            if (escape == 'u') {
                for (size_t digit = 2; digit < 6; digit++) {
                    if (position + digit >= count || !isHex(bytes[position + digit])) return false;
                }
                position += 6;
            } else if (std::memchr("\"\\/bfnrt", escape, 8) != nullptr) {
                position += 2;
            } else {
                return false;
            }
        }
        return false;
    }

    static bool isHex(uint8_t byte) {
        return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
    }

    static bool isDigit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

    bool scanDigits() {
        const size_t start = position;
        while (position < count && isDigit(bytes[position])) position++;
        return position > start;
    }

    bool scanNumber() {
        if (position < count && bytes[position] == '-') position++;
        if (position < count && bytes[position] == '0') {
            position++;
        } else if (!scanDigits()) {
            return false;
        }
        if (position < count && bytes[position] == '.') {
            position++;
            if (!scanDigits()) return false;
        }
        if (position < count && (bytes[position] == 'e' || bytes[position] == 'E')) {
            position++;
            if (position < count && (bytes[position] == '+' || bytes[position] == '-')) position++;
            if (!scanDigits()) return false;
        }
        return true;
    }

    bool scanWord(const char *word) {
        const size_t length = std::strlen(word);
        if (count - position < length || std::memcmp(bytes + position, word, length) != 0) return false;
        position += length;
        return true;
    }

    struct Container {
        bool isObject;
        bool isEnvelope;  // the line's own object, or the object at its "envelope"
    };

    enum class Expect { value, firstValueOrEnd, firstKeyOrEnd, key, commaOrEnd };

    bool scanDocument() {
        std::vector<Container> open;
        Expect expect = Expect::value;
        size_t keyStart = 0, keyEnd = 0;
        for (;;) {
            skipSpace();
            if (open.empty() && expect == Expect::commaOrEnd) return position == count;
            if (position >= count) return false;
            const uint8_t byte = bytes[position];
            switch (expect) {
                case Expect::commaOrEnd:
                    if (byte == (open.back().isObject ? '}' : ']')) {
                        position++;
                        open.pop_back();
                    } else if (byte == ',') {
                        position++;
                        expect = open.back().isObject ? Expect::key : Expect::value;
                    } else {
                        return false;
                    }
                    continue;
                case Expect::firstKeyOrEnd:
                    if (byte == '}') {
                        position++;
                        open.pop_back();
                        expect = Expect::commaOrEnd;
                        continue;
                    }
                    [[fallthrough]];
                case Expect::key:
                    if (!scanString(keyStart, keyEnd)) return false;
                    skipSpace();
                    if (position >= count || bytes[position] != ':') return false;
                    position++;
                    expect = Expect::value;
                    continue;
                case Expect::firstValueOrEnd:
                    if (byte == ']') {
                        position++;
                        open.pop_back();
                        expect = Expect::commaOrEnd;
                        continue;
                    }
                    [[fallthrough]];
                case Expect::value:
                    break;
            }
            const bool inEnvelope = !open.empty() && open.back().isObject && open.back().isEnvelope;
            if (byte == '{' || byte == '[') {
                const bool isEnvelope =
                    byte == '{' &&
                    (open.empty() || (open.size() == 1 && inEnvelope && keyIs(keyStart, keyEnd, "envelope")));
                position++;
                open.push_back({byte == '{', isEnvelope});
                if (open.size() > depthMax) {
                    tooDeep = true;
                    return false;
                }
                expect = byte == '{' ? Expect::firstKeyOrEnd : Expect::firstValueOrEnd;
                continue;
            }
            const size_t valueStart = position;
            size_t start = position, end = position;
            bool isString = false;
            if (byte == '"') {
                isString = true;
                if (!scanString(start, end)) return false;
            } else if (byte == 't' ? !scanWord("true")
                       : byte == 'f' ? !scanWord("false")
                       : byte == 'n' ? !scanWord("null")
                                     : !scanNumber()) {
                return false;
            } else {
                end = position;
            }
            expect = Expect::commaOrEnd;
            if (!inEnvelope || valueStart >= salvageMax) continue;
            keep(keyStart, keyEnd, SalvagedField{true, byte == 'n', isString, start, end});
        }
    }

    bool keyIs(size_t start, size_t end, const char *name) const {
        return end - start == std::strlen(name) && std::memcmp(bytes + start, name, end - start) == 0;
    }

    // Keeps a value. A value is complete only if another character follows: `12` may be the beginning of `123`.
    void keep(size_t keyStart, size_t keyEnd, SalvagedField field) {
        size_t behind = position;
        while (behind < count && isSpace(bytes[behind])) behind++;
        if (behind >= count || (bytes[behind] != ',' && bytes[behind] != '}')) return;
        if (behind >= salvageMax) return;
        if (keyIs(keyStart, keyEnd, "library_id")) salvage.library = field;
        if (keyIs(keyStart, keyEnd, "epoch")) salvage.epoch = field;
        if (keyIs(keyStart, keyEnd, "sequence")) salvage.sequence = field;
        if (keyIs(keyStart, keyEnd, "prev")) salvage.previous = field;
    }
};

}  // namespace tidemark
