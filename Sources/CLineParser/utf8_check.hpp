// Whether bytes are UTF-8, 64 at a time (RFC 3629, section 4).
#pragma once

#include "byte_block.hpp"

namespace tidemark {

// A first byte determines which of the next places have a continuation byte. The places where one is expected and the
// places where one is must be equal; and the second byte of some characters has a smaller range, which excludes
// overlong forms, surrogates and code points above U+10FFFF.
class UTF8Check {
   public:
    void read(const ByteBlock &block) {
        if (block.isASCII()) return readASCII();
        readOther(block);
    }

    // What is expected stays so: a fault remains one, whatever follows.
    void readASCII() { faults_ |= expected_; }

    // Returns true if every byte so far is part of a whole character.
    bool isWhole() const { return (faults_ | expected_) == 0; }

   private:
    uint64_t faults_ = 0;
    uint64_t expected_ = 0;  // in the next block
    // 1 if the last byte of the block before was this one.
    uint64_t endsWithE0_ = 0, endsWithED_ = 0, endsWithF0_ = 0, endsWithF4_ = 0;

    __attribute__((noinline)) void readOther(ByteBlock block) {
        const uint64_t ascii = block.atMost(0x7F), belowC0 = block.atMost(0xBF);
        // First bytes of characters of at least two, three and four bytes.
        const uint64_t lead2 = ~belowC0, lead3 = ~block.atMost(0xDF), lead4 = ~block.atMost(0xEF);
        faults_ |= (expected_ | lead2 << 1 | lead3 << 2 | lead4 << 3) ^ (belowC0 & ~ascii);
        faults_ |= block.equalTo(0xC0) | block.equalTo(0xC1) | ~block.atMost(0xF4);
        if ((lead3 | expected_) != 0) checkSecondBytes(block);
        expected_ = lead2 >> 63 | lead3 >> 62 | lead4 >> 61;
    }

    void checkSecondBytes(const ByteBlock &block) {
        const uint64_t below90 = block.atMost(0x8F), belowA0 = block.atMost(0x9F);
        faults_ |= after(block.equalTo(0xE0), endsWithE0_) & belowA0;
        faults_ |= after(block.equalTo(0xED), endsWithED_) & ~belowA0;
        faults_ |= after(block.equalTo(0xF0), endsWithF0_) & below90;
        faults_ |= after(block.equalTo(0xF4), endsWithF4_) & ~below90;
    }

    static uint64_t after(uint64_t places, uint64_t &carry) {
        const uint64_t next = places << 1 | carry;
        carry = places >> 63;
        return next;
    }
};

}  // namespace tidemark
