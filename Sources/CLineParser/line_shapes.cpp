// Determines which of the four envelope forms a line has, and parses its kind.
#include "line_parser.hpp"

namespace tidemark {

LineClass LineParser::parse(const uint32_t *indexes, size_t first, uint32_t lineEnd) {
    indexes_ = indexes;
    at_ = first;
    lineEnd_ = lineEnd;
    if (done()) return LineClass::blank;
    if (nextBackslash_ < indexes[first]) findBackslash(indexes[first]);
    firstBackslash_ = nextBackslash_;
    payload = Payload();
    envelope = EnvelopeFields();
    const bool isKnown = !layout_.steps.empty();
    if (isKnown) {
        const size_t memberCount = members_.size(), rewrittenCount = rewritten_.size();
        if (parseAsBefore()) return LineClass::event;
        members_.resize(memberCount);
        rewritten_.resize(rewrittenCount);
        at_ = first;
        nextBackslash_ = firstBackslash_;
        payload = Payload();
        envelope = EnvelopeFields();
    }
    depth_ = 0;
    tokenEnd_ = indexes[first];
    hasSpace_ = false;
    foundCount_ = 0;
    LineClass lineClass = LineClass::event;
    if (!parseRoot(false, lineClass) || !done()) return LineClass::grammarFault;
    if (lineClass == LineClass::event) learn(first);
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
            findBackslash(indexes_[token]);
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

// An array is a JSON-RPC batch if one of its elements is an object with "jsonrpc", or if it is empty: no event is an
// array, and the sender of a batch needs to know what is wrong with the rest of it.
bool LineParser::parseRootArray(LineClass &lineClass) {
    advance(indexes_[at_] + 1);
    if (!enter()) return false;
    if (accept(']')) {
        lineClass = LineClass::message;
        return true;
    }
    bool holdsMessage = false;
    for (;;) {
        if (accept('{')) {
            if (!enter()) return false;
            bool first = true;
            Span key;
            while (nextKey(first, key)) {
                holdsMessage |= keyIs(key, "jsonrpc", 7);
                if (!skipValue()) return false;
            }
            if (key.start != TM_ABSENT) return false;
        } else if (!skipValue()) {
            return false;
        }
        if (accept(',')) continue;
        if (!accept(']')) return false;
        leave();
        if (holdsMessage) {
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
    bool isMessage = false, isControl = false, isWrapper = false, isField = false;
    bool hasEnvelope = false, hasEvent = false, hasKind = false;
    bool first = true;
    Span key, firstKey;
    // "event" and "kind" both write the single payload; a line with both is a fault in any case.
    while (nextKey(first, key)) {
        const bool isRepeated = keyCount == 1 && sameName(firstKey, key);
        const bool isFirst = keyCount == 0 || isRepeated;
        if (isRepeated) {
            payload = Payload();
            envelope = EnvelopeFields();
            isControl = isWrapper = isField = false;
        }
        keyCount += !isRepeated;
        if (isFirst) firstKey = key;
        const int name = envelopeName(key);
        if (name >= 0) {
            isField = isFirst;
            if (isFirst) {
                if (!resolve(key, payload.name, UINT32_MAX)) payload.shapeFault = faultEnvelope;
                payload.kind = TM_UNKNOWN;
            }
            if (!parseEnvelopeField(name, envelope.field[name])) return false;
        } else if (keyIs(key, "event", 5)) {
            payload = Payload();
            if (!parseNamedKind(payload)) return false;
            hasEvent = payload.kind >= 0 || payload.shapeFault;
        } else if (keyIs(key, "kind", 4)) {
            payload = Payload();
            if (!parseTaggedKind(payload)) return false;
            hasKind = payload.kind >= 0 || payload.shapeFault;
        } else if (keyIs(key, "envelope", 8)) {
            if (!parseEnvelopeObject(inner_, hasEnvelope)) return false;
        } else if (!nested && keyIs(key, "jsonrpc", 7)) {
            isMessage = true;
            if (!skipValue()) return false;
        } else if (isFirst && !nested && keyIs(key, "Event", 5)) {
            isWrapper = true;
            if (!parseRoot(true, lineClass)) return false;
        } else if (isFirst) {
            isControl = !nested && (keyIs(key, "JsonOk", 6) || keyIs(key, "Error", 5) || keyIs(key, "LogMessage", 10));
            if (!resolve(key, payload.name, UINT32_MAX)) payload.shapeFault = faultEnvelope;
            if (!parsePayload(kindOf(key), payload)) return false;
        } else {
            // If the object has more members, it is no wrapper, so the contents of the wrapper are dropped.
            if (isWrapper) envelope = EnvelopeFields();
            if (!skipIgnored()) return false;
        }
    }
    if (key.start != TM_ABSENT) return false;
    if (isMessage) {
        lineClass = LineClass::message;
        return true;
    }
    if (!hasEvent && !hasKind && !hasEnvelope && keyCount == 1) {
        if (isControl) lineClass = LineClass::control;
        // A single field that has the name of an envelope field is a kind of that name.
        if (isField) envelope = EnvelopeFields();
        // A line such as {"event": null} has one key and no kind.
        if (payload.kind < 0) payload.shapeFault = faultEnvelope;
        return true;
    }
    if (hasEnvelope) {
        envelope.shapeFault = inner_.shapeFault;
        for (int name = 0; name < fieldCount; name++) {
            const EnvelopeField &preferred = inner_.field[name];
            EnvelopeField &flat = envelope.field[name];
            if (preferred.present || preferred.fault || !flat.seen) flat = preferred;
        }
    }
    if (hasEvent == hasKind) {
        payload = Payload();
        payload.shapeFault = faultEnvelope;
    }
    return true;
}

int LineParser::envelopeName(const Span &key) {
    if (key.escaped) {
        static const char *const names[] = {"library_id", "epoch", "mutation_id", "sequence", "prev", "as_of", "more"};
        for (int name = 0; name < fieldCount; name++) {
            if (keyIs(key, names[name], std::strlen(names[name]))) return name;
        }
        return -1;
    }
    switch (key.end - key.start) {
        case 4: return keyIs(key, "prev", 4) ? fieldPrevious : keyIs(key, "more", 4) ? fieldMore : -1;
        case 5: return keyIs(key, "epoch", 5) ? fieldEpoch : keyIs(key, "as_of", 5) ? fieldAsOf : -1;
        case 8: return keyIs(key, "sequence", 8) ? fieldSequence : -1;
        case 10: return keyIs(key, "library_id", 10) ? fieldLibrary : -1;
        case 11: return keyIs(key, "mutation_id", 11) ? fieldMutationID : -1;
        default: return -1;
    }
}

bool LineParser::parseEnvelopeObject(EnvelopeFields &fields, bool &present) {
    present = peek() != 'n';
    fields = EnvelopeFields();
    if (!present) return parseScalar();
    if (!accept('{')) {
        fields.shapeFault = faultEnvelope;
        return skipValue();
    }
    if (!enter()) return false;
    bool first = true;
    Span key;
    while (nextKey(first, key)) {
        const int name = envelopeName(key);
        if (name >= 0 ? !parseEnvelopeField(name, fields.field[name]) : !skipIgnored()) return false;
    }
    return key.start == TM_ABSENT;
}

bool LineParser::parseEnvelopeField(int name, EnvelopeField &field) {
    field = EnvelopeField();
    field.seen = true;
    const size_t token = at_;
    const uint32_t start = indexes_[at_];
    if (name == fieldSequence || name == fieldPrevious || name == fieldAsOf) {
        if (!parseInteger(field.number, field.present, field.fault)) return false;
        if (field.present) note(name, token, start, tokenEnd_, depth_);
        return true;
    }
    if (peek() == 'n') return parseScalar();
    if (name == fieldMore && (peek() == 't' || peek() == 'f')) {
        field.present = true;
        field.number = peek() == 't';
        return skipValue();
    }
    if (name == fieldMore || peek() != '"') {
        field.fault = faultEnvelope;
        return skipValue();
    }
    Span text;
    if (!parseString(text)) return false;
    if (resolve(text, field.text, limits_.id_byte_count_max)) {
        field.present = name != fieldEpoch || field.text.count > 0;
        if (field.present) note(name, token, start, tokenEnd_, depth_);
        if (!field.present) field.text = {TM_ABSENT, 0};
    } else {
        const bool isLong = field.text.offset != TM_ABSENT;
        field.fault = isLong && name == fieldLibrary ? faultLongID : faultEnvelope;
        field.text = {TM_ABSENT, 0};
    }
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

// Returns true if a kind needs a payload. A reset may take its epoch from the envelope.
static bool needsPayload(int kind) { return kind != TM_UNKNOWN && kind != TM_REFRESH && kind != TM_RESET; }

// Parses a kind that consists only of its name.
bool LineParser::parseBareKind(Payload &payload) {
    Span name;
    if (!parseString(name)) return false;
    payload.kind = kindOf(name);
    if (!resolve(name, payload.name, UINT32_MAX)) payload.shapeFault = faultEnvelope;
    if (needsPayload(payload.kind)) payload.shapeFault |= faultPayload;
    return true;
}

// Parses the value of "event": {"Kind": {…}} or "Kind".
bool LineParser::parseNamedKind(Payload &payload) {
    if (peek() == '"') return parseBareKind(payload);
    if (peek() == 'n') return parseScalar();
    if (!accept('{')) {
        payload.shapeFault = faultEnvelope;
        return skipValue();
    }
    if (!enter()) return false;
    bool first = true;
    Span key, firstKey;
    size_t keyCount = 0;
    while (nextKey(first, key)) {
        if (keyCount == 0 || (keyCount == 1 && sameName(firstKey, key))) {
            keyCount = 1;
            firstKey = key;
            payload = Payload();
            if (!resolve(key, payload.name, UINT32_MAX)) payload.shapeFault = faultEnvelope;
            if (!parsePayload(kindOf(key), payload)) return false;
        } else {
            keyCount++;
            if (!skipValue()) return false;
        }
    }
    if (keyCount != 1) payload.shapeFault = faultEnvelope;
    return key.start == TM_ABSENT;
}

// Parses the value of "kind": {"type": "Kind", "data": {…}} in either order, or "Kind".
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
        if (needsPayload(typeKind)) payload.shapeFault |= faultPayload;
    } else if (dataToken != parsedToken || typeKind != parsedKind) {
        // "data" preceded "type", or one of them was repeated. The grammar of "data" is already validated.
        const size_t end = at_;
        payload = Payload();
        at_ = dataToken;
        findBackslash(indexes_[dataToken]);
        if (!parsePayload(typeKind, payload)) return false;
        at_ = end;
    }
    if (!resolve(type, payload.name, UINT32_MAX)) payload.shapeFault = faultEnvelope;
    return true;
}

}  // namespace tidemark
