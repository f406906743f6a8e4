#ifndef TIDEMARK_CZLIB_SHIM_H
#define TIDEMARK_CZLIB_SHIM_H

#include <zlib.h>

// A macro that is not visible in Swift: a stream of gzip, with the largest window.
static inline int tm_inflate_begin(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
