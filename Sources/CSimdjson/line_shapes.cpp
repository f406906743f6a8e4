// Shapes: which of the four envelopes a line is, and what its kind carries.
#include "line_parser.hpp"

namespace tidemark {

LineClass LineParser::parse(const uint32_t *indexes, size_t first, uint32_t lineEnd) {
    indexes_ = indexes;
    at_ = first;
    lineEnd_ = lineEnd;
    if (done()) return LineClass::blank;
    depth_ = 0;
    tokenEnd_ = indexes[first];
    hasSpace_ = false;
    if (nextBackslash_ < indexes[first]) findBackslash(indexes[first]);
    lineHasEscapes_ = nextBackslash_ < lineEnd;
    payload = Payload();
    envelope = EnvelopeFields();
    LineClass lineClass = LineClass::event;
    if (!parseRoot(false, lineClass) || !done()) return LineClass::grammarFault;
    return lineClass;
}

bool LineParser::parseRoot(bool nested, LineClass &lineClass) {
    switch (peek()) {
        case '"': {
            const size_t token = at_;
            Span text;
            if (!parseString(text)) return false;
            if (!nested && (keyIs(text, "Subscribed", 10) || keyIs(text, "Unsubscribed", 12) ||
                            keyIs(text, "LogsSubscribed", 14) || keyIs(text, "Pong", 4))) {
                lineClass = LineClass::control;
                return true;
            }
            at_ = token;
            return parseBareKind(payload);
        }
        case '{':
            return parseRootObject(nested, lineClass);
        case '[':
            if (!nested) return parseRootArray(lineClass);
            [[fallthrough]];
        default:
            payload.shapeFault = faultEnvelope;
            return skipValue();
    }
}

// An array is a JSON-RPC batch when all its elements are objects with "jsonrpc".
bool LineParser::parseRootArray(LineClass &lineClass) {
    advance(indexes_[at_] + 1);
    if (!enter()) return false;
    bool allMessages = true;
    if (accept(']')) {
        payload.shapeFault = faultEnvelope;
        return true;
    }
    for (;;) {
        bool isMessage = false;
        if (accept('{')) {
            if (!enter()) return false;
            bool first = true;
            Span key;
            while (nextKey(first, key)) {
                isMessage |= keyIs(key, "jsonrpc", 7);
                if (!skipValue()) return false;
            }
            if (key.start != TM_ABSENT) return false;
        } else if (!skipValue()) {
            return false;
        }
        allMessages &= isMessage;
        if (accept(',')) continue;
        if (!accept(']')) return false;
        leave();
        if (allMessages) {
            lineClass = LineClass::message;
        } else {
            payload.shapeFault = faultEnvelope;
        }
        return true;
    }
}

bool LineParser::parseRootObject(bool nested, LineClass &lineClass) {
    advance(indexes_[at_] + 1);
    if (!enter()) return false;
    size_t keyCount = 0;
    bool isMessage = false, isControl = false, isWrapper = false;
    bool hasEnvelope = false;
    EnvelopeFields flat, inner, wrapped;
    Payload event, kind, bare;
    bool first = true;
    Span key;
    while (nextKey(first, key)) {
        const bool isFirst = keyCount++ == 0;
        const int name = envelopeName(key);
        if (name >= 0) {
            if (isFirst && !resolve(key, bare.name, UINT32_MAX)) bare.shapeFault = faultEnvelope;
            if (isFirst) bare.kind = TM_UNKNOWN;
            if (!parseEnvelopeField(name, flat.field[name])) return false;
        } else if (keyIs(key, "event", 5)) {
            event = Payload();
            if (!parseNamedKind(event)) return false;
        } else if (keyIs(key, "kind", 4)) {
            kind = Payload();
            if (!parseTaggedKind(kind)) return false;
        } else if (keyIs(key, "envelope", 8)) {
            if (!parseEnvelopeObject(inner, hasEnvelope)) return false;
        } else if (!nested && keyIs(key, "jsonrpc", 7)) {
            isMessage = true;
            if (!skipValue()) return false;
        } else if (isFirst && !nested && keyIs(key, "Event", 5)) {
            isWrapper = true;
            if (!parseRoot(true, lineClass)) return false;
            bare = payload;
            wrapped = envelope;
            payload = Payload();
            envelope = EnvelopeFields();
        } else if (isFirst) {
            isControl = !nested && (keyIs(key, "JsonOk", 6) || keyIs(key, "Error", 5) || keyIs(key, "LogMessage", 10));
            const int bareKind = kindOf(key);
            if (!resolve(key, bare.name, UINT32_MAX)) bare.shapeFault = faultEnvelope;
            if (!parsePayload(bareKind, bare)) return false;
        } else if (!skipValue()) {
            return false;
        }
    }
    if (key.start != TM_ABSENT) return false;
    if (isMessage) {
        lineClass = LineClass::message;
        return true;
    }
    const bool hasEvent = event.kind >= 0 || event.shapeFault, hasKind = kind.kind >= 0 || kind.shapeFault;
    if (!hasEvent && !hasKind && !hasEnvelope && keyCount == 1) {
        if (isControl) lineClass = LineClass::control;
        payload = bare;
        if (isWrapper) envelope = wrapped;
        return true;
    }
    for (int name = 0; name < fieldCount; name++) {
        const EnvelopeField &preferred = inner.field[name];
        envelope.field[name] = preferred.present || preferred.fault ? preferred : flat.field[name];
    }
    if (hasEvent != hasKind) {
        payload = hasEvent ? event : kind;
    } else {
        payload = Payload();
        payload.shapeFault = faultEnvelope;
    }
    return true;
}

int LineParser::envelopeName(const Span &key) {
    static const struct {
        const char *name;
        size_t length;
        int field;
    } names[] = {{"library_id", 10, fieldLibrary}, {"sequence", 8, fieldSequence},        {"epoch", 5, fieldEpoch},
                 {"prev", 4, fieldPrevious},       {"mutation_id", 11, fieldMutationID}, {"as_of", 5, fieldAsOf}};
    for (const auto &entry : names) {
        if (keyIs(key, entry.name, entry.length)) return entry.field;
    }
    return -1;
}

bool LineParser::parseEnvelopeObject(EnvelopeFields &fields, bool &present) {
    if (peek() == 'n') return parseScalar();
    present = true;
    fields = EnvelopeFields();
    if (!accept('{')) {
        fields.field[fieldLibrary].fault = faultEnvelope;
        return skipValue();
    }
    if (!enter()) return false;
    bool first = true;
    Span key;
    while (nextKey(first, key)) {
        const int name = envelopeName(key);
        if (name >= 0 ? !parseEnvelopeField(name, fields.field[name]) : !skipValue()) return false;
    }
    return key.start == TM_ABSENT;
}

bool LineParser::parseEnvelopeField(int name, EnvelopeField &field) {
    field = EnvelopeField();
    if (name == fieldSequence || name == fieldPrevious || name == fieldAsOf) {
        return parseInteger(field.number, field.present, field.fault);
    }
    if (peek() == 'n') return parseScalar();
    if (peek() != '"') {
        field.fault = faultEnvelope;
        return skipValue();
    }
    Span text;
    if (!parseString(text)) return false;
    if (resolve(text, field.text, limits_.id_byte_count_max)) {
        field.present = true;
    } else {
        const bool isLong = field.text.offset != TM_ABSENT;
        field.fault = isLong && name == fieldLibrary ? faultLongID : faultEnvelope;
        field.text = {TM_ABSENT, 0};
    }
    return true;
}

// Null is absent; anything but the digits of 0 … 2^63-1 is a fault.
bool LineParser::parseInteger(int64_t &value, bool &present, uint32_t &fault) {
    const uint32_t start = indexes_[at_];
    const uint8_t byte = peek();
    if (!skipValue()) return false;
    if (byte == 'n') return true;
    fault = faultSequence;
    if (!isDigit(byte)) return true;
    uint64_t number = 0;
    for (uint32_t index = start; index < tokenEnd_; index++) {
        if (!isDigit(block_[index])) return true;
        const uint64_t digit = block_[index] - '0';
        if (number > (uint64_t(INT64_MAX) - digit) / 10) return true;
        number = number * 10 + digit;
    }
    fault = 0;
    present = true;
    value = int64_t(number);
    return true;
}

int LineParser::kindOf(const Span &name) {
    static const struct {
        const char *name;
        size_t length;
        int kind;
    } kinds[] = {
        {"ResourceChanged", 15, TM_CHANGED},
        {"ResourceBatchChanged", 20, TM_BATCH_CHANGED},
        {"ResourceChangedBatch", 20, TM_BATCH_CHANGED},
        {"BatchChanged", 12, TM_BATCH_CHANGED},
        {"ResourceDeleted", 15, TM_DELETED},
        {"Deleted", 7, TM_DELETED},
        {"BulkOperationCompleted", 22, TM_BULK},
        {"BulkOperation", 13, TM_BULK},
        {"Refresh", 7, TM_REFRESH},
        {"Heartbeat", 9, TM_HEARTBEAT},
        {"Reset", 5, TM_RESET},
    };
    for (const auto &entry : kinds) {
        if (keyIs(name, entry.name, entry.length)) return entry.kind;
    }
    return TM_UNKNOWN;
}

// A kind that is only its name.
bool LineParser::parseBareKind(Payload &payload) {
    Span name;
    if (!parseString(name)) return false;
    payload.kind = kindOf(name);
    if (!resolve(name, payload.name, UINT32_MAX)) payload.shapeFault = faultEnvelope;
    if (payload.kind != TM_UNKNOWN && payload.kind != TM_REFRESH) payload.shapeFault = faultEnvelope;
    return true;
}

// The value of "event": {"Kind": {…}} or "Kind".
bool LineParser::parseNamedKind(Payload &payload) {
    if (peek() == '"') return parseBareKind(payload);
    if (peek() == 'n') return parseScalar();
    if (!accept('{')) {
        payload.shapeFault = faultEnvelope;
        return skipValue();
    }
    if (!enter()) return false;
    bool first = true;
    Span key;
    size_t keyCount = 0;
    while (nextKey(first, key)) {
        if (keyCount++ == 0) {
            if (!resolve(key, payload.name, UINT32_MAX)) payload.shapeFault = faultEnvelope;
            if (!parsePayload(kindOf(key), payload)) return false;
        } else if (!skipValue()) {
            return false;
        }
    }
    if (keyCount != 1) payload.shapeFault = faultEnvelope;
    return key.start == TM_ABSENT;
}

// The value of "kind": {"type": "Kind", "data": {…}} in either order, or "Kind".
bool LineParser::parseTaggedKind(Payload &payload) {
    if (peek() == '"') return parseBareKind(payload);
    if (peek() == 'n') return parseScalar();
    if (!accept('{')) {
        payload.shapeFault = faultEnvelope;
        return skipValue();
    }
    if (!enter()) return false;
    bool first = true, hasType = false;
    Span key, type;
    size_t dataToken = SIZE_MAX, parsedToken = SIZE_MAX;
    int typeKind = TM_UNKNOWN, parsedKind = -1;
    while (nextKey(first, key)) {
        if (keyIs(key, "type", 4)) {
            hasType = peek() == '"';
            if (hasType ? !parseString(type) : !skipValue()) return false;
            if (hasType) typeKind = kindOf(type);
        } else if (keyIs(key, "data", 4)) {
            dataToken = at_;
            if (hasType) {
                payload = Payload();
                parsedToken = dataToken;
                parsedKind = typeKind;
                if (!parsePayload(typeKind, payload)) return false;
            } else if (!skipValue()) {
                return false;
            }
        } else if (!skipValue()) {
            return false;
        }
    }
    if (key.start != TM_ABSENT) return false;
    if (!hasType) {
        payload.shapeFault = faultEnvelope;
        return true;
    }
    if (dataToken == SIZE_MAX) {
        payload.kind = typeKind;
        if (typeKind != TM_UNKNOWN && typeKind != TM_REFRESH) payload.shapeFault = faultEnvelope;
    } else if (dataToken != parsedToken || typeKind != parsedKind) {
        // "data" stood before "type", or one of them stood twice; it was validated on the way.
        const size_t end = at_;
        payload = Payload();
        at_ = dataToken;
        if (!parsePayload(typeKind, payload)) return false;
        at_ = end;
    }
    if (!resolve(type, payload.name, UINT32_MAX)) payload.shapeFault = faultEnvelope;
    return true;
}

}  // namespace tidemark
