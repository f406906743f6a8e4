// Tokens and values: validation, skipping, and the rewriting of what cannot be pointed at.
#include "line_parser.hpp"

namespace tidemark {

bool LineParser::checkEscapes(uint32_t start, uint32_t end) const {
    for (uint32_t index = start; index < end;) {
        const void *found = std::memchr(block_ + index, '\\', end - index);
        if (!found) return true;
        index = uint32_t(static_cast<const uint8_t *>(found) - block_) + 1;
        if (index >= end) return false;
        const uint8_t escape = block_[index];
        if (escape == 'u') {
            if (end - index < 5) return false;
            for (uint32_t digit = 1; digit <= 4; digit++) {
                const uint8_t byte = block_[index + digit] | 0x20;
                if (!isDigit(block_[index + digit]) && !(byte >= 'a' && byte <= 'f')) return false;
            }
            index += 5;
        } else {
            if (std::memchr("\"\\/bfnrt", escape, 8) == nullptr) return false;
            index += 1;
        }
    }
    return true;
}

// The string's end is found from behind: only white space can stand between it and the next index.
bool LineParser::parseString(Span &span) {
    const uint32_t quote = indexes_[at_];
    uint32_t end = indexes_[at_ + 1] - 1;
    while (end > quote && isSpace(block_[end])) end--;
    if (end <= quote || block_[end] != '"') return false;
    span.start = quote + 1;
    span.end = end;
    span.escaped = false;
    if (lineHasEscapes_ && std::memchr(block_ + span.start, '\\', end - span.start) != nullptr) {
        if (!checkEscapes(span.start, end)) return false;
        span.escaped = true;
    }
    advance(end + 1);
    return true;
}

bool LineParser::parseNumber(uint32_t &end) const {
    uint32_t at = indexes_[at_];
    const uint32_t limit = indexes_[at_ + 1];
    if (block_[at] == '-') at++;
    if (at >= limit || !isDigit(block_[at])) return false;
    if (block_[at] == '0') {
        at++;
    } else {
        while (at < limit && isDigit(block_[at])) at++;
    }
    if (at < limit && block_[at] == '.') {
        at++;
        if (at >= limit || !isDigit(block_[at])) return false;
        while (at < limit && isDigit(block_[at])) at++;
    }
    if (at < limit && (block_[at] | 0x20) == 'e') {
        at++;
        if (at < limit && (block_[at] == '+' || block_[at] == '-')) at++;
        if (at >= limit || !isDigit(block_[at])) return false;
        while (at < limit && isDigit(block_[at])) at++;
    }
    end = at;
    while (at < limit) {
        if (!isSpace(block_[at++])) return false;
    }
    return true;
}

// A number, true, false or null.
bool LineParser::parseScalar() {
    const uint32_t start = indexes_[at_];
    const uint32_t limit = indexes_[at_ + 1];
    const char *word;
    switch (block_[start]) {
        case 't': word = "true"; break;
        case 'f': word = "false"; break;
        case 'n': word = "null"; break;
        default: {
            uint32_t end;
            if (!parseNumber(end)) return false;
            advance(end);
            return true;
        }
    }
    const uint32_t length = uint32_t(std::strlen(word));
    if (limit - start < length || std::memcmp(block_ + start, word, length) != 0) return false;
    for (uint32_t at = start + length; at < limit; at++) {
        if (!isSpace(block_[at])) return false;
    }
    advance(start + length);
    return true;
}

bool LineParser::enter() {
    if (depth_ >= limits_.nesting_depth_max) return false;
    depth_++;
    return true;
}

// Validates one value of any kind and steps behind it. Iterative: depth costs a byte each, not a frame.
bool LineParser::skipValue() {
    const size_t base = depth_;
    Span span;
    for (;;) {
        // A value stands here.
        switch (peek()) {
            case '"':
                if (!parseString(span)) return false;
                break;
            case '{':
                advance(indexes_[at_] + 1);
                if (!enter()) return false;
                if (accept('}')) {
                    leave();
                    break;
                }
                open_[depth_] = 1;
                if (peek() != '"' || !parseString(span) || !accept(':')) return false;
                continue;
            case '[':
                advance(indexes_[at_] + 1);
                if (!enter()) return false;
                if (accept(']')) {
                    leave();
                    break;
                }
                open_[depth_] = 0;
                continue;
            case 0:
                return false;
            default:
                if (!parseScalar()) return false;
        }
        // A value ended here: close what ends with it, or go on to the next one.
        for (;;) {
            if (depth_ == base) return true;
            const uint8_t byte = peek();
            if (byte == ',') {
                advance(indexes_[at_] + 1);
                if (open_[depth_] && (peek() != '"' || !parseString(span) || !accept(':'))) return false;
                break;
            }
            if (byte != (open_[depth_] ? '}' : ']')) return false;
            advance(indexes_[at_] + 1);
            leave();
        }
    }
}

// Steps through an object that was entered: true with a key and its value next, or, at its end, false
// with `key.start` absent. A fault is false with `key.start` set.
bool LineParser::nextKey(bool &first, Span &key) {
    key.start = 0;
    if (accept('}')) {
        leave();
        key.start = TM_ABSENT;
        return false;
    }
    if (!first && !accept(',')) return false;
    first = false;
    if (peek() != '"' || !parseString(key) || !accept(':')) {
        key.start = 0;
        return false;
    }
    return true;
}

static int hexValue(uint8_t byte) { return isDigit(byte) ? byte - '0' : (byte | 0x20) - 'a' + 10; }

static uint32_t codeUnit(const uint8_t *bytes) {
    return uint32_t(hexValue(bytes[0]) << 12 | hexValue(bytes[1]) << 8 | hexValue(bytes[2]) << 4 | hexValue(bytes[3]));
}

// False when an escape names half a surrogate pair: no UTF-8 stands for that.
bool LineParser::unescape(const Span &span, std::vector<uint8_t> &out) const {
    for (uint32_t index = span.start; index < span.end;) {
        const uint8_t byte = block_[index];
        if (byte != '\\') {
            out.push_back(byte);
            index++;
            continue;
        }
        const uint8_t escape = block_[index + 1];
        index += 2;
        switch (escape) {
            case 'b': out.push_back('\b'); continue;
            case 'f': out.push_back('\f'); continue;
            case 'n': out.push_back('\n'); continue;
            case 'r': out.push_back('\r'); continue;
            case 't': out.push_back('\t'); continue;
            case 'u': break;
            default: out.push_back(escape); continue;
        }
        uint32_t code = codeUnit(block_ + index);
        index += 4;
        if (code >= 0xDC00 && code <= 0xDFFF) return false;
        if (code >= 0xD800 && code <= 0xDBFF) {
            if (span.end - index < 6 || block_[index] != '\\' || block_[index + 1] != 'u') return false;
            const uint32_t low = codeUnit(block_ + index + 2);
            if (low < 0xDC00 || low > 0xDFFF) return false;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            index += 6;
        }
        if (code < 0x80) {
            out.push_back(uint8_t(code));
        } else if (code < 0x800) {
            out.push_back(uint8_t(0xC0 | code >> 6));
            out.push_back(uint8_t(0x80 | (code & 0x3F)));
        } else if (code < 0x10000) {
            out.push_back(uint8_t(0xE0 | code >> 12));
            out.push_back(uint8_t(0x80 | (code >> 6 & 0x3F)));
            out.push_back(uint8_t(0x80 | (code & 0x3F)));
        } else {
            out.push_back(uint8_t(0xF0 | code >> 18));
            out.push_back(uint8_t(0x80 | (code >> 12 & 0x3F)));
            out.push_back(uint8_t(0x80 | (code >> 6 & 0x3F)));
            out.push_back(uint8_t(0x80 | (code & 0x3F)));
        }
    }
    return true;
}

bool LineParser::keyIs(const Span &key, const char *name, size_t length) {
    if (key.escaped) {
        scratch_.clear();
        return unescape(key, scratch_) && scratch_.size() == length && std::memcmp(scratch_.data(), name, length) == 0;
    }
    return key.end - key.start == length && std::memcmp(block_ + key.start, name, length) == 0;
}

// Gives a string's bytes a range, unescaped. False when it has no UTF-8 form or is longer than allowed;
// then `range.count` is 0 for the former.
bool LineParser::resolve(const Span &span, tm_range &range, uint32_t countMax) {
    if (!span.escaped) {
        range = {span.start, span.end - span.start};
        return range.count <= countMax;
    }
    const size_t start = rewritten_.size();
    if (!unescape(span, rewritten_)) {
        rewritten_.resize(start);
        range = {TM_ABSENT, 0};
        return false;
    }
    range = {uint32_t(start) | TM_REWRITTEN, uint32_t(rewritten_.size() - start)};
    return range.count <= countMax;
}

// The bytes of a value that was skipped, without white space between its tokens.
tm_range LineParser::minified(size_t firstToken, size_t lastToken, uint32_t start, uint32_t end, bool hasSpace) {
    if (!hasSpace) return {start, end - start};
    const size_t rewrittenStart = rewritten_.size();
    for (size_t token = firstToken; token < lastToken; token++) {
        const uint32_t from = indexes_[token];
        uint32_t to = token + 1 < lastToken ? indexes_[token + 1] : end;
        while (to > from + 1 && isSpace(block_[to - 1])) to--;
        rewritten_.insert(rewritten_.end(), block_ + from, block_ + to);
    }
    return {uint32_t(rewrittenStart) | TM_REWRITTEN, uint32_t(rewritten_.size() - rewrittenStart)};
}

}  // namespace tidemark
