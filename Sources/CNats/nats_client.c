#include "nats_client.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// From nats/nats.h, as far as it is used. libnats keeps these for all versions of its library name. All types are
// opaque.
typedef void natsOptions;
typedef void natsConnection;
typedef void natsSubscription;
typedef void natsMsg;
typedef char natsInbox;

typedef void natsStatistics;

enum { CONNECTED = 2, CLOSED = 3 };

static struct {
    int (*options_create)(natsOptions **);
    void (*options_destroy)(natsOptions *);
    int (*options_servers)(natsOptions *, const char **, int);
    int (*options_user)(natsOptions *, const char *, const char *);
    int (*options_token)(natsOptions *, const char *);
    int (*options_timeout)(natsOptions *, int64_t);
    int (*options_name)(natsOptions *, const char *);
    int (*options_secure)(natsOptions *, bool);
    int (*options_ca)(natsOptions *, const char *);
    int (*options_certificate)(natsOptions *, const char *, const char *);
    int (*options_credentials)(natsOptions *, const char *, const char *);
    int (*options_nkey)(natsOptions *, const char *, const char *);
    int (*options_max_reconnect)(natsOptions *, int);
    int (*options_reconnect_wait)(natsOptions *, int64_t);
    int (*options_reconnect_jitter)(natsOptions *, int64_t, int64_t);
    int (*options_ping)(natsOptions *, int64_t);
    int (*options_pings_out)(natsOptions *, int);
    int (*connect)(natsConnection **, natsOptions *);
    int (*status)(natsConnection *);
    int64_t (*max_payload)(natsConnection *);
    int (*connection_error)(natsConnection *, const char **);
    int (*connection_statistics)(natsConnection *, natsStatistics *);
    int (*statistics_create)(natsStatistics **);
    int (*statistics_counts)(
        const natsStatistics *, uint64_t *, uint64_t *, uint64_t *, uint64_t *, uint64_t *);
    void (*statistics_destroy)(natsStatistics *);
    void (*close)(natsConnection *);
    void (*destroy)(natsConnection *);
    int (*publish)(natsConnection *, const char *, const void *, int);
    int (*publish_request)(natsConnection *, const char *, const char *, const void *, int);
    int (*publish_message)(natsConnection *, natsMsg *);
    int (*request)(natsMsg **, natsConnection *, const char *, const void *, int, int64_t);
    int (*flush)(natsConnection *, int64_t);
    int (*subscribe)(natsSubscription **, natsConnection *, const char *);
    int (*pending_limits)(natsSubscription *, int, int);
    int (*next)(natsMsg **, natsSubscription *, int64_t);
    int (*queued)(natsSubscription *, uint64_t *);
    int (*unsubscribe)(natsSubscription *);
    void (*subscription_destroy)(natsSubscription *);
    int (*message_create)(natsMsg **, const char *, const char *, const char *, int);
    const char *(*message_subject)(const natsMsg *);
    const char *(*message_reply)(const natsMsg *);
    const char *(*message_data)(const natsMsg *);
    int (*message_byte_count)(const natsMsg *);
    int (*header_set)(natsMsg *, const char *, const char *);
    int (*header_get)(natsMsg *, const char *, const char **);
    void (*message_destroy)(natsMsg *);
    int (*inbox_create)(natsInbox **);
    void (*inbox_destroy)(natsInbox *);
    const char *(*status_text)(int);
    const char *(*last_error)(int *);
} nats;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded;

// Apple's mobile systems have no libnats, and apps may not load libraries of their own there.
#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

