// Tokens and values: validation, skipping, and rewriting of values that have no contiguous bytes in the block.
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

// Returns the offset after the closing quote of the string that begins at `quote`; 0 if it is no string. The end is
// searched backwards from the next index, because only white space can be between them. Strings are parsed in the order
// of the line, so the next backslash of the block shows at once that a string contains none.
__attribute__((always_inline)) inline uint32_t LineParser::stringEnd(uint32_t quote, uint32_t next) {
    if (block_[next - 1] == '"' && next - 1 > quote && nextBackslash_ >= next) return next;
    return spacedStringEnd(quote, next);
}

__attribute__((noinline)) uint32_t LineParser::spacedStringEnd(uint32_t quote, uint32_t next) {
    uint32_t end = next - 1;
    while (end > quote && isSpace(block_[end])) end--;
    if (end <= quote || block_[end] != '"') return 0;
    if (nextBackslash_ < end) {
        if (!checkEscapes(quote + 1, end)) return 0;
        findBackslash(end);
    }
    return end + 1;
}

bool LineParser::parseString(Span &span) {
    const uint32_t quote = indexes_[at_];
    const size_t backslash = nextBackslash_;
    const uint32_t end = stringEnd(quote, indexes_[at_ + 1]);
    if (end == 0) return false;
    span.start = quote + 1;
    span.end = end - 1;
    span.escaped = backslash < span.end;
    advance(end);
    return true;
}

// Returns the end of the number, true, false or null that begins at `start`; 0 if it is none of them.
__attribute__((always_inline)) inline uint32_t LineParser::scalarEnd(uint32_t start, uint32_t next) const {
    uint32_t end;
    switch (block_[start]) {
        case 't': end = wordEnd(start, next, "true", 4); break;
        case 'f': end = wordEnd(start, next, "false", 5); break;
        case 'n': end = wordEnd(start, next, "null", 4); break;
        default: end = numberEnd(start, next);
    }
    for (uint32_t at = end; end != 0 && at < next; at++) {
        if (!isSpace(block_[at])) return 0;
    }
    return end;
}

inline uint32_t LineParser::wordEnd(uint32_t start, uint32_t next, const char *word, uint32_t length) const {
    return next - start >= length && std::memcmp(block_ + start, word, length) == 0 ? start + length : 0;
}

inline uint32_t LineParser::numberEnd(uint32_t start, uint32_t next) const {
    uint32_t at = start;
    if (block_[at] == '-') at++;
    if (at >= next || !isDigit(block_[at])) return 0;
    if (block_[at] == '0') {
        at++;
    } else {
        while (at < next && isDigit(block_[at])) at++;
    }
    if (at < next && block_[at] == '.') {
        at++;
        if (at >= next || !isDigit(block_[at])) return 0;
        while (at < next && isDigit(block_[at])) at++;
    }
    if (at < next && (block_[at] | 0x20) == 'e') {
        at++;
        if (at < next && (block_[at] == '+' || block_[at] == '-')) at++;
        if (at >= next || !isDigit(block_[at])) return 0;
        while (at < next && isDigit(block_[at])) at++;
    }
    return at;
}

// Parses a number, true, false or null.
bool LineParser::parseScalar() {
    const uint32_t end = scalarEnd(indexes_[at_], indexes_[at_ + 1]);
    if (end == 0) return false;
    advance(end);
    return true;
}

bool LineParser::enter() {
    if (depth_ >= limits_.nesting_depth_max) return false;
    depth_++;
    return true;
}

