#include "tidemark_simdjson.h"
