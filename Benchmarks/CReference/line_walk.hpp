// The walk over a line that the references of ingest have in common.
#ifndef TIDEMARK_LINE_WALK_H
#define TIDEMARK_LINE_WALK_H

#include <cstdint>
#include <cstring>
#include <string_view>

#include <simdjson.h>

// Reads every line of NDJSON with simdjson's on-demand parser: envelope fields, type, id and the raw resource. It does
// not validate the parts that it skips. `bytes` has 64 readable bytes after `count`.
//
// `visit` is called for each line with a resource: `visit(id, resource)`, both valid only during the call.
// Returns a sum of everything that was read.
template <typename Visit>
inline uint64_t walk_lines(simdjson::ondemand::parser &parser, const uint8_t *bytes, size_t count, Visit visit) {
    using namespace simdjson;
    uint64_t sum = 0;
    size_t start = 0;
    while (start < count) {
        const void *found = std::memchr(bytes + start, '\n', count - start);
        const size_t end = found ? size_t(static_cast<const uint8_t *>(found) - bytes) : count;
        ondemand::document document;
        if (parser.iterate(bytes + start, end - start, count - start + SIMDJSON_PADDING).get(document) == SUCCESS) {
            ondemand::object line;
            if (document.get_object().get(line) == SUCCESS) {
                std::string_view text;
                int64_t number;
                if (line.find_field_unordered("library_id").get_string().get(text) == SUCCESS) sum += text.size();
                if (line.find_field_unordered("sequence").get_int64().get(number) == SUCCESS) sum += uint64_t(number);
                ondemand::object event;
                if (line.find_field_unordered("event").get_object().get(event) == SUCCESS) {
                    for (auto kind : event) {
                        ondemand::object payload;
                        if (kind.value().get_object().get(payload) != SUCCESS) break;
                        if (payload.find_field_unordered("resource_type").get_string().get(text) == SUCCESS) {
                            sum += text.size();
                        }
                        ondemand::object resource;
                        if (payload.find_field_unordered("resource").get_object().get(resource) == SUCCESS) {
                            std::string_view id;
                            if (resource.find_field_unordered("id").get_string().get(id) == SUCCESS) {
                                sum += uint8_t(id[0]);
                            }
                            resource.reset();
                            if (resource.raw_json().get(text) == SUCCESS) {
                                sum += text.size();
                                visit(id, text);
                            }
                        }
                        break;
                    }
                }
            }
        }
        start = end + 1;
    }
    return sum;
}

#endif
