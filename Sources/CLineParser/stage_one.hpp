// Stage one of decoding: one pass over the bytes of many lines that finds where tokens begin, and refuses what no token
// may contain. The parser behind it reads only what this interface gives, so two implementations with the same answers
// give the same events.
//
// stage_one_simdjson.cpp   simdjson's first stage, on Linux unless the package is built without system libraries
// stage_one_portable.cpp   the same in C++17 without a library, for every platform
//
// Both are published methods: Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (2019).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tidemark {

class StageOne {
   public:
    enum class Outcome {
        indexed,
        blank,  // nothing but white space
        fault,  // invalid UTF-8, a control character in a string, or a string without an end
        outOfMemory
    };

    virtual ~StageOne() = default;

    // Makes room for the indexes of `count` bytes, which grows and never shrinks. Returns false if memory is short.
    virtual bool reserve(size_t count) = 0;

    // Reads `count` bytes, at most as many as were reserved; up to TM_PADDING bytes after them must be readable. After
    // `indexed`, `indexes` has the offset of every structural character outside of strings, of every opening quote,
    // and of the first byte of every other token, in ascending order. There is room for four more.
    virtual Outcome run(const uint8_t *bytes, size_t count) = 0;

    virtual bool isUTF8(const uint8_t *bytes, size_t count) const = 0;

    uint32_t *indexes = nullptr;
    size_t indexCount = 0;
};

// NULL when memory is short.
std::unique_ptr<StageOne> makePortableStageOne();
#if TIDEMARK_SIMDJSON
std::unique_ptr<StageOne> makeSimdjsonStageOne();
#endif

}  // namespace tidemark
