// The part of libnats that is used: connections, subscriptions that are asked for messages, requests. libnats is loaded
// when the first connection is made; a program that makes none neither links nor loads it.
//
// No function of this header takes a callback: libnats may call one after its owner has gone. Messages are fetched
// instead, on a thread of the caller. All functions may be called from any thread.
#ifndef TIDEMARK_NATS_CLIENT_H
#define TIDEMARK_NATS_CLIENT_H

#include <stddef.h>
#include <stdint.h>

enum {
    TIDEMARK_NATS_OK = 0,
    TIDEMARK_NATS_ERROR = 1,
    TIDEMARK_NATS_PROTOCOL_ERROR = 2,
    TIDEMARK_NATS_IO_ERROR = 3,
    TIDEMARK_NATS_CONNECTION_CLOSED = 5,
    TIDEMARK_NATS_NO_SERVER = 6,
    TIDEMARK_NATS_STALE = 7,
    TIDEMARK_NATS_TLS_NOT_OFFERED = 8,
    TIDEMARK_NATS_TLS_WANTED = 9,
    TIDEMARK_NATS_DISCONNECTED = 10,
    TIDEMARK_NATS_AUTH_FAILED = 11,
    TIDEMARK_NATS_NOT_PERMITTED = 12,
    TIDEMARK_NATS_MAX_PAYLOAD = 21,
    TIDEMARK_NATS_TIMEOUT = 26,
    TIDEMARK_NATS_SSL_ERROR = 29,
    TIDEMARK_NATS_NO_RESPONDERS = 34,
    // Not a status of libnats: it cannot be loaded.
    TIDEMARK_NATS_NO_LIBRARY = -1,
};

typedef struct {
    // `nats://host:port`, without credentials.
    const char *const *servers;
    int server_count;
    // NULL where not given.
    const char *user;
    const char *password;
    const char *token;
    const char *credentials_file;
    const char *nkey;
    const char *nkey_seed_file;
    const char *ca_file;
    const char *certificate_file;
    const char *key_file;
    const char *name;
    int is_secure;
    int64_t timeout_milliseconds;
} tidemark_nats_options;

typedef struct {
    // Released by tidemark_nats_release; the other members point into it.
    void *handle;
    const char *subject;
    // NULL: none.
    const char *reply;
    const uint8_t *bytes;
    size_t byte_count;
} tidemark_nats_message;

// Makes a connection that reconnects by itself for ever. `message` gets the reason of a failure.
int tidemark_nats_connect(
    void **connection, const tidemark_nats_options *options, char *message, size_t message_byte_count);

// Ends a connection: its threads have ended afterwards. Its memory stays until tidemark_nats_destroy.
void tidemark_nats_close(void *connection);

// Frees a connection that was closed, after all its subscriptions.
void tidemark_nats_destroy(void *connection);

int tidemark_nats_is_connected(void *connection);

// Whether libnats has given the connection up: a server has refused its credentials again and again.
int tidemark_nats_is_closed(void *connection);

// Writes the last error that a server sent, or that ended the connection, and returns its status. Not every error
// belongs to the last call: a refused permission is told later, and stays.
int tidemark_nats_last_error(void *connection, char *message, size_t message_byte_count);

// The number of times that the connection was lost and made again.
uint64_t tidemark_nats_reconnects(void *connection);

// The bytes that a message may have at most, as the server said.
int64_t tidemark_nats_payload_byte_count_max(void *connection);

// Writes a subject that no one else uses.
int tidemark_nats_new_inbox(char *subject, size_t byte_count);

int tidemark_nats_subscribe(void **subscription, void *connection, const char *subject);

// Ends a subscription, of which the server is told. No message comes to it any more, but libnats' thread may be busy
// with one still: it looks up the subscription, lets go of the lock of the connection, and takes that of the
// subscription.
void tidemark_nats_unsubscribe(void *subscription);

// Frees a subscription that was ended. Only after a flush, or after its connection was closed: else libnats' thread may
// use it.
void tidemark_nats_free_subscription(void *subscription);

// The number of messages that wait in a subscription.
uint64_t tidemark_nats_queued(void *subscription);

// Waits for a message, and takes those that wait behind it too, up to `count_max`. `count` gets their number.
int tidemark_nats_take(
    tidemark_nats_message *messages, int count_max, int *count, void *subscription, int64_t timeout_milliseconds);

void tidemark_nats_release(void *handle);

// Releases messages that were taken together: much cheaper than one by one. libnats gives each message to a thread of its
// own to be freed, which it wakes.
void tidemark_nats_release_all(const tidemark_nats_message *messages, int count);

// Returns a header's value, which points into the message; NULL when it has none of that name.
const char *tidemark_nats_header(void *handle, const char *name);

// Sends a message. `headers` are names and values in turn. The bytes are copied.
int tidemark_nats_publish(
    void *connection, const char *subject, const char *reply, const char *const *headers, int header_count,
    const uint8_t *bytes, size_t byte_count);

int tidemark_nats_request(
    tidemark_nats_message *message, void *connection, const char *subject, const uint8_t *bytes, size_t byte_count,
    int64_t timeout_milliseconds);

// Sends the buffered bytes, and waits until the server has them.
int tidemark_nats_flush(void *connection, int64_t timeout_milliseconds);

// Words for a status; valid for ever.
const char *tidemark_nats_text(int status);

#endif
