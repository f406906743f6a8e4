import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

extension Answer {
    /// Returns the `result` of `http.fetch` and `http.observe`.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if the body is too long for a line.
    package static func fetched(
        _ fetched: HTTPFetched, subscription: SubscriptionID? = nil
    ) throws(CacheError) -> [UInt8] {
        guard fetched.body.count <= HTTPMethods.bodyByteCountMax else {
            throw CacheError(
                .limitExceeded,
                "the body has \(fetched.body.count) bytes, and a line holds \(HTTPMethods.bodyByteCountMax) of one: ask for ranges"
            )
        }
        return object { line in
            line.member("status", fetched.head.status)
            line.member("reason", Optional(fetched.head.reason))
            line.headers(fetched.head.fields)
            line.body(fetched.body, isText: fetched.body.isEmpty || HTTPText.isText(fetched.head.fields))
            line.member("url", Optional(fetched.url.text))
            line.member("from_cache", fetched.isFromCache)
            line.member("revalidated", fetched.isRevalidated)
            line.member("stale", fetched.isStale)
            line.member("age", fetched.age)
            line.member("stored", fetched.isStored)
            line.member("cache_status", Optional(ByteString(fetched.status.text)))
            switch fetched.normalized {
            case nil: break
            case .entities(let count):
                line.name("normalized")
                line.object { $0.member("entities", count) }
            case .error(let message):
                line.name("normalized")
                line.object { $0.member("error", Optional(ByteString(message))) }
            }
            if let subscription { line.member("subscription", subscription.rawValue) }
        }
    }

    /// Returns the `result` of `http.list`.
    package static func entries(_ page: HTTPPage) -> [UInt8] {
        object { line in
            line.name("entries")
            line.array { line in
                for entry in page.entries { line.entry(entry) }
            }
            line.member("next", page.next)
        }
    }
}

extension JSONLine {
    /// Writes the totals of stored responses; nothing if there are none.
    package mutating func httpTotals(_ totals: HTTPTotals) {
        guard totals.answerCount > 0 else { return }
        member("http_answers", totals.answerCount)
        member("http_bytes", totals.byteCount)
    }

    /// Writes one entry of `http.list`.
    package mutating func entry(_ entry: HTTPEntry) { object { $0.members(of: entry) } }

    /// Writes the members of an entry.
    package mutating func members(of entry: HTTPEntry) {
        member("key", Optional(entry.key))
        member("url", Optional(entry.url))
        member("status", entry.status)
        member("size", entry.byteCount)
        member("stored_size", entry.storedByteCount)
        member("age", entry.age)
        member("freshness_left", entry.freshnessLeft)
        name("validators")
        object { line in
            if let tag = entry.tag { line.member("etag", Optional(tag)) }
            if let modified = entry.modified { line.member("last_modified", Optional(modified)) }
        }
        member("hits", entry.hitCount)
    }
}
