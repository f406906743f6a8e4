// XXH64 of the xxHash specification, version 0.1.1.
#ifndef TIDEMARK_XXH64_H
#define TIDEMARK_XXH64_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t prime1 = 0x9E3779B185EBCA87u, prime2 = 0xC2B2AE3D27D4EB4Fu, prime3 = 0x165667B19E3779F9u,
                      prime4 = 0x85EBCA77C2B2AE63u, prime5 = 0x27D4EB2F165667C5u;

static uint64_t word(const uint8_t *at, int count) {
    uint64_t value = 0;
    for (int index = 0; index < count; index++) value |= (uint64_t)at[index] << 8 * index;
    return value;
}

static uint64_t rotate(uint64_t value, int count) { return value << count | value >> (64 - count); }

static uint64_t turn(uint64_t lane, uint64_t input) { return rotate(lane + input * prime2, 31) * prime1; }

static uint64_t xxh64(const uint8_t *bytes, size_t count, uint64_t seed) {
    const uint8_t *at = bytes, *end = bytes + count;
    uint64_t hash = seed + prime5;
    if (count >= 32) {
        uint64_t lanes[4] = {seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
        for (; end - at >= 32; at += 32)
            for (int lane = 0; lane < 4; lane++) lanes[lane] = turn(lanes[lane], word(at + 8 * lane, 8));
        hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
        for (int lane = 0; lane < 4; lane++) hash = (hash ^ turn(0, lanes[lane])) * prime1 + prime4;
    }
    hash += count;
    for (; end - at >= 8; at += 8) hash = rotate(hash ^ turn(0, word(at, 8)), 27) * prime1 + prime4;
    if (end - at >= 4) {
        hash = rotate(hash ^ word(at, 4) * prime1, 23) * prime2 + prime3;
        at += 4;
    }
    for (; at < end; at++) hash = rotate(hash ^ *at * prime5, 11) * prime1;
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}

#endif
