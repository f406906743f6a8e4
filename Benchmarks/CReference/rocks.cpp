// RocksDB by itself, fed by the same walk as the other references.
//
// Its header must be there when this is compiled; the library is loaded by name, so that no build of the bench needs
// it.
#include "reference.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#if TIDEMARK_SIMDJSON && defined(__has_include)
#if __has_include(<rocksdb/c.h>)
#define TIDEMARK_HAS_ROCKSDB 1
#endif
#endif

#ifdef TIDEMARK_HAS_ROCKSDB

#include "line_walk.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <rocksdb/c.h>

namespace {

// The functions of the library that are used here.
struct Library {
    void *handle = nullptr;
#define FUNCTION(name) decltype(&::rocksdb_##name) name = nullptr
    FUNCTION(options_create);
    FUNCTION(options_destroy);
    FUNCTION(options_set_create_if_missing);
    FUNCTION(options_set_compression);
    FUNCTION(options_increase_parallelism);
    FUNCTION(options_set_block_based_table_factory);
    FUNCTION(block_based_options_create);
    FUNCTION(block_based_options_destroy);
    FUNCTION(block_based_options_set_filter_policy);
    FUNCTION(filterpolicy_create_bloom_full);
    FUNCTION(open);
    FUNCTION(close);
    FUNCTION(free);
    FUNCTION(writebatch_create);
    FUNCTION(writebatch_destroy);
    FUNCTION(writebatch_clear);
    FUNCTION(writebatch_put);
    FUNCTION(writeoptions_create);
    FUNCTION(writeoptions_destroy);
    FUNCTION(writeoptions_set_sync);
    FUNCTION(readoptions_create);
    FUNCTION(readoptions_destroy);
    FUNCTION(write);
    FUNCTION(get_pinned);
    FUNCTION(pinnableslice_value);
    FUNCTION(pinnableslice_destroy);
    FUNCTION(property_int);
#undef FUNCTION

