#ifndef TIDEMARK_CZLIB_SHIM_H
#define TIDEMARK_CZLIB_SHIM_H

#include <zlib.h>

// zlib's macros, as functions that Swift can see.

// Begins to unpack a gzip stream with the largest window.
static inline int tm_inflate_begin(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

// Begins to pack and to unpack raw deflate, which has no header and no checksum, with the largest window.
static inline int tm_deflate_raw_begin(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}
static inline int tm_inflate_raw_begin(z_stream *stream) { return inflateInit2(stream, -15); }

// Begins to pack a gzip stream with a window of 4 KiB and little memory, some 30 KB: there may be many at a time.
static inline int tm_gzip_begin(z_stream *stream) {
    return deflateInit2(stream, 5, Z_DEFLATED, 12 + 16, 5, Z_DEFAULT_STRATEGY);
}

#endif
