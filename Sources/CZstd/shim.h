#ifndef TIDEMARK_CZSTD_SHIM_H
#define TIDEMARK_CZSTD_SHIM_H

#define ZSTD_STATIC_LINKING_ONLY
#define ZDICT_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zdict.h>

// zstd's macros with casts, as functions that Swift can see.
static inline unsigned long long tm_zstd_content_size_unknown(void) { return ZSTD_CONTENTSIZE_UNKNOWN; }
static inline unsigned long long tm_zstd_content_size_error(void) { return ZSTD_CONTENTSIZE_ERROR; }
static inline ZSTD_cParameter tm_zstd_c_format(void) { return ZSTD_c_format; }
static inline ZSTD_cParameter tm_zstd_c_force_attach_dict(void) { return ZSTD_c_forceAttachDict; }
static inline ZSTD_dParameter tm_zstd_d_format(void) { return ZSTD_d_format; }

#endif