    // Returns the name of a function that is missing; NULL when the library is whole.
    const char *load() {
        handle = dlopen("librocksdb.so", RTLD_NOW | RTLD_LOCAL);
        if (!handle) return "librocksdb.so";
#define FUNCTION(name)                                                              \
    name = reinterpret_cast<decltype(name)>(dlsym(handle, "rocksdb_" #name));       \
    if (!name) return "rocksdb_" #name
        FUNCTION(options_create);
        FUNCTION(options_destroy);
        FUNCTION(options_set_create_if_missing);
        FUNCTION(options_set_compression);
        FUNCTION(options_increase_parallelism);
        FUNCTION(options_set_block_based_table_factory);
        FUNCTION(block_based_options_create);
        FUNCTION(block_based_options_destroy);
        FUNCTION(block_based_options_set_filter_policy);
        FUNCTION(filterpolicy_create_bloom_full);
        FUNCTION(open);
        FUNCTION(close);
        FUNCTION(free);
        FUNCTION(writebatch_create);
        FUNCTION(writebatch_destroy);
        FUNCTION(writebatch_clear);
        FUNCTION(writebatch_put);
        FUNCTION(writeoptions_create);
        FUNCTION(writeoptions_destroy);
        FUNCTION(writeoptions_set_sync);
        FUNCTION(readoptions_create);
        FUNCTION(readoptions_destroy);
        FUNCTION(write);
        FUNCTION(get_pinned);
        FUNCTION(pinnableslice_value);
        FUNCTION(pinnableslice_destroy);
        FUNCTION(property_int);
#undef FUNCTION
        return nullptr;
    }
};

struct Key {
    uint8_t bytes[16];

    // Reads the hexadecimal digits of a UUID; other characters are skipped.
    explicit Key(std::string_view id) : bytes{} {
        size_t digit = 0;
        for (const char character : id) {
            const int value = character >= '0' && character <= '9'   ? character - '0'
                              : character >= 'a' && character <= 'f' ? character - 'a' + 10
                                                                     : -1;
            if (value < 0 || digit == 32) continue;
            bytes[digit / 2] = uint8_t(bytes[digit / 2] << 4 | value);
            digit++;
        }
    }

    const char *data() const { return reinterpret_cast<const char *>(bytes); }
};

}  // namespace

struct reference_rocks {
    Library library;
    rocksdb_t *database;
    rocksdb_options_t *options;
    rocksdb_block_based_table_options_t *tables;
    rocksdb_writeoptions_t *synced;
    rocksdb_readoptions_t *reads;
    simdjson::ondemand::parser parser{};
};

extern "C" reference_rocks *reference_rocks_open(const char *path, char *problem, size_t room) {
    Library library;
    if (const char *missing = library.load()) {
        std::snprintf(problem, room, "%s cannot be loaded", missing);
        return nullptr;
    }
    rocksdb_options_t *options = library.options_create();
    library.options_set_create_if_missing(options, 1);
    library.options_set_compression(options, rocksdb_zstd_compression);
    library.options_increase_parallelism(options, 2);
    rocksdb_block_based_table_options_t *tables = library.block_based_options_create();
    // The options own the filter.
    library.block_based_options_set_filter_policy(tables, library.filterpolicy_create_bloom_full(10));
    library.options_set_block_based_table_factory(options, tables);
    char *failure = nullptr;
    rocksdb_t *database = library.open(options, path, &failure);
    if (failure) {
        std::snprintf(problem, room, "%s", failure);
        library.free(failure);
        library.block_based_options_destroy(tables);
        library.options_destroy(options);
        return nullptr;
    }
    rocksdb_writeoptions_t *synced = library.writeoptions_create();
    library.writeoptions_set_sync(synced, 1);
    return new reference_rocks{library, database, options, tables, synced, library.readoptions_create()};
}

extern "C" uint64_t reference_rocks_feed(reference_rocks *rocks, const uint8_t *bytes, size_t count, uint64_t batch) {
    const Library &library = rocks->library;
    rocksdb_writebatch_t *writes = library.writebatch_create();
    uint64_t waiting = 0, written = 0;
    const auto commit = [&] {
        char *failure = nullptr;
        if (waiting > 0) library.write(rocks->database, rocks->synced, writes, &failure);
        if (failure) {
            library.free(failure);
        } else {
            written += waiting;
        }
        library.writebatch_clear(writes);
        waiting = 0;
    };
    walk_lines(rocks->parser, bytes, count, [&](std::string_view id, std::string_view resource) {
        const Key key(id);
        library.writebatch_put(writes, key.data(), sizeof key.bytes, resource.data(), resource.size());
        if (++waiting == batch) commit();
    });
    commit();
    library.writebatch_destroy(writes);
    return written;
}

extern "C" uint64_t reference_rocks_get(reference_rocks *rocks, const char *id) {
    const Library &library = rocks->library;
    const Key key(id);
    char *failure = nullptr;
    rocksdb_pinnableslice_t *slice =
        library.get_pinned(rocks->database, rocks->reads, key.data(), sizeof key.bytes, &failure);
    if (failure) library.free(failure);
    if (!slice) return 0;
    size_t size = 0;
    library.pinnableslice_value(slice, &size);
    library.pinnableslice_destroy(slice);
    return size;
}

extern "C" void reference_rocks_settle(reference_rocks *rocks) {
    const char *const counts[] = {"rocksdb.num-running-compactions", "rocksdb.num-running-flushes",
                                  "rocksdb.compaction-pending", "rocksdb.mem-table-flush-pending"};
    for (bool isBusy = true; isBusy;) {
        isBusy = false;
        for (const char *name : counts) {
            uint64_t count = 0;
            if (rocks->library.property_int(rocks->database, name, &count) == 0 && count > 0) isBusy = true;
        }
        if (isBusy) usleep(1000);
    }
}

extern "C" void reference_rocks_close(reference_rocks *rocks) {
    const Library &library = rocks->library;
    library.close(rocks->database);
    library.readoptions_destroy(rocks->reads);
    library.writeoptions_destroy(rocks->synced);
    library.block_based_options_destroy(rocks->tables);
    library.options_destroy(rocks->options);
    delete rocks;
}

#else

extern "C" reference_rocks *reference_rocks_open(const char *, char *problem, size_t room) {
    std::snprintf(problem, room, "this was built without librocksdb-dev");
    return nullptr;
}

extern "C" uint64_t reference_rocks_feed(reference_rocks *, const uint8_t *, size_t, uint64_t) { return 0; }
extern "C" uint64_t reference_rocks_get(reference_rocks *, const char *) { return 0; }
extern "C" void reference_rocks_settle(reference_rocks *) {}
extern "C" void reference_rocks_close(reference_rocks *) {}

#endif
