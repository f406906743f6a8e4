// Exchanges of HTTP through the system's libcurl, which is loaded when the first exchange begins.
//
// A program that never makes an exchange neither links nor loads it. One thread, which begins with the first exchange,
// runs all of them; the callbacks of an exchange are called on it, one after another.
#ifndef TIDEMARK_CURL_TRANSPORT_H
#define TIDEMARK_CURL_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *method;
    const char *url;
    // Lines of the form `Name: value`, or `Name;` for an empty value, or `Name:` for one that libcurl must not add.
    const char *const *headers;
    size_t header_count;
    // Copied; NULL for a request without a body.
    const uint8_t *body;
    size_t body_byte_count;
    long timeout_milliseconds;
    // 0: as long as libcurl waits by itself.
    long connect_timeout_milliseconds;
    // NULL: none, or the one that the environment names.
    const char *proxy;
    int uses_system_proxy;
    void *context;
    // One line of a head, with its line end; of interim answers and trailers too.
    void (*on_header)(void *context, const uint8_t *bytes, size_t byte_count);
    // Returns 1 when the bytes were copied; 0 stops the exchange until tidemark_curl_resume, and gives them again.
    int (*on_body)(void *context, const uint8_t *bytes, size_t byte_count);
    // Called once, last; the context is not used afterwards. `code` is libcurl's, 0 for a whole answer.
    void (*on_end)(void *context, int code);
} tidemark_curl_request;

// Returns the number of the exchange; 0 when libcurl cannot be loaded, and then nothing is called.
uint64_t tidemark_curl_begin(const tidemark_curl_request *request);

// Goes on with an exchange that on_body stopped. A number that has ended is passed over.
void tidemark_curl_resume(uint64_t number);

// Ends an exchange; on_end is called with 42 unless it ended before.
void tidemark_curl_cancel(uint64_t number);

#endif
