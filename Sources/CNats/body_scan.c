#include "body_scan.h"

#include <stdbool.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { BLOCK = 64 };

// One bit for each byte of a block.
typedef struct {
    uint64_t quotes, backslashes, opening, closing;
} block_masks;

// Setting this bit turns a square bracket into the curly one, and no other byte into either of them.
static const uint8_t FOLD = 0x20;

#if defined(__SSE2__)

static uint64_t matches(const __m128i *parts, uint8_t byte) {
    const __m128i wanted = _mm_set1_epi8((char)byte);
    uint64_t mask = 0;
    for (int part = 0; part < 4; part++) {
        mask |= (uint64_t)(uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(parts[part], wanted)) << (16 * part);
    }
    return mask;
}

static block_masks look(const uint8_t *bytes) {
    __m128i parts[4], folded[4];
    for (int part = 0; part < 4; part++) {
        parts[part] = _mm_loadu_si128((const __m128i *)(bytes + 16 * part));
        folded[part] = _mm_or_si128(parts[part], _mm_set1_epi8((char)FOLD));
    }
    return (block_masks){matches(parts, '"'), matches(parts, '\\'), matches(folded, '{'), matches(folded, '}')};
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

static uint64_t matches(const uint8x16_t *parts, uint8_t byte) {
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weight = vld1q_u8(weights), wanted = vdupq_n_u8(byte);
    uint64_t mask = 0;
    for (int part = 0; part < 4; part++) {
        const uint8x16_t bits = vandq_u8(vceqq_u8(parts[part], wanted), weight);
        const uint64_t low = vaddv_u8(vget_low_u8(bits)), high = vaddv_u8(vget_high_u8(bits));
        mask |= (low | high << 8) << (16 * part);
    }
    return mask;
}

static block_masks look(const uint8_t *bytes) {
    uint8x16_t parts[4], folded[4];
    for (int part = 0; part < 4; part++) {
        parts[part] = vld1q_u8(bytes + 16 * part);
        folded[part] = vorrq_u8(parts[part], vdupq_n_u8(FOLD));
    }
    return (block_masks){matches(parts, '"'), matches(parts, '\\'), matches(folded, '{'), matches(folded, '}')};
}

#else

static block_masks look(const uint8_t *bytes) {
    block_masks masks = {0, 0, 0, 0};
    for (int index = 0; index < BLOCK; index++) {
        const uint8_t byte = bytes[index];
        masks.quotes |= (uint64_t)(byte == '"') << index;
        masks.backslashes |= (uint64_t)(byte == '\\') << index;
        masks.opening |= (uint64_t)((byte | FOLD) == '{') << index;
        masks.closing |= (uint64_t)((byte | FOLD) == '}') << index;
    }
    return masks;
}

#endif

// The state between two blocks.
typedef struct {
    // The number of open brackets.
    uint64_t depth;
    bool is_in_string, is_escaped;
} scan_state;

// Sets the bits from each opening quote up to the byte before its closing quote.
static uint64_t strings(uint64_t quotes) {
    for (int distance = 1; distance < BLOCK; distance *= 2) quotes ^= quotes << distance;
    return quotes;
}

// Scans byte by byte. Returns the number of bytes through the bracket that closes the container; 0 when none does.
static size_t scan_bytes(const uint8_t *bytes, size_t count, scan_state *state) {
    for (size_t index = 0; index < count; index++) {
        const uint8_t byte = bytes[index];
        if (state->is_escaped) {
            state->is_escaped = false;
        } else if (state->is_in_string) {
            if (byte == '\\') state->is_escaped = true;
            if (byte == '"') state->is_in_string = false;
        } else if (byte == '"') {
            state->is_in_string = true;
        } else if ((byte | FOLD) == '{') {
            state->depth++;
        } else if ((byte | FOLD) == '}' && --state->depth == 0) {
            return index + 1;
        }
    }
    return 0;
}

// Counts brackets one by one. Returns the same as `scan_bytes`.
static size_t walk(uint64_t opening, uint64_t closing, scan_state *state) {
    for (uint64_t rest = opening | closing; rest; rest &= rest - 1) {
        const int index = __builtin_ctzll(rest);
        if (opening >> index & 1) {
            state->depth++;
        } else if (--state->depth == 0) {
            return (size_t)index + 1;
        }
    }
    return 0;
}

// Scans a block of BLOCK bytes. Returns the same as `scan_bytes`.
static size_t scan_block(const uint8_t *bytes, scan_state *state) {
    const block_masks masks = look(bytes);
    // Escapes are rare and only count in strings. A block with one is scanned byte by byte.
    if (masks.backslashes || state->is_escaped) return scan_bytes(bytes, BLOCK, state);
    const uint64_t inside = strings(masks.quotes) ^ (state->is_in_string ? UINT64_MAX : 0);
    const uint64_t opening = masks.opening & ~inside, closing = masks.closing & ~inside;
    state->is_in_string = inside >> (BLOCK - 1);
    const uint64_t closing_count = (uint64_t)__builtin_popcountll(closing);
    // The last bracket may close here.
    if (state->depth <= closing_count) return walk(opening, closing, state);
    state->depth += (uint64_t)__builtin_popcountll(opening) - closing_count;
    return 0;
}

size_t tidemark_container_byte_count(const uint8_t *bytes, size_t count) {
    scan_state state = {0, false, false};
    size_t offset = 0;
    for (; count - offset >= BLOCK; offset += BLOCK) {
        const size_t end = scan_block(bytes + offset, &state);
        if (end) return offset + end;
    }
    // Zeros are neither quotes nor brackets.
    uint8_t rest[BLOCK] = {0};
    memcpy(rest, bytes + offset, count - offset);
    const size_t end = scan_block(rest, &state);
    return end ? offset + end : 0;
}
