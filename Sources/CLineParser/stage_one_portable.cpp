// Stage one without a library. Each step reads 64 bytes and works on masks with one bit a byte.
#include <cstdlib>
#include <new>

#include "byte_block.hpp"
#include "stage_one.hpp"
#include "utf8_check.hpp"

namespace tidemark {

namespace {

// What is checked of the bytes themselves. It is apart from `Scan`, whose state stays in registers.
class TextCheck {
   public:
    // Returns the white space of a block; `strings` are the places inside strings.
    uint64_t spaces(const ByteBlock &block, uint64_t strings) {
        if (!block.isPlain()) return unusualSpaces(block, strings);
        utf8_.readASCII();
        return block.equalTo(' ');
    }

    bool isValid() const { return controls_ == 0 && utf8_.isWhole(); }

   private:
    uint64_t controls_ = 0;  // control characters in strings
    UTF8Check utf8_;

    // Not inlined, and with a copy: with everything in one function, clang kept single bits of the masks.
    __attribute__((noinline)) uint64_t unusualSpaces(ByteBlock block, uint64_t strings) {
        controls_ |= strings & block.atMost(0x1F);
        utf8_.read(block);
        return block.whiteSpace();
    }
};

// A scan over the blocks in order, with what a block must know of those before it.
class Scan {
   public:
    // Returns the places where a token begins.
    uint64_t starts(const ByteBlock &block, TextCheck &text);

    bool isInString() const { return inString_ != 0; }

   private:
    uint64_t inString_ = 0;     // all bits set if the block begins inside a string
    uint64_t isEscaped_ = 0;    // 1 if a backslash before the block escapes its first byte
    uint64_t afterScalar_ = 0;  // 1 if the byte before the block belongs to a token that is no string and no structure
};

struct Escapes {
    uint64_t places;
    uint64_t next;  // 1 if the first byte after the block is escaped
};

// Returns the bytes that a backslash escapes. In a run of backslashes every second byte is escaped, and the byte after
// a run of odd length. To find them without a loop, the starts of runs at odd places are added to the runs: the carry
// clears such a run and sets the place after it, so that these places, and no others, change.
__attribute__((noinline)) Escapes escapes(uint64_t backslashes, uint64_t first) {
    constexpr uint64_t oddPlaces = 0xAAAAAAAAAAAAAAAA;
    backslashes &= ~first;
    const uint64_t runStarts = backslashes & ~(backslashes << 1);
    uint64_t sum;
    const bool overflows = __builtin_add_overflow(backslashes, runStarts & oddPlaces, &sum);
    return {((backslashes << 1) & (oddPlaces ^ sum ^ backslashes)) | first, overflows};
}

// Sets every bit from an odd one of `bits` up to the place before the next one.
inline uint64_t between(uint64_t bits) {
    for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

inline uint64_t Scan::starts(const ByteBlock &block, TextCheck &text) {
    uint64_t quotes = block.equalTo('"');
    if (isEscaped_ != 0 || block.contains('\\')) {
        const Escapes escaped = escapes(block.equalTo('\\'), isEscaped_);
        quotes &= ~escaped.places;
        isEscaped_ = escaped.next;
    }
    const uint64_t strings = between(quotes) ^ inString_;  // with the opening quotes, without the closing ones
    inString_ = uint64_t(int64_t(strings) >> 63);

    const uint64_t structure = block.structure();
    const uint64_t scalars = ~(structure | text.spaces(block, strings));
    const uint64_t unquoted = scalars & ~quotes;
    const uint64_t scalarStarts = scalars & ~(unquoted << 1 | afterScalar_);
    afterScalar_ = unquoted >> 63;
    return (structure | scalarStarts) & ~(strings ^ quotes);
}

// Writes the places of all bits, and returns the place after the last one. Four are written at once, whether there are
// as many or not: a branch for each one could not be predicted.
inline uint32_t *append(uint32_t *to, uint32_t base, uint64_t bits) {
    // Where no bit is left the place means nothing, but must be defined.
    const auto place = [=](uint64_t bits) { return base + uint32_t(__builtin_ctzll(bits | uint64_t(1) << 63)); };
    while (bits != 0) {
        const uint64_t second = bits & (bits - 1), third = second & (second - 1), fourth = third & (third - 1);
        to[0] = place(bits);
        to[1] = place(second);
        to[2] = place(third);
        to[3] = place(fourth);
        to += 1 + (second != 0) + (third != 0) + (fourth != 0);
        bits = fourth & (fourth - 1);
    }
    return to;
}

class PortableStageOne final : public StageOne {
   public:
    ~PortableStageOne() override { std::free(indexes); }

    bool reserve(size_t count) override {
        if (count <= capacity_) return true;
        // Not a vector: pages that no index is written to are never touched.
        std::free(indexes);
        capacity_ = 0;
        indexes = static_cast<uint32_t *>(std::malloc((count + ByteBlock::byteCount) * sizeof(uint32_t)));
        if (indexes == nullptr) return false;
        capacity_ = count;
        return true;
    }

    Outcome run(const uint8_t *bytes, size_t count) override {
        if (count > capacity_) return Outcome::outOfMemory;
        Scan scan;
        TextCheck text;
        uint32_t *end = indexes;
        uint8_t rest[ByteBlock::byteCount];
        for (size_t at = 0; at < count; at += ByteBlock::byteCount) {
            const uint8_t *from = bytes + at;
            if (count - at < ByteBlock::byteCount) {
                std::memset(rest, ' ', sizeof rest);
                from = static_cast<uint8_t *>(std::memcpy(rest, from, count - at));
            }
            end = append(end, uint32_t(at), scan.starts(ByteBlock(from), text));
        }
        if (scan.isInString() || !text.isValid()) return Outcome::fault;
        indexCount = size_t(end - indexes);
        return indexCount == 0 ? Outcome::blank : Outcome::indexed;
    }

    bool isUTF8(const uint8_t *bytes, size_t count) const override {
        UTF8Check utf8;
        size_t at = 0;
        for (; at + ByteBlock::byteCount <= count; at += ByteBlock::byteCount) {
            utf8.read(ByteBlock(bytes + at));
        }
        uint8_t rest[ByteBlock::byteCount] = {};
        if (at < count) std::memcpy(rest, bytes + at, count - at);
        utf8.read(ByteBlock(rest));
        return utf8.isWhole();
    }

   private:
    size_t capacity_ = 0;
};

}  // namespace

std::unique_ptr<StageOne> makePortableStageOne() {
    return std::unique_ptr<StageOne>(new (std::nothrow) PortableStageOne());
}

}  // namespace tidemark
