// The part of libnats that Tidemark uses: connections, polled subscriptions, and requests. libnats is loaded when the
// first connection is made; a program that makes none neither links nor loads it.
//
// No function of this header takes a callback, because libnats may call one after its owner is gone. Messages are
// polled instead, on a thread of the caller. All functions may be called from any thread.
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
    // Not a status of libnats: the library cannot be loaded.
    TIDEMARK_NATS_NO_LIBRARY = -1,
};

typedef struct {
    // `nats://host:port`, without credentials.
    const char *const *servers;
    int server_count;
    // Each of these is NULL if it is not given.
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
    // The message of libnats, freed by tidemark_nats_release. The other members point into it.
    void *handle;
    const char *subject;
    // NULL if the message has no reply subject.
    const char *reply;
    const uint8_t *bytes;
    size_t byte_count;
} tidemark_nats_message;

// Connects to the first server that responds, and reconnects without a time limit from then on. On failure `message`
// gets the reason. Returns a status.
int tidemark_nats_connect(
    void **connection, const tidemark_nats_options *options, char *message, size_t message_byte_count);

// Closes a connection. Its threads have ended when this returns. tidemark_nats_destroy frees the memory.
void tidemark_nats_close(void *connection);

// Frees a closed connection. Free all its subscriptions before.
void tidemark_nats_destroy(void *connection);

// Returns 1 while a server is connected, else 0.
int tidemark_nats_is_connected(void *connection);

// Returns 1 if libnats has closed the connection for good because servers refused its credentials repeatedly, else 0.
int tidemark_nats_is_closed(void *connection);

// Writes the last error that a server reported or that ended the connection, and returns its status. It need not belong
// to the last call: a server reports a denied permission later, and the error stays.
int tidemark_nats_last_error(void *connection, char *message, size_t message_byte_count);

// Returns how often the connection was lost and reestablished.
uint64_t tidemark_nats_reconnects(void *connection);

// Returns the most bytes that a message may have, as announced by the server.
int64_t tidemark_nats_payload_byte_count_max(void *connection);

// Writes a new subject that nobody else uses, for responses.
int tidemark_nats_new_inbox(char *subject, size_t byte_count);

// Subscribes to a subject, without a bound on waiting messages. Returns a status.
int tidemark_nats_subscribe(void **subscription, void *connection, const char *subject);

// Unsubscribes, and notifies the server. No further message is delivered, but libnats' thread may still be using the
// subscription: it looks it up, releases the lock of the connection, and takes that of the subscription.
void tidemark_nats_unsubscribe(void *subscription);

// Frees an ended subscription. Call it only after a flush, or after its connection was closed; otherwise libnats'
// thread may still use it.
void tidemark_nats_free_subscription(void *subscription);

// Returns the number of messages that wait in a subscription.
uint64_t tidemark_nats_queued(void *subscription);

// Waits for a message, and takes it with those that wait after it, up to `count_max`. `count` gets their number.
int tidemark_nats_take(
    tidemark_nats_message *messages, int count_max, int *count, void *subscription, int64_t timeout_milliseconds);

// Frees a message.
void tidemark_nats_release(void *handle);

// Frees messages that were taken together, much cheaper than one by one: libnats frees each message on a thread of its
// own, which it wakes.
void tidemark_nats_release_all(const tidemark_nats_message *messages, int count);

// Returns the value of a header, which points into the message; NULL when the message has no such header.
const char *tidemark_nats_header(void *handle, const char *name);

// Publishes a message. `headers` are alternating names and values. The bytes are copied.
int tidemark_nats_publish(
    void *connection, const char *subject, const char *reply, const char *const *headers, int header_count,
    const uint8_t *bytes, size_t byte_count);

// Sends a request, and waits for its response, which the caller frees with tidemark_nats_release. Returns a status.
int tidemark_nats_request(
    tidemark_nats_message *message, void *connection, const char *subject, const uint8_t *bytes, size_t byte_count,
    int64_t timeout_milliseconds);

// Sends the buffered bytes, and waits until the server has received them.
int tidemark_nats_flush(void *connection, int64_t timeout_milliseconds);

// Returns a text for a status. It stays valid.
const char *tidemark_nats_text(int status);

#endif
