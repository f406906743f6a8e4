// 64 bytes at once, as the registers of the platform hold them. A question about each byte is answered with one bit:
// the first byte's is the lowest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if TIDEMARK_PLAIN_WORDS
// For tests of the variant that most processors do not use.
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tidemark {

// A part of a block. The answer to a question has the highest bit of each byte for yes; the other bits mean nothing.
// isUnusual: a control character, or not ASCII. curled: square brackets become curly ones, by the bit 0x20.
#if !TIDEMARK_PLAIN_WORDS && defined(__SSE2__)

struct Lane {
    __m128i bytes;

    static Lane load(const uint8_t *from) { return {_mm_loadu_si128(reinterpret_cast<const __m128i *>(from))}; }
    Lane is(uint8_t value) const { return {_mm_cmpeq_epi8(bytes, _mm_set1_epi8(char(value)))}; }
    Lane isAtMost(uint8_t value) const {
        return {_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(char(value))), bytes)};
    }
    Lane isUnusual() const { return {_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20))}; }
    Lane curled() const { return {_mm_or_si128(bytes, _mm_set1_epi8(0x20))}; }
    bool any() const { return _mm_movemask_epi8(bytes) != 0; }
    Lane operator|(Lane other) const { return {_mm_or_si128(bytes, other.bytes)}; }
};

inline uint64_t bitsOf(const Lane (&lanes)[4]) {
    const uint64_t low = uint32_t(_mm_movemask_epi8(lanes[0].bytes) | _mm_movemask_epi8(lanes[1].bytes) << 16);
    const uint64_t high = uint32_t(_mm_movemask_epi8(lanes[2].bytes) | _mm_movemask_epi8(lanes[3].bytes) << 16);
    return low | high << 32;
}

#elif !TIDEMARK_PLAIN_WORDS && defined(__ARM_NEON) && defined(__aarch64__)

struct Lane {
    uint8x16_t bytes;

    static Lane load(const uint8_t *from) { return {vld1q_u8(from)}; }
    Lane is(uint8_t value) const { return {vceqq_u8(bytes, vdupq_n_u8(value))}; }
    Lane isAtMost(uint8_t value) const { return {vcleq_u8(bytes, vdupq_n_u8(value))}; }
    Lane isUnusual() const { return {vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20))}; }
    Lane curled() const { return {vorrq_u8(bytes, vdupq_n_u8(0x20))}; }
    bool any() const { return vmaxvq_u8(bytes) >= 0x80; }
    Lane operator|(Lane other) const { return {vorrq_u8(bytes, other.bytes)}; }
};

// Each byte keeps the bit of its place among eight; three additions of neighbours bring eight together.
inline uint64_t bitsOf(const Lane (&lanes)[4]) {
    const uint8x16_t places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    const uint8x16_t low = vpaddq_u8(vandq_u8(lanes[0].bytes, places), vandq_u8(lanes[1].bytes, places));
    const uint8x16_t high = vpaddq_u8(vandq_u8(lanes[2].bytes, places), vandq_u8(lanes[3].bytes, places));
    const uint8x16_t both = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(both, both)), 0);
}

#else

// Eight bytes of a plain word, the first one lowest.
struct Lane {
    uint64_t bytes;

    static constexpr uint64_t each(uint8_t value) { return 0x0101010101010101 * value; }
    static Lane load(const uint8_t *from) {
        uint64_t word;
        std::memcpy(&word, from, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        return {word};
    }
    // Adding 0x7F to seven bits carries into the eighth unless all of them are zero; no carry leaves its byte.
    Lane is(uint8_t value) const {
        const uint64_t difference = bytes ^ each(value);
        return {~(((difference & each(0x7F)) + each(0x7F)) | difference) & each(0x80)};
    }
    Lane isAtMost(uint8_t value) const {
        const uint64_t isLarger = (bytes & each(0x7F)) + each(0x7F - (value & 0x7F));
        return {~(value < 0x80 ? isLarger | bytes : isLarger & bytes) & each(0x80)};
    }
    Lane isUnusual() const { return {(~((bytes & each(0x7F)) + each(0x60)) | bytes) & each(0x80)}; }
    Lane curled() const { return {bytes | each(0x20)}; }
    bool any() const { return (bytes & each(0x80)) != 0; }
    Lane operator|(Lane other) const { return {bytes | other.bytes}; }
};

// The product moves the bit of each byte to its place in the highest byte.
inline uint64_t bitsOf(const Lane (&lanes)[8]) {
    uint64_t bits = 0;
    for (size_t lane = 0; lane < 8; lane++) bits |= ((lanes[lane].bytes >> 7) * 0x0102040810204080) >> 56 << 8 * lane;
    return bits;
}

#endif

class ByteBlock {
   public:
    static constexpr size_t byteCount = 64;

    explicit ByteBlock(const uint8_t *bytes) {
        for (size_t lane = 0; lane < laneCount; lane++) lanes_[lane] = Lane::load(bytes + lane * sizeof(Lane));
    }

    bool isASCII() const {
        return !any([](Lane lane) { return lane; });
    }
    // Returns true if all bytes are ASCII and none is a control character, as in most blocks.
    bool isPlain() const {
        return !any([](Lane lane) { return lane.isUnusual(); });
    }
    bool contains(uint8_t value) const {
        return any([=](Lane lane) { return lane.is(value); });
    }
    uint64_t equalTo(uint8_t value) const {
        return ask([=](Lane lane) { return lane.is(value); });
    }
    uint64_t atMost(uint8_t value) const {
        return ask([=](Lane lane) { return lane.isAtMost(value); });
    }
    uint64_t whiteSpace() const {
        return ask([](Lane lane) { return (lane.is(' ') | lane.is('\n')) | (lane.is('\r') | lane.is('\t')); });
    }
    // The characters of JSON's structure outside of strings: braces, brackets, colon and comma.
    uint64_t structure() const {
        return ask([](Lane lane) {
            const Lane curled = lane.curled();
            return (curled.is('{') | curled.is('}')) | (lane.is(':') | lane.is(','));
        });
    }

   private:
    static constexpr size_t laneCount = byteCount / sizeof(Lane);

    Lane lanes_[laneCount];

    template <typename Question>
    uint64_t ask(Question question) const {
        Lane answers[laneCount];
        for (size_t lane = 0; lane < laneCount; lane++) answers[lane] = question(lanes_[lane]);
        return bitsOf(answers);
    }

    template <typename Question>
    bool any(Question question) const {
        Lane answers = question(lanes_[0]);
        for (size_t lane = 1; lane < laneCount; lane++) answers = answers | question(lanes_[lane]);
        return answers.any();
    }
};

}  // namespace tidemark
