// Payloads: the contents of each kind of event, with resources and their identity.
#include "line_parser.hpp"

namespace tidemark {

bool LineParser::parsePayload(int kind, Payload &payload) {
    payload.kind = kind;
    if (kind == TM_UNKNOWN || kind == TM_REFRESH) return skipValue();
    if (kind == TM_RESET && peek() == 'n') return parseScalar();
    if (!accept('{')) {
        payload.shapeFault |= faultPayload;
        return skipValue();
    }
    if (!enter()) return false;
    // An absent value is a fault until it is seen.
    const bool hasType = kind != TM_HEARTBEAT && kind != TM_RESET;
    payload.typeFault = hasType ? faultType : 0;
    payload.valueFault = kind == TM_BULK || kind == TM_RESET ? 0 : kind == TM_DELETED ? faultMissingID : faultPayload;
    const bool isChange = kind == TM_CHANGED || kind == TM_BATCH_CHANGED;
    bool first = true;
    Span key;
    while (nextKey(first, key)) {
        bool ok;
        if (hasType && keyIs(key, "resource_type", 13)) {
            ok = parseType(payload);
        } else if (kind == TM_CHANGED && keyIs(key, "resource", 8)) {
            ok = parseResource(payload);
        } else if (kind == TM_BATCH_CHANGED && keyIs(key, "resources", 9)) {
            ok = parseResources(payload);
        } else if (kind == TM_BATCH_CHANGED && keyIs(key, "operation", 9)) {
            payload.isIndexOperation = false;
            Span operation;
            if (peek() == '"') {
                ok = parseString(operation);
                if (ok) payload.isIndexOperation = keyIs(operation, "Index", 5);
            } else {
                ok = skipValue();
            }
        } else if (isChange && keyIs(key, "metadata", 8)) {
            ok = parseDetailObject(payload, true);
        } else if (kind == TM_BULK && keyIs(key, "hints", 5)) {
            ok = parseDetailObject(payload, false);
        } else if (kind == TM_DELETED && keyIs(key, "resource_id", 11)) {
            ok = parseDeletedID(payload);
        } else if (kind == TM_DELETED && keyIs(key, "reason", 6)) {
            ok = parseMark(payload, "scope");
        } else if (kind == TM_HEARTBEAT && keyIs(key, "stale", 5)) {
            ok = parseMark(payload, nullptr);
        } else if (kind == TM_RESET && keyIs(key, "state", 5)) {
            ok = parseMark(payload, nullptr);
        } else if (kind == TM_HEARTBEAT && keyIs(key, "last_sequence", 13)) {
            payload.hasLastSequence = false;
            payload.valueFault = 0;
            ok = parseInteger(payload.lastSequence, payload.hasLastSequence, payload.valueFault);
            if (ok && !payload.hasLastSequence && !payload.valueFault) payload.valueFault = faultPayload;
        } else if (kind == TM_RESET && keyIs(key, "epoch", 5)) {
            ok = parseResetEpoch(payload);
        } else {
            ok = skipIgnored();
        }
        if (!ok) return false;
    }
    return key.start == TM_ABSENT;
}

bool LineParser::parseType(Payload &payload) {
    payload.typeFault = faultType;
    payload.type = {TM_ABSENT, 0};
    if (peek() != '"') return skipValue();
    const size_t token = at_;
    Span text;
    if (!parseString(text)) return false;
    tm_range range;
    if (!resolve(text, range, limits_.type_byte_count_max)) return true;
    const uint8_t *bytes = text.escaped ? rewritten_.data() + (range.offset & ~TM_REWRITTEN) : block_ + range.offset;
    if (!isTypeName(bytes, range.count)) return true;
    note(LineLayout::typeValue, token, text.start - 1, tokenEnd_, depth_);
    payload.typeFault = 0;
    payload.type = range;
    return true;
}

bool LineParser::isTypeName(const uint8_t *bytes, uint32_t count) const {
    if (count == 0 || count > limits_.type_byte_count_max) return false;
    for (uint32_t index = 0; index < count; index++) {
        const uint8_t byte = bytes[index];
        const uint8_t lower = byte | 0x20;
        if (!isDigit(byte) && !(lower >= 'a' && lower <= 'z') && byte != '_' && byte != '.' && byte != '-') return false;
    }
    return true;
}

// Skips an unused value, and records it for the layout, because it may differ in the next line.
bool LineParser::skipIgnored() {
    const size_t token = at_;
    const uint32_t start = indexes_[at_];
    if (!skipValue()) return false;
    note(LineLayout::ignoredValue, token, start, tokenEnd_, depth_);
    return true;
}

static uint32_t faultOfReason(uint8_t reason) {
    switch (reason) {
        case TM_OK: return 0;
        case TM_MISSING_ID: return faultMissingID;
        case TM_ID_TOO_LONG: return faultLongID;
        default: return faultPayload;
    }
}

bool LineParser::parseResource(Payload &payload) {
    payload.firstMember = uint32_t(members_.size());
    payload.memberCount = 1;
    const size_t token = at_;
    const uint32_t start = indexes_[at_];
    tm_member member;
    if (!parseMember(member)) return false;
    note(LineLayout::resourceValue, token, start, tokenEnd_, depth_);
    members_.push_back(member);
    payload.valueFault = faultOfReason(member.reason);
    return true;
}

bool LineParser::parseResources(Payload &payload) {
    payload.firstMember = uint32_t(members_.size());
    payload.memberCount = 0;
    payload.valueFault = faultPayload;
    if (!accept('[')) return skipValue();
    if (!enter()) return false;
    payload.valueFault = 0;
    if (accept(']')) {
        leave();
        return true;
    }
    for (;;) {
        if (payload.memberCount < limits_.batch_member_count_max) {
            tm_member member;
            if (!parseMember(member)) return false;
            members_.push_back(member);
            payload.memberCount++;
        } else {
            payload.valueFault = faultBatchSize;
            if (!skipValue()) return false;
        }
        if (accept(',')) continue;
        if (!accept(']')) return false;
        leave();
        return true;
    }
}

// Parses one resource: its bytes without white space, and its id. A fault of the resource is stored in the member.
bool LineParser::parseMember(tm_member &member) {
    member = tm_member();
    const size_t firstToken = at_;
    if (done()) return false;
    const uint32_t start = indexes_[at_];
    tokenEnd_ = start;
    hasSpace_ = false;
    IdentityTokens identity;
    const bool isObject = peek() == '{';
    if (!skipValue(&identity)) return false;
    member.resource = minified(firstToken, at_, start, tokenEnd_, hasSpace_);
    if (!isObject) {
        member.reason = TM_BAD_SHAPE;
        return true;
    }
    const bool hasID = identity.id != SIZE_MAX && block_[indexes_[identity.id]] != 'n';
    member.reason = identify(hasID ? identity.id : identity.uuid, member);
    return true;
}

static uint64_t load64(const uint8_t *bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    return word;
}

static uint64_t load32(const uint8_t *bytes) {
    uint32_t word;
    std::memcpy(&word, bytes, 4);
    return word;
}

// Parses eight hexadecimal digits at once, in the byte lanes of a word, with the first digit in the lowest lane. The
// value of a digit follows from its low four bits and from the bit that letters have. Converting the values back to
// digits reveals bytes that are no digits.
static uint64_t eightDigits(uint64_t text, uint64_t &invalid) {
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t letters = text >> 6 & ones;
    const uint64_t values = (text & ones * 0x0F) + letters * 9;
    const uint64_t aboveNine = (values + ones * 6) >> 4 & ones;
    invalid |= (values + ones * '0' + aboveNine * ('a' - '0' - 10)) ^ (text | letters << 5);
    // The letters after f are converted back unchanged; only their values, 16 and more, reveal them.
    invalid |= values & ones * 0x10;
    uint64_t packed = __builtin_bswap64(values);
    packed = (packed | packed >> 4) & 0x00FF00FF00FF00FFu;
    packed = (packed | packed >> 8) & 0x0000FFFF0000FFFFu;
    return (packed | packed >> 16) & 0xFFFFFFFFu;
}

static bool parseUUID(const uint8_t *text, uint64_t &high, uint64_t &low) {
    if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return false;
    uint64_t invalid = 0;
    high = eightDigits(load64(text), invalid) << 32;
    high |= eightDigits(load32(text + 9) | load32(text + 14) << 32, invalid);
    low = eightDigits(load32(text + 19) | load32(text + 24) << 32, invalid) << 32;
    low |= eightDigits(load64(text + 28), invalid);
    return invalid == 0;
}

// Parses the id at a token, whose value was validated before.
uint8_t LineParser::identify(size_t token, tm_member &member) {
    member.id = {TM_ABSENT, 0};
    if (token == SIZE_MAX) return TM_MISSING_ID;
    const uint32_t start = indexes_[token];
    if (block_[start] == '"') {
        // The value was validated, so its end is the last quote before the next token.
        Span text{start + 1, indexes_[token + 1] - 1, false};
        while (block_[text.end] != '"') text.end--;
        if (text.end == text.start) return TM_MISSING_ID;
        text.escaped = firstBackslash_ < lineEnd_ &&
                       std::memchr(block_ + text.start, '\\', text.end - text.start) != nullptr;
        if (!resolve(text, member.id, limits_.id_byte_count_max)) {
            return member.id.offset == TM_ABSENT ? TM_MISSING_ID : TM_ID_TOO_LONG;
        }
        if (member.id.count == 36) {
            const uint8_t *bytes =
                text.escaped ? rewritten_.data() + (member.id.offset & ~TM_REWRITTEN) : block_ + member.id.offset;
            member.is_uuid = parseUUID(bytes, member.uuid_high, member.uuid_low);
        }
        return TM_OK;
    }
    uint32_t end = start;
    if (block_[end] == '-') end++;
    while (isDigit(block_[end])) end++;
    const uint8_t behind = block_[end];
    if (!isDigit(block_[end - 1]) || behind == '.' || behind == 'e' || behind == 'E') return TM_MISSING_ID;
    member.id = {start, end - start};
    return member.id.count <= limits_.id_byte_count_max ? TM_OK : TM_ID_TOO_LONG;
}

bool LineParser::parseDeletedID(Payload &payload) {
    payload.firstMember = uint32_t(members_.size());
    payload.memberCount = 1;
    tm_member member = tm_member();
    member.resource = {TM_ABSENT, 0};
    const size_t token = at_;
    if (!skipValue()) return false;
    const uint8_t reason = identify(token, member);
    members_.push_back(member);
    payload.valueFault = faultOfReason(reason);
    return true;
}

// Parses "metadata" or "hints": an object, or null for none.
bool LineParser::parseDetailObject(Payload &payload, bool isMetadata) {
    payload.detail = {TM_ABSENT, 0};
    payload.detailFault = 0;
    if (peek() == 'n') return parseScalar();
    if (peek() != '{') {
        payload.detailFault = faultPayload;
        return skipValue();
    }
    const size_t firstToken = at_;
    const uint32_t start = indexes_[at_];
    tokenEnd_ = start;
    hasSpace_ = false;
    accept('{');
    if (!enter()) return false;
    bool first = true, namesOK = true, idsOK = true;
    Span key;
    while (nextKey(first, key)) {
        bool ok;
        if (isMetadata && keyIs(key, "no_merge_fields", 15)) {
            ok = parseNameList(false, namesOK);
        } else if (isMetadata && keyIs(key, "alternate_ids", 13)) {
            ok = parseNameList(true, idsOK);
        } else {
            ok = skipValue();
        }
        if (!ok) return false;
    }
    if (key.start != TM_ABSENT) return false;
    payload.detail = minified(firstToken, at_, start, tokenEnd_, hasSpace_);
    if (!namesOK || !idsOK) payload.detailFault = faultPayload;
    return true;
}

bool LineParser::parseNameList(bool allowsIntegers, bool &ok) {
    ok = true;
    if (peek() == 'n') return parseScalar();
    if (peek() != '[') {
        ok = false;
        return skipValue();
    }
    accept('[');
    if (!enter()) return false;
    if (accept(']')) {
        leave();
        return true;
    }
    for (;;) {
        const uint8_t byte = peek();
        const uint32_t start = indexes_[at_];
        if (byte == '"') {
            Span text;
            if (!parseString(text)) return false;
            // Half of a surrogate pair is not a name.
            scratch_.clear();
            if (text.escaped && !unescape(text, scratch_)) ok = false;
        } else {
            if (!skipValue()) return false;
            bool isInteger = byte == '-' || isDigit(byte);
            for (uint32_t index = start + 1; index < tokenEnd_; index++) isInteger = isInteger && isDigit(block_[index]);
            if (!allowsIntegers || !isInteger) ok = false;
        }
        if (accept(',')) continue;
        if (!accept(']')) return false;
        leave();
        return true;
    }
}

// Returns true if two keys are equal. Repeated keys are legal, and rare.
bool LineParser::sameName(const Span &left, const Span &right) {
    const size_t count = left.end - left.start;
    if (count == right.end - right.start && std::memcmp(block_ + left.start, block_ + right.start, count) == 0) return true;
    if (!left.escaped && !right.escaped) return false;
    std::vector<uint8_t> other;
    scratch_.clear();
    return unescape(left, scratch_) && unescape(right, other) && scratch_ == other;
}

// Parses an integer. Null counts as absent; anything but the digits of 0 … 2^63-1 is a fault.
bool LineParser::parseInteger(int64_t &value, bool &present, uint32_t &fault) {
    const uint32_t start = indexes_[at_];
    const uint8_t byte = peek();
    if (!skipValue()) return false;
    if (byte == 'n') return true;
    fault = faultSequence;
    if (!isDigit(byte)) return true;
    // 2^63 - 1 has 19 digits, and no number with 19 digits is as large as 2^64.
    if (tokenEnd_ - start > 19) return true;
    uint64_t number = 0;
    for (uint32_t index = start; index < tokenEnd_; index++) {
        if (!isDigit(block_[index])) return true;
        number = number * 10 + (block_[index] - '0');
    }
    if (number > uint64_t(INT64_MAX)) return true;
    fault = 0;
    present = true;
    value = int64_t(number);
    return true;
}

// Parses a member that marks its event when it has one value: the string `word`, or true without one.
bool LineParser::parseMark(Payload &payload, const char *word) {
    if (word == nullptr) {
        payload.isMarked = peek() == 't';
        return skipValue();
    }
    payload.isMarked = false;
    if (peek() != '"') return skipValue();
    Span text;
    if (!parseString(text)) return false;
    payload.isMarked = keyIs(text, word, std::strlen(word));
    return true;
}

bool LineParser::parseResetEpoch(Payload &payload) {
    payload.detail = {TM_ABSENT, 0};
    payload.detailFault = 0;
    if (peek() == 'n') return parseScalar();
    payload.detailFault = faultPayload;
    if (peek() != '"') return skipValue();
    Span text;
    if (!parseString(text)) return false;
    const bool isUsable = resolve(text, payload.detail, limits_.id_byte_count_max);
    if (isUsable) payload.detailFault = 0;
    if (!isUsable || payload.detail.count == 0) payload.detail = {TM_ABSENT, 0};
    return true;
}

}  // namespace tidemark
