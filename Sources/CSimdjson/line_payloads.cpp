// Payloads: what each kind of event carries, resources and their identity.
#include "line_parser.hpp"

namespace tidemark {

bool LineParser::parsePayload(int kind, Payload &payload) {
    payload.kind = kind;
    if (kind == TM_UNKNOWN || kind == TM_REFRESH) return skipValue();
    if (!accept('{')) {
        payload.shapeFault = faultEnvelope;
        return skipValue();
    }
    if (!enter()) return false;
    // What is not there is a fault until it is seen.
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
        } else if (kind == TM_HEARTBEAT && keyIs(key, "last_sequence", 13)) {
            payload.hasLastSequence = false;
            payload.valueFault = 0;
            ok = parseInteger(payload.lastSequence, payload.hasLastSequence, payload.valueFault);
            if (ok && !payload.hasLastSequence && !payload.valueFault) payload.valueFault = faultPayload;
        } else if (kind == TM_RESET && keyIs(key, "epoch", 5)) {
            ok = parseResetEpoch(payload);
        } else {
            ok = skipValue();
        }
        if (!ok) return false;
    }
    return key.start == TM_ABSENT;
}

bool LineParser::parseType(Payload &payload) {
    payload.typeFault = faultType;
    payload.type = {TM_ABSENT, 0};
    if (peek() != '"') return skipValue();
    Span text;
    if (!parseString(text)) return false;
    tm_range range;
    if (!resolve(text, range, limits_.type_byte_count_max) || range.count == 0) return true;
    const uint8_t *bytes = text.escaped ? rewritten_.data() + (range.offset & ~TM_REWRITTEN) : block_ + range.offset;
    for (uint32_t index = 0; index < range.count; index++) {
        const uint8_t byte = bytes[index];
        const uint8_t lower = byte | 0x20;
        if (!isDigit(byte) && !(lower >= 'a' && lower <= 'z') && byte != '_' && byte != '.' && byte != '-') return true;
    }
    payload.typeFault = 0;
    payload.type = range;
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
    tm_member member;
    if (!parseMember(member)) return false;
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

// One resource: its bytes without white space, and its id. What is wrong with it stays with the member.
bool LineParser::parseMember(tm_member &member) {
    member = tm_member();
    const size_t firstToken = at_;
    if (done()) return false;
    const uint32_t start = indexes_[at_];
    tokenEnd_ = start;
    hasSpace_ = false;
    size_t idToken = SIZE_MAX, uuidToken = SIZE_MAX;
    const bool isObject = accept('{');
    if (isObject) {
        if (!enter()) return false;
        bool first = true;
        Span key;
        while (nextKey(first, key)) {
            const uint32_t length = key.end - key.start;
            if (key.escaped || length == 2 || length == 4) {
                if (keyIs(key, "id", 2)) idToken = at_;
                if (keyIs(key, "uuid", 4)) uuidToken = at_;
            }
            if (!skipValue()) return false;
        }
        if (key.start != TM_ABSENT) return false;
    } else if (!skipValue()) {
        return false;
    }
    member.resource = minified(firstToken, at_, start, tokenEnd_, hasSpace_);
    if (!isObject) {
        member.reason = TM_BAD_SHAPE;
        return true;
    }
    if (idToken != SIZE_MAX && block_[indexes_[idToken]] == 'n') idToken = SIZE_MAX;
    member.reason = identify(idToken != SIZE_MAX ? idToken : uuidToken, member);
    return true;
}

static bool parseUUID(const uint8_t *text, uint64_t &high, uint64_t &low) {
    uint64_t halves[2] = {0, 0};
    uint32_t invalid = 0;
    int digitCount = 0;
    for (int index = 0; index < 36; index++) {
        const uint8_t byte = text[index];
        if (index == 8 || index == 13 || index == 18 || index == 23) {
            invalid |= byte != '-';
            continue;
        }
        const uint8_t letter = uint8_t((byte | 0x20) - 'a');
        const uint8_t digit = uint8_t(byte - '0');
        invalid |= digit > 9 && letter > 5;
        halves[digitCount >> 4] = halves[digitCount >> 4] << 4 | uint64_t(digit <= 9 ? digit : letter + 10);
        digitCount++;
    }
    high = halves[0];
    low = halves[1];
    return invalid == 0;
}

// Reads the id whose token is given; the value was validated before.
uint8_t LineParser::identify(size_t token, tm_member &member) {
    member.id = {TM_ABSENT, 0};
    if (token == SIZE_MAX) return TM_MISSING_ID;
    const uint32_t start = indexes_[token];
    if (block_[start] == '"') {
        const size_t at = at_;
        const uint32_t tokenEnd = tokenEnd_;
        const bool hasSpace = hasSpace_;
        Span text;
        at_ = token;
        const bool parsed = parseString(text);
        at_ = at;
        tokenEnd_ = tokenEnd;
        hasSpace_ = hasSpace;
        if (!parsed || text.end == text.start) return TM_MISSING_ID;
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

// "metadata" or "hints": an object, or null for none.
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
        if (!skipValue()) return false;
        if (byte != '"') {
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

bool LineParser::parseResetEpoch(Payload &payload) {
    payload.detail = {TM_ABSENT, 0};
    payload.detailFault = 0;
    if (peek() == 'n') return parseScalar();
    payload.detailFault = faultPayload;
    if (peek() != '"') return skipValue();
    Span text;
    if (!parseString(text)) return false;
    if (resolve(text, payload.detail, limits_.id_byte_count_max)) {
        payload.detailFault = 0;
    } else {
        payload.detail = {TM_ABSENT, 0};
    }
    return true;
}

}  // namespace tidemark
