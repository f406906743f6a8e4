// Stage one with simdjson, which chooses an implementation for the processor when the program starts.
#if TIDEMARK_SIMDJSON

#include <new>

#include <simdjson.h>

#include "stage_one.hpp"
#include "tidemark_lines.h"

namespace tidemark {

namespace {

class SimdjsonStageOne final : public StageOne {
   public:
    bool reserve(size_t count) override {
        const size_t capacity = count + TM_PADDING;
        if (!parser_) {
            return simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1, parser_) ==
                   simdjson::SUCCESS;
        }
        return parser_->capacity() >= capacity || parser_->set_capacity(capacity) == simdjson::SUCCESS;
    }

    Outcome run(const uint8_t *bytes, size_t count) override {
        switch (parser_->stage1(bytes, count, simdjson::stage1_mode::regular)) {
            case simdjson::SUCCESS:
                indexes = parser_->structural_indexes.get();
                indexCount = parser_->n_structural_indexes;
                return Outcome::indexed;
            case simdjson::EMPTY:
                return Outcome::blank;
            case simdjson::MEMALLOC:
            case simdjson::CAPACITY:
                return Outcome::outOfMemory;
            default:
                return Outcome::fault;
        }
    }

    bool isUTF8(const uint8_t *bytes, size_t count) const override {
        return simdjson::validate_utf8(reinterpret_cast<const char *>(bytes), count);
    }

   private:
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser_;
};

}  // namespace

std::unique_ptr<StageOne> makeSimdjsonStageOne() {
    return std::unique_ptr<StageOne>(new (std::nothrow) SimdjsonStageOne());
}

}  // namespace tidemark

#endif
