// HTTP exchanges through the system's libcurl, which is loaded when the first exchange begins.
//
// A program that makes no exchange neither links nor loads it. One thread, started with the first exchange, runs all of
// them; it calls the callbacks of an exchange, one after another.
#ifndef TIDEMARK_CURL_TRANSPORT_H
#define TIDEMARK_CURL_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *method;
    const char *url;
    // Lines of the form `Name: value`, or `Name;` for an empty value, or `Name:` for a header that libcurl must not
    // add.
    const char *const *headers;
    size_t header_count;
    // Copied; NULL for a request without a body.
    const uint8_t *body;
    size_t body_byte_count;
    long timeout_milliseconds;
    // 0 for libcurl's default.
    long connect_timeout_milliseconds;
    // NULL for no proxy, or, with `uses_system_proxy`, for the one in the environment.
    const char *proxy;
    int uses_system_proxy;
    void *context;
    // Called with each header line, including its line end; also for interim responses and trailers.
    void (*on_header)(void *context, const uint8_t *bytes, size_t byte_count);
    // Called with bytes of the body. Returns 1 if it copied them; 0 pauses the exchange until tidemark_curl_resume,
    // which then passes the same bytes again.
    int (*on_body)(void *context, const uint8_t *bytes, size_t byte_count);
    // Called once, last. The context is not used afterwards. `code` is libcurl's, 0 for a complete response.
    void (*on_end)(void *context, int code);
} tidemark_curl_request;

// Begins an exchange, and returns its number; 0 when libcurl cannot be loaded or memory is short. No callback is called
// then.
uint64_t tidemark_curl_begin(const tidemark_curl_request *request);

// Resumes an exchange that on_body paused. Does nothing if the exchange has ended.
void tidemark_curl_resume(uint64_t number);

// Cancels an exchange. on_end is called with 42, unless the exchange ends before.
void tidemark_curl_cancel(uint64_t number);

#endif
