#ifndef TIDEMARK_CZLIB_SHIM_H
#define TIDEMARK_CZLIB_SHIM_H

#include <zlib.h>

// Begins to unpack a gzip stream with the largest window. inflateInit2 is a macro, which Swift cannot see.
static inline int tm_inflate_begin(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