// Validates one value of any kind, and moves after it. The function is iterative: a level of depth costs one byte, not
// a stack frame.
//
// Most bytes of a stream are read here, so the state that changes with every token is in local variables. This reduced
// 330 ns a line to 130 in the parse suite of Benchmarks.
bool LineParser::skipValue(IdentityTokens *identity) {
    const uint8_t *const block = block_;
    const uint32_t *const first = indexes_;
    const uint32_t *index = indexes_ + at_;
    const uint32_t lineEnd = lineEnd_;
    uint8_t *const open = open_.data();
    const size_t base = depth_;
    const size_t depthMax = limits_.nesting_depth_max;
    size_t depth = base;
    uint32_t tokenEnd = tokenEnd_;
    uint32_t spaces = hasSpace_;

value:
    if (index[0] >= lineEnd) return false;
    spaces |= index[0] ^ tokenEnd;
    switch (block[index[0]]) {
        case '"':
            tokenEnd = stringEnd(index[0], index[1]);
            if (tokenEnd == 0) return false;
            index++;
            break;
        case '{':
            tokenEnd = index[0] + 1;
            index++;
            if (depth >= depthMax) return false;
            open[++depth] = 1;
            if (index[0] < lineEnd && block[index[0]] == '}') goto close;
            goto key;
        case '[':
            tokenEnd = index[0] + 1;
            index++;
            if (depth >= depthMax) return false;
            open[++depth] = 0;
            if (index[0] < lineEnd && block[index[0]] == ']') goto close;
            goto value;
        default:
            tokenEnd = scalarEnd(index[0], index[1]);
            if (tokenEnd == 0) return false;
            index++;
    }

behind:
    if (depth == base) {
        at_ = size_t(index - first);
        tokenEnd_ = tokenEnd;
        hasSpace_ = spaces != 0;
        return true;
    }
    if (index[0] >= lineEnd) return false;
    if (block[index[0]] == ',') {
        spaces |= index[0] ^ tokenEnd;
        tokenEnd = index[0] + 1;
        index++;
        if (!open[depth]) goto value;
        goto key;
    }
    if (block[index[0]] != (open[depth] ? '}' : ']')) return false;

close:
    spaces |= index[0] ^ tokenEnd;
    tokenEnd = index[0] + 1;
    index++;
    depth--;
    goto behind;

key:
    // A member with a plain value is by far the most frequent: its four tokens are handled at once, with one check of
    // the line's end. The indexes after the block's last one are readable and not below its end.
    if (index[3] < lineEnd && nextBackslash_ >= index[3] && block[index[0]] == '"' && block[index[1]] == ':' &&
        block[index[1] - 1] == '"' && index[1] - 1 > index[0]) {
        const uint32_t length = index[1] - index[0] - 2;
        const uint8_t byte = block[index[2]];
        uint32_t valueEnd = 0;
        if (byte == '"') {
            if (block[index[3] - 1] == '"' && index[3] - 1 > index[2]) valueEnd = index[3];
        } else if (byte != '{' && byte != '[') {
            valueEnd = scalarEnd(index[2], index[3]);
            if (valueEnd == 0) return false;
        }
        if (valueEnd != 0) {
            if (identity != nullptr && depth == base + 1) {
                const uint8_t *const name = block + index[0] + 1;
                if (length == 2 && name[0] == 'i' && name[1] == 'd') identity->id = size_t(index - first) + 2;
                if (length == 4 && std::memcmp(name, "uuid", 4) == 0) identity->uuid = size_t(index - first) + 2;
            }
            spaces |= (index[0] ^ tokenEnd) | (index[2] ^ (index[1] + 1)) | (index[3] ^ valueEnd);
            tokenEnd = index[3] + 1;
            const uint8_t ending = block[index[3]];
            index += 4;
            if (ending == ',') goto key;
            if (ending != '}') return false;
            depth--;
            goto behind;
        }
    }
    if (index[0] >= lineEnd || block[index[0]] != '"') return false;
    spaces |= index[0] ^ tokenEnd;
    {
        const size_t backslash = nextBackslash_;
        tokenEnd = stringEnd(index[0], index[1]);
        if (tokenEnd == 0) return false;
        if (identity != nullptr && depth == base + 1) {
            const uint32_t length = tokenEnd - index[0] - 2;
            const bool escaped = backslash < tokenEnd - 1;
            if (escaped || length == 2 || length == 4) {
                identity->note(*this, Span{index[0] + 1, tokenEnd - 1, escaped}, size_t(index - first) + 2);
            }
        }
    }
    index++;
    if (index[0] >= lineEnd || block[index[0]] != ':') return false;
    spaces |= index[0] ^ tokenEnd;
    tokenEnd = index[0] + 1;
    index++;
    goto value;
}

void IdentityTokens::note(LineParser &parser, const Span &key, size_t valueToken) {
    if (parser.keyIs(key, "id", 2)) id = valueToken;
    if (parser.keyIs(key, "uuid", 4)) uuid = valueToken;
}

// Reads the next key of an object that was entered. Returns true if a key was read and its value follows. At the end of
// the object returns false, with `key.start` absent; at a fault false, with `key.start` set.
bool LineParser::nextKey(bool &first, Span &key) {
    // A comma, a key without escapes and its colon are by far the most frequent, and are handled at once. This reduced
    // 609 instructions a line to 480.
    const uint32_t *const quote = indexes_ + at_ + (first ? 0 : 1);
    if (quote[1] < lineEnd_ && nextBackslash_ >= quote[1] && block_[quote[0]] == '"' && block_[quote[1]] == ':' &&
        block_[quote[1] - 1] == '"' && quote[1] - 1 > quote[0] && (first || block_[quote[-1]] == ',')) {
        hasSpace_ |= indexes_[at_] != tokenEnd_ || (!first && quote[-1] + 1 != quote[0]);
        key = Span{quote[0] + 1, quote[1] - 1, false};
        tokenEnd_ = quote[1] + 1;
        at_ += first ? 2 : 3;
        first = false;
        return true;
    }
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

// Resolves the escapes of a string. Returns false if an escape is half of a surrogate pair, which has no UTF-8 form.
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

bool LineParser::escapedKeyIs(const Span &key, const char *name, size_t length) {
    scratch_.clear();
    return unescape(key, scratch_) && scratch_.size() == length && std::memcmp(scratch_.data(), name, length) == 0;
}

bool LineParser::resolveEscaped(const Span &span, tm_range &range, uint32_t countMax) {
    const size_t start = rewritten_.size();
    if (!unescape(span, rewritten_)) {
        rewritten_.resize(start);
        range = {TM_ABSENT, 0};
        return false;
    }
    range = {uint32_t(start) | TM_REWRITTEN, uint32_t(rewritten_.size() - start)};
    return range.count <= countMax;
}

// Returns the bytes of a skipped value, without white space between its tokens.
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
