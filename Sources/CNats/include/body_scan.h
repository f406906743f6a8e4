// Finds where a JSON object or array ends. Every message of a stream is scanned once, so 64 bytes are compared at a
// time; in Swift, which reaches 8, this takes several times as long.
#ifndef TIDEMARK_BODY_SCAN_H
#define TIDEMARK_BODY_SCAN_H

#include <stddef.h>
#include <stdint.h>

// Returns the number of bytes from the bracket at the start through the one that closes it; 0 when there is none.
// Brackets in strings do not count, and the kind of a closing bracket is not checked. `bytes` begins with a bracket.
// Nothing is read at or after `count`.
size_t tidemark_container_byte_count(const uint8_t *bytes, size_t count);

#endif