static void load(void) {
#if !defined(TARGET_OS_IPHONE) || !TARGET_OS_IPHONE
    static const char *const names[] = {"libnats.so.3.4", "libnats.so.3", "libnats.so", "libnats.dylib"};
    void *library = NULL;
    for (size_t index = 0; index < sizeof names / sizeof *names && !library; index++) {
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    if (!library) return;
    struct {
        const char *name;
        void *place;
    } functions[] = {
        {"natsOptions_Create", &nats.options_create},
        {"natsOptions_Destroy", &nats.options_destroy},
        {"natsOptions_SetServers", &nats.options_servers},
        {"natsOptions_SetUserInfo", &nats.options_user},
        {"natsOptions_SetToken", &nats.options_token},
        {"natsOptions_SetTimeout", &nats.options_timeout},
        {"natsOptions_SetName", &nats.options_name},
        {"natsOptions_SetSecure", &nats.options_secure},
        {"natsOptions_LoadCATrustedCertificates", &nats.options_ca},
        {"natsOptions_LoadCertificatesChain", &nats.options_certificate},
        {"natsOptions_SetUserCredentialsFromFiles", &nats.options_credentials},
        {"natsOptions_SetNKeyFromSeed", &nats.options_nkey},
        {"natsOptions_SetMaxReconnect", &nats.options_max_reconnect},
        {"natsOptions_SetReconnectWait", &nats.options_reconnect_wait},
        {"natsOptions_SetReconnectJitter", &nats.options_reconnect_jitter},
        {"natsOptions_SetPingInterval", &nats.options_ping},
        {"natsOptions_SetMaxPingsOut", &nats.options_pings_out},
        {"natsConnection_Connect", &nats.connect},
        {"natsConnection_Status", &nats.status},
        {"natsConnection_GetMaxPayload", &nats.max_payload},
        {"natsConnection_GetLastError", &nats.connection_error},
        {"natsConnection_GetStats", &nats.connection_statistics},
        {"natsStatistics_Create", &nats.statistics_create},
        {"natsStatistics_GetCounts", &nats.statistics_counts},
        {"natsStatistics_Destroy", &nats.statistics_destroy},
        {"natsConnection_Close", &nats.close},
        {"natsConnection_Destroy", &nats.destroy},
        {"natsConnection_Publish", &nats.publish},
        {"natsConnection_PublishRequest", &nats.publish_request},
        {"natsConnection_PublishMsg", &nats.publish_message},
        {"natsConnection_Request", &nats.request},
        {"natsConnection_FlushTimeout", &nats.flush},
        {"natsConnection_SubscribeSync", &nats.subscribe},
        {"natsSubscription_SetPendingLimits", &nats.pending_limits},
        {"natsSubscription_NextMsg", &nats.next},
        {"natsSubscription_QueuedMsgs", &nats.queued},
        {"natsSubscription_Unsubscribe", &nats.unsubscribe},
        {"natsSubscription_Destroy", &nats.subscription_destroy},
        {"natsMsg_Create", &nats.message_create},
        {"natsMsg_GetSubject", &nats.message_subject},
        {"natsMsg_GetReply", &nats.message_reply},
        {"natsMsg_GetData", &nats.message_data},
        {"natsMsg_GetDataLength", &nats.message_byte_count},
        {"natsMsgHeader_Set", &nats.header_set},
        {"natsMsgHeader_Get", &nats.header_get},
        {"natsMsg_Destroy", &nats.message_destroy},
        {"natsInbox_Create", &nats.inbox_create},
        {"natsInbox_Destroy", &nats.inbox_destroy},
        {"natsStatus_GetText", &nats.status_text},
        {"nats_GetLastError", &nats.last_error},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        void *function = dlsym(library, functions[index].name);
        if (!function) return;
        memcpy(functions[index].place, &function, sizeof function);
    }
    is_loaded = 1;
#endif
}

static int configure(natsOptions *options, const tidemark_nats_options *wanted) {
    int status = nats.options_servers(options, (const char **)wanted->servers, wanted->server_count);
    if (!status && wanted->user) status = nats.options_user(options, wanted->user, wanted->password);
    if (!status && wanted->token) status = nats.options_token(options, wanted->token);
    if (!status && wanted->credentials_file) status = nats.options_credentials(options, wanted->credentials_file, NULL);
    if (!status && wanted->nkey) status = nats.options_nkey(options, wanted->nkey, wanted->nkey_seed_file);
    if (!status && wanted->is_secure) status = nats.options_secure(options, true);
    if (!status && wanted->ca_file) status = nats.options_ca(options, wanted->ca_file);
    if (!status && wanted->certificate_file) {
        status = nats.options_certificate(options, wanted->certificate_file, wanted->key_file);
    }
    if (!status && wanted->name) status = nats.options_name(options, wanted->name);
    if (!status) status = nats.options_timeout(options, wanted->timeout_milliseconds);
    // Reconnect without a time limit, after pauses of 50 ms to 2 s.
    if (!status) status = nats.options_max_reconnect(options, -1);
    if (!status) status = nats.options_reconnect_wait(options, 50);
    if (!status) status = nats.options_reconnect_jitter(options, 1950, 1950);
    // A server that stopped without closing its connections is detected within some seconds.
    if (!status) status = nats.options_ping(options, 2000);
    if (!status) status = nats.options_pings_out(options, 2);
    return status;
}

int tidemark_nats_connect(
    void **connection, const tidemark_nats_options *wanted, char *message, size_t message_byte_count
) {
    pthread_once(&once, load);
    message[0] = 0;
    if (!is_loaded) {
        snprintf(message, message_byte_count, "libnats cannot be loaded");
        return TIDEMARK_NATS_NO_LIBRARY;
    }
    natsOptions *options = NULL;
    int status = nats.options_create(&options);
    if (!status) status = configure(options, wanted);
    if (!status) status = nats.connect(connection, options);
    if (status) {
        int last = 0;
        const char *text = nats.last_error(&last);
        // If one of several servers refuses and another one does not respond, report the refusal, which the user can
        // act on.
        bool is_unreached = status == TIDEMARK_NATS_TIMEOUT || status == TIDEMARK_NATS_NO_SERVER;
        if (is_unreached && (last == TIDEMARK_NATS_AUTH_FAILED || last == TIDEMARK_NATS_SSL_ERROR)) status = last;
        snprintf(message, message_byte_count, "%s", last == status && text && *text ? text : nats.status_text(status));
    }
    if (options) nats.options_destroy(options);
    return status;
}

void tidemark_nats_close(void *connection) { nats.close(connection); }

void tidemark_nats_destroy(void *connection) { nats.destroy(connection); }

int tidemark_nats_is_connected(void *connection) { return nats.status(connection) == CONNECTED; }

int tidemark_nats_is_closed(void *connection) { return nats.status(connection) == CLOSED; }

int tidemark_nats_last_error(void *connection, char *message, size_t message_byte_count) {
    const char *text = NULL;
    int status = nats.connection_error(connection, &text);
    snprintf(message, message_byte_count, "%s", text ? text : "");
    return status;
}

uint64_t tidemark_nats_reconnects(void *connection) {
    natsStatistics *statistics = NULL;
    uint64_t others[4] = {0}, count = 0;
    if (nats.statistics_create(&statistics)) return 0;
    if (!nats.connection_statistics(connection, statistics)) {
        nats.statistics_counts(statistics, &others[0], &others[1], &others[2], &others[3], &count);
    }
    nats.statistics_destroy(statistics);
    return count;
}

int64_t tidemark_nats_payload_byte_count_max(void *connection) { return nats.max_payload(connection); }

int tidemark_nats_new_inbox(char *subject, size_t byte_count) {
    natsInbox *inbox = NULL;
    int status = nats.inbox_create(&inbox);
    if (!status) snprintf(subject, byte_count, "%s", inbox);
    nats.inbox_destroy(inbox);
    return status;
}

int tidemark_nats_subscribe(void **subscription, void *connection, const char *subject) {
    int status = nats.subscribe(subscription, connection, subject);
    // The caller bounds the waiting messages by requesting no more.
    if (!status) status = nats.pending_limits(*subscription, -1, -1);
    return status;
}

void tidemark_nats_unsubscribe(void *subscription) { nats.unsubscribe(subscription); }

void tidemark_nats_free_subscription(void *subscription) { nats.subscription_destroy(subscription); }

uint64_t tidemark_nats_queued(void *subscription) {
    uint64_t count = 0;
    return nats.queued(subscription, &count) ? 0 : count;
}

static void describe(tidemark_nats_message *message, natsMsg *handle) {
    message->handle = handle;
    message->subject = nats.message_subject(handle);
    message->reply = nats.message_reply(handle);
    message->bytes = (const uint8_t *)nats.message_data(handle);
    message->byte_count = (size_t)nats.message_byte_count(handle);
}

int tidemark_nats_take(
    tidemark_nats_message *messages, int count_max, int *count, void *subscription, int64_t timeout_milliseconds
) {
    int status = TIDEMARK_NATS_OK;
    *count = 0;
    while (*count < count_max) {
        natsMsg *handle = NULL;
        status = nats.next(&handle, subscription, *count == 0 ? timeout_milliseconds : 0);
        if (status) break;
        describe(&messages[(*count)++], handle);
    }
    // An error after the messages is returned by the next call.
    return *count > 0 ? TIDEMARK_NATS_OK : status;
}

void tidemark_nats_release(void *handle) { nats.message_destroy(handle); }

void tidemark_nats_release_all(const tidemark_nats_message *messages, int count) {
    for (int index = 0; index < count; index++) nats.message_destroy(messages[index].handle);
}

const char *tidemark_nats_header(void *handle, const char *name) {
    const char *value = NULL;
    return nats.header_get(handle, name, &value) ? NULL : value;
}

int tidemark_nats_publish(
    void *connection, const char *subject, const char *reply, const char *const *headers, int header_count,
    const uint8_t *bytes, size_t byte_count
) {
    if (header_count == 0) {
        return reply ? nats.publish_request(connection, subject, reply, bytes, (int)byte_count)
                     : nats.publish(connection, subject, bytes, (int)byte_count);
    }
    natsMsg *message = NULL;
    int status = nats.message_create(&message, subject, reply, (const char *)bytes, (int)byte_count);
    for (int index = 0; !status && index < header_count; index++) {
        status = nats.header_set(message, headers[2 * index], headers[2 * index + 1]);
    }
    if (!status) status = nats.publish_message(connection, message);
    nats.message_destroy(message);
    return status;
}

int tidemark_nats_request(
    tidemark_nats_message *message, void *connection, const char *subject, const uint8_t *bytes, size_t byte_count,
    int64_t timeout_milliseconds
) {
    natsMsg *handle = NULL;
    int status = nats.request(&handle, connection, subject, bytes, (int)byte_count, timeout_milliseconds);
    if (!status) describe(message, handle);
    return status;
}

int tidemark_nats_flush(void *connection, int64_t timeout_milliseconds) {
    return nats.flush(connection, timeout_milliseconds);
}

const char *tidemark_nats_text(int status) {
    return status == TIDEMARK_NATS_NO_LIBRARY ? "libnats cannot be loaded" : nats.status_text(status);
}
