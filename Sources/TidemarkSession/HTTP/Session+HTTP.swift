import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension Session {
    /// The maximum size of a body in one line: 11 MiB, which as Base64 stays below 16 MiB.
    static let bodyByteCountMax = 11 << 20

    func perform(_ method: HTTPMethod, _ responder: Responder) throws(CacheError) {
        guard let http else {
            throw CacheError(.upstreamFailed, "this session was started without HTTP")
        }
        let number = try waiting.add(responder, .query)
        // Noted now, in line order, so that a fetch on a later line does not join an older request.
        if case .invalidate(let selection) = method { http.noteRemoval(selection) }
        let task = Task { [cache, outputQueue, waiting, httpSubscriptions] in
            let outcome: Result<[UInt8], MessageError>
            do throws(CacheError) {
                outcome = .success(try await Session.answer(method, http, outputQueue, httpSubscriptions))
            } catch {
                outcome = .failure(MessageError(error))
            }
            await cache.deliverAll(to: outputQueue)
            waiting.finish(number) { $0.answer(outcome) }
        }
        waiting.set(task, for: number)
    }

    private static func answer(
        _ method: HTTPMethod, _ http: HTTPClient, _ outputQueue: any SessionOutput,
        _ subscriptions: HTTPSubscriptions
    ) async throws(CacheError) -> [UInt8] {
        switch method {
        case .fetch(let fetch):
            return try Answer.fetched(try await http.fetch(fetch))
        case .observe(let fetch):
            let (fetched, subscription) = try await http.observe(fetch) { number, changed in
                outputQueue.append(answer: line(of: changed, to: number))
            }
            subscriptions.add(subscription)
            return try Answer.fetched(fetched, subscription: subscription)
        case .invalidate(let selection):
            let count = try await http.invalidate(selection)
            return Answer.object { $0.member("removed", count) }
        case .list(let selection, let after, let countMax):
            return Answer.entries(try await http.list(selection, after: after, countMax: countMax))
        }
    }

    /// Returns the `http.changed` notification. A body that is too long for a line is left out.
    private static func line(of fetched: HTTPFetched, to subscription: Int64) -> [UInt8] {
        MessageLine.notification("http.changed") { line in
            line.member("subscription", subscription)
            line.member("status", fetched.head.status)
            line.headers(fetched.head.fields)
            if fetched.body.count <= bodyByteCountMax {
                line.body(fetched.body, isText: HTTPText.isText(fetched.head.fields))
            }
            line.member("stale", fetched.isStale)
            line.member("age", fetched.age)
        }
    }
}

extension Answer {
    /// Returns the `result` of `http.fetch` and `http.observe`.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if the body is too long for a line.
    package static func fetched(_ fetched: HTTPFetched, subscription: Int64? = nil) throws(CacheError) -> [UInt8] {
        guard fetched.body.count <= Session.bodyByteCountMax else {
            throw CacheError(
                .limitExceeded,
                "the body has \(fetched.body.count) bytes, and a line holds \(Session.bodyByteCountMax) of one: ask for ranges"
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
            if let subscription { line.member("subscription", subscription) }
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
