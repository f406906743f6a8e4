#include "curl_transport.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// From curl/curl.h, as far as it is used. libcurl keeps these numbers for all versions of its library name.
typedef void CURL;
typedef void CURLM;
typedef struct curl_slist curl_slist;
typedef struct {
    int msg;
    CURL *easy_handle;
    union {
        void *whatever;
        int result;
    } data;
} CURLMsg;

enum {
    OPT_WRITEDATA = 10001,
    OPT_URL = 10002,
    OPT_PROXY = 10004,
    OPT_POSTFIELDS = 10015,
    OPT_HTTPHEADER = 10023,
    OPT_HEADERDATA = 10029,
    OPT_CUSTOMREQUEST = 10036,
    OPT_PRIVATE = 10103,
    OPT_NOPROXY = 10177,
    OPT_WRITEFUNCTION = 20011,
    OPT_HEADERFUNCTION = 20079,
    OPT_POSTFIELDSIZE_LARGE = 30120,
    OPT_NOBODY = 44,
    OPT_FOLLOWLOCATION = 52,
    OPT_NOSIGNAL = 99,
    OPT_TIMEOUT_MS = 155,
    OPT_CONNECTTIMEOUT_MS = 156,
    OPT_PROTOCOLS = 181,
    OPT_PATH_AS_IS = 234,
    OPT_SUPPRESS_CONNECT_HEADERS = 265,
    INFO_PRIVATE = 0x100000 + 21,
    PROTO_HTTP = 1,
    PROTO_HTTPS = 2,
    MSG_DONE = 1,
    WRITE_PAUSE = 0x10000001,
    PAUSE_CONT = 0,
    GLOBAL_ALL = 3,
    ABORTED = 42,
    OUT_OF_MEMORY = 27,
};

