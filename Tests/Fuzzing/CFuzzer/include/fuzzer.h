// What libFuzzer offers a program that has a main of its own.

#ifndef TIDEMARK_FUZZER_H
#define TIDEMARK_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer with its own arguments until it is told to end, or something is found.
///
/// - Parameter callback: Gets each input; the bytes are the fuzzer's. Returns 0, or -1 to keep the input out of the corpus.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
