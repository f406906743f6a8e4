// Parses lines that have the layout of an earlier line: the same bytes around other values. Programs write the streams,
// so nearly every line does. Then only its values are parsed, and the bytes around them are compared.
#include "line_parser.hpp"

namespace tidemark {

void LineParser::note(int kind, size_t token, uint32_t start, uint32_t end, size_t depth) {
    if (foundCount_ < LineLayout::valueCountMax) found_[foundCount_] = {kind, token, start, end, depth};
    foundCount_++;
}

// Keeps the layout of a parsed line that is a plain change, from the values recorded during parsing. If two layouts
// alternate, one of them is kept.
void LineParser::learn(size_t first) {
    if (payload.kind != TM_CHANGED || payload.faults() != 0 || payload.detail.offset != TM_ABSENT ||
        envelope.shapeFault != 0 || envelope.field[fieldMore].seen || foundCount_ > LineLayout::valueCountMax) {
        return;
    }
    if (!layout_.steps.empty() && ++missCount_ < LineLayout::missCountMax) return;
    missCount_ = 0;
    layout_.steps.clear();
    layout_.literals.clear();
    uint32_t valueCounts[LineLayout::ignoredValue + 1] = {};
    uint32_t at = indexes_[first];
    size_t token = first;
    for (size_t number = 0; number < foundCount_; number++) {
        const FoundValue &value = found_[number];
        // The value was read out of order or twice, or its literals are too long to keep.
        const bool isNext = value.start >= at && value.token >= token;
        if (!isNext || layout_.literals.size() + (value.start - at) > LineLayout::literalCountMax) {
            return layout_.steps.clear();
        }
        valueCounts[value.kind]++;
        layout_.literals.insert(layout_.literals.end(), block_ + at, block_ + value.start);
        layout_.steps.push_back({value.kind, value.start - at, value.token - token, value.depth});
        at = value.end;
        token = value.token;
        while (indexes_[token] < at) token++;
    }
    if (layout_.literals.size() + (tokenEnd_ - at) > LineLayout::literalCountMax) return layout_.steps.clear();
    layout_.tailCount = tokenEnd_ - at;
    layout_.tailTokenCount = at_ - token;
    layout_.literals.insert(layout_.literals.end(), block_ + at, block_ + tokenEnd_);
    bool isPlain = valueCounts[LineLayout::typeValue] == 1 && valueCounts[LineLayout::resourceValue] == 1 &&
                   std::memchr(layout_.literals.data(), '\\', layout_.literals.size()) == nullptr;
    for (int name = 0; name < fieldCount; name++) {
        const EnvelopeField &field = envelope.field[name];
        isPlain = isPlain && field.fault == 0 && valueCounts[name] == uint32_t(field.present);
        layout_.isNull[name] = field.seen && !field.present;
    }
    if (!isPlain) layout_.steps.clear();
}

// Parses a line with the known layout. Returns false if the line has another layout; the caller then undoes the partial
// result.
bool LineParser::parseAsBefore() {
    const uint8_t *literal = layout_.literals.data();
    uint32_t at = indexes_[at_];
    for (const LineLayout::Step &step : layout_.steps) {
        if (lineEnd_ - at < step.literalCount || std::memcmp(block_ + at, literal, step.literalCount) != 0) return false;
        literal += step.literalCount;
        at += step.literalCount;
        at_ += step.tokenCount;
        if (at >= lineEnd_ || indexes_[at_] != at || !parseValue(step)) return false;
        at = tokenEnd_;
    }
    if (lineEnd_ - at < layout_.tailCount || std::memcmp(block_ + at, literal, layout_.tailCount) != 0) return false;
    at_ += layout_.tailTokenCount;
    tokenEnd_ = at + layout_.tailCount;
    payload.kind = TM_CHANGED;
    for (int name = 0; name < fieldCount; name++) envelope.field[name].seen |= layout_.isNull[name];
    if (!done()) return false;
    missCount_ = 0;
    return true;
}

// Parses one value of a layout. Returns false for a value that the line of the layout could not have had; the whole
// line is then parsed again.
bool LineParser::parseValue(const LineLayout::Step &step) {
    const uint32_t start = indexes_[at_];
    switch (step.kind) {
        case LineLayout::resourceValue:
            depth_ = step.depth;
            return parseResource(payload);
        case LineLayout::ignoredValue:
            depth_ = step.depth;
            return skipValue();
        case fieldSequence:
        case fieldPrevious:
        case fieldAsOf: {
            // A number of eighteen digits is below 2^63.
            uint32_t end = start;
            uint64_t number = 0;
            while (end < lineEnd_ && isDigit(block_[end])) number = number * 10 + (block_[end++] - '0');
            if (end == start || end - start > 18 || (block_[start] == '0' && end - start > 1)) return false;
            EnvelopeField &field = envelope.field[step.kind];
            field.number = int64_t(number);
            field.present = field.seen = true;
            at_++;
            tokenEnd_ = end;
            return true;
        }
        default: {
            const uint32_t end = indexes_[at_ + 1];
            if (end > lineEnd_ || end - start < 3 || block_[start] != '"' || block_[end - 1] != '"' ||
                nextBackslash_ < end) {
                return false;
            }
            const tm_range text = {start + 1, end - start - 2};
            if (step.kind == LineLayout::typeValue) {
                if (!isTypeName(block_ + text.offset, text.count)) return false;
                payload.type = text;
            } else {
                if (text.count > limits_.id_byte_count_max) return false;
                EnvelopeField &field = envelope.field[step.kind];
                field.text = text;
                field.present = field.seen = true;
            }
            at_++;
            tokenEnd_ = end;
            return true;
        }
    }
}

}  // namespace tidemark