static struct {
    int (*global_init)(long);
    CURL *(*easy_init)(void);
    int (*easy_setopt)(CURL *, int, ...);
    int (*easy_getinfo)(CURL *, int, ...);
    int (*easy_pause)(CURL *, int);
    void (*easy_cleanup)(CURL *);
    CURLM *(*multi_init)(void);
    int (*multi_add_handle)(CURLM *, CURL *);
    int (*multi_remove_handle)(CURLM *, CURL *);
    int (*multi_perform)(CURLM *, int *);
    int (*multi_poll)(CURLM *, void *, unsigned, int, int *);
    int (*multi_wakeup)(CURLM *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
    curl_slist *(*slist_append)(curl_slist *, const char *);
    void (*slist_free_all)(curl_slist *);
} curl;

typedef struct exchange {
    struct exchange *next;
    uint64_t number;
    CURL *easy;
    curl_slist *headers;
    uint8_t *body;
    int is_added;
    // Set by any thread, under the lock, and reset by the loop.
    int wants_resume;
    int wants_cancel;
    void *context;
    void (*on_header)(void *, const uint8_t *, size_t);
    int (*on_body)(void *, const uint8_t *, size_t);
    void (*on_end)(void *, int);
} exchange;

// `lock` protects the list and the flags `wants_resume` and `wants_cancel`; everything else belongs to the loop.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static exchange *exchanges;
static uint64_t last_number;
static CURLM *multi;

static size_t header_came(char *bytes, size_t size, size_t count, void *data) {
    exchange *self = data;
    self->on_header(self->context, (const uint8_t *)bytes, size * count);
    return size * count;
}

static size_t body_came(char *bytes, size_t size, size_t count, void *data) {
    exchange *self = data;
    if (size * count == 0) return 0;
    return self->on_body(self->context, (const uint8_t *)bytes, size * count) ? size * count : WRITE_PAUSE;
}

// Removes an exchange from the list, calls its on_end, and frees it.
static void finish(exchange *self, int code) {
    pthread_mutex_lock(&lock);
    for (exchange **place = &exchanges; *place; place = &(*place)->next) {
        if (*place == self) {
            *place = self->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (self->is_added) curl.multi_remove_handle(multi, self->easy);
    curl.easy_cleanup(self->easy);
    curl.slist_free_all(self->headers);
    free(self->body);
    self->on_end(self->context, code);
    free(self);
}

// Does one thing that another thread requested; 0 when there is nothing. One at a time, because finishing an exchange
// changes the list.
static int take_wish(void) {
    pthread_mutex_lock(&lock);
    for (exchange *self = exchanges; self; self = self->next) {
        int cancels = self->wants_cancel, resumes = self->wants_resume, begins = !self->is_added;
        if (!cancels && !resumes && !begins) continue;
        self->wants_resume = 0;
        pthread_mutex_unlock(&lock);
        if (cancels) {
            finish(self, ABORTED);
        } else if (begins) {
            self->is_added = 1;
            if (curl.multi_add_handle(multi, self->easy) != 0) finish(self, OUT_OF_MEMORY);
        } else {
            curl.easy_pause(self->easy, PAUSE_CONT);
        }
        return 1;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *run(void *unused) {
    (void)unused;
    for (;;) {
        while (take_wish()) {
        }
        int running = 0, left = 0;
        curl.multi_perform(multi, &running);
        CURLMsg *message;
        while ((message = curl.multi_info_read(multi, &left))) {
            if (message->msg != MSG_DONE) continue;
            int code = message->data.result;
            exchange *self = NULL;
            curl.easy_getinfo(message->easy_handle, INFO_PRIVATE, &self);
            finish(self, code);
        }
        curl.multi_poll(multi, NULL, 0, running ? 1000 : 60000, NULL);
    }
    return NULL;
}

// Apple's mobile systems have no libcurl, and apps may not load libraries of their own there: URLSession is the
// transport.
#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

#if defined(TARGET_OS_IPHONE) && TARGET_OS_IPHONE
static void *library(void) { return NULL; }
#else
static void *library(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib", "libcurl.dylib"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        void *handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
        if (handle) return handle;
    }
    return NULL;
}
#endif

static void load(void) {
    void *handle = library();
    if (!handle) return;
    const char *names[] = {
        "curl_global_init", "curl_easy_init", "curl_easy_setopt", "curl_easy_getinfo", "curl_easy_pause",
        "curl_easy_cleanup", "curl_multi_init", "curl_multi_add_handle", "curl_multi_remove_handle",
        "curl_multi_perform", "curl_multi_poll", "curl_multi_wakeup", "curl_multi_info_read", "curl_slist_append",
        "curl_slist_free_all",
    };
    void **places = (void **)&curl;
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        places[index] = dlsym(handle, names[index]);
        // Versions before 7.68 have no multi_wakeup.
        if (!places[index]) return;
    }
    if (curl.global_init(GLOBAL_ALL) != 0) return;
    CURLM *made = curl.multi_init();
    if (!made) return;
    multi = made;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, run, NULL) != 0) multi = NULL;
    pthread_attr_destroy(&attributes);
}

static int set_up(exchange *self, const tidemark_curl_request *request) {
    for (size_t index = 0; index < request->header_count; index++) {
        curl_slist *longer = curl.slist_append(self->headers, request->headers[index]);
        if (!longer) return 0;
        self->headers = longer;
    }
    CURL *easy = self->easy;
    curl.easy_setopt(easy, OPT_PRIVATE, self);
    curl.easy_setopt(easy, OPT_NOSIGNAL, 1L);
    curl.easy_setopt(easy, OPT_FOLLOWLOCATION, 0L);
    curl.easy_setopt(easy, OPT_PATH_AS_IS, 1L);
    curl.easy_setopt(easy, OPT_PROTOCOLS, (long)(PROTO_HTTP | PROTO_HTTPS));
    curl.easy_setopt(easy, OPT_SUPPRESS_CONNECT_HEADERS, 1L);
    // By default libcurl reads both from the environment.
    if (!request->uses_system_proxy) {
        curl.easy_setopt(easy, OPT_PROXY, request->proxy ? request->proxy : "");
        curl.easy_setopt(easy, OPT_NOPROXY, request->proxy ? "" : "*");
    }
    curl.easy_setopt(easy, OPT_TIMEOUT_MS, request->timeout_milliseconds);
    if (request->connect_timeout_milliseconds > 0) {
        curl.easy_setopt(easy, OPT_CONNECTTIMEOUT_MS, request->connect_timeout_milliseconds);
    }
    curl.easy_setopt(easy, OPT_HTTPHEADER, self->headers);
    curl.easy_setopt(easy, OPT_WRITEFUNCTION, body_came);
    curl.easy_setopt(easy, OPT_WRITEDATA, self);
    curl.easy_setopt(easy, OPT_HEADERFUNCTION, header_came);
    curl.easy_setopt(easy, OPT_HEADERDATA, self);
    if (curl.easy_setopt(easy, OPT_URL, request->url) != 0) return 0;
    if (strcmp(request->method, "HEAD") == 0) {
        curl.easy_setopt(easy, OPT_NOBODY, 1L);
    } else if (request->body || strcmp(request->method, "POST") == 0 || strcmp(request->method, "PUT") == 0) {
        self->body = malloc(request->body_byte_count + 1);
        if (!self->body) return 0;
        if (request->body_byte_count) memcpy(self->body, request->body, request->body_byte_count);
        curl.easy_setopt(easy, OPT_POSTFIELDSIZE_LARGE, (int64_t)request->body_byte_count);
        curl.easy_setopt(easy, OPT_POSTFIELDS, self->body);
        curl.easy_setopt(easy, OPT_CUSTOMREQUEST, request->method);
    } else if (strcmp(request->method, "GET") != 0) {
        curl.easy_setopt(easy, OPT_CUSTOMREQUEST, request->method);
    }
    return 1;
}

uint64_t tidemark_curl_begin(const tidemark_curl_request *request) {
    pthread_once(&once, load);
    if (!multi) return 0;
    exchange *self = calloc(1, sizeof *self);
    if (!self) return 0;
    self->easy = curl.easy_init();
    self->context = request->context;
    self->on_header = request->on_header;
    self->on_body = request->on_body;
    self->on_end = request->on_end;
    if (!self->easy || !set_up(self, request)) {
        if (self->easy) curl.easy_cleanup(self->easy);
        curl.slist_free_all(self->headers);
        free(self->body);
        free(self);
        return 0;
    }
    pthread_mutex_lock(&lock);
    uint64_t number = self->number = ++last_number;
    self->next = exchanges;
    exchanges = self;
    pthread_mutex_unlock(&lock);
    curl.multi_wakeup(multi);
    return number;
}

static void wish(uint64_t number, int cancels) {
    pthread_mutex_lock(&lock);
    for (exchange *self = exchanges; self; self = self->next) {
        if (self->number != number) continue;
        if (cancels) {
            self->wants_cancel = 1;
        } else {
            self->wants_resume = 1;
        }
    }
    pthread_mutex_unlock(&lock);
    if (multi) curl.multi_wakeup(multi);
}

void tidemark_curl_resume(uint64_t number) { wish(number, 0); }

void tidemark_curl_cancel(uint64_t number) { wish(number, 1); }
