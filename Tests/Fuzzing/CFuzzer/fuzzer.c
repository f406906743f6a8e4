#include "fuzzer.h"

// A module of C needs a file of C.
