// Finds where an object or an array of JSON ends. Every message of a stream is scanned once, so 64 bytes are looked at
// together: beside Swift, which reaches 8, this takes a fraction of the time.
#ifndef TIDEMARK_BODY_SCAN_H
#define TIDEMARK_BODY_SCAN_H

#include <stddef.h>
#include <stdint.h>

// Returns the number of bytes from the bracket at the start to the one that closes it, both included; 0 when there is
// none. Brackets in strings do not count; of what kind a closing bracket is does not matter. `bytes` begins with a bracket.
// Nothing is read at or behind `count`.
size_t tidemark_container_byte_count(const uint8_t *bytes, size_t count);

#endif
