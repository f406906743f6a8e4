import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// Entities of stored responses that were stored for requests without entities, or with others.
///
/// - Source: Protocol/http.md, answers and entities.
extension HTTPClient {
    /// Stores the entities of a stored response that is being served, if that has not been done before.
    ///
    /// If the same entities were made of this body before, they are only counted, so that entities removed since do not
    /// return. New ones are stored at the position in the log that the response names; without one at position 0, so
    /// that a response of unknown position undoes no event.
    ///
    ///
    /// - Returns: The outcome; nil if the request asks for no entities.
    func normalized(_ found: HTTPResponseStore.Found, _ fetch: HTTPFetch) async -> HTTPFetched.Normalized? {
        guard let normalization = fetch.normalization, found.answer.head.head.status != 206 else { return nil }
        do throws(CacheError) {
            if found.answer.normalized?.spec == normalization.spec {
                guard let body = try await store.body(found, usedAt: nil) else { return nil }
                return HTTPClient.counted(normalization, body)
            }
            let begun = await cache.beginFetch(try normalization.query(of: fetch))
            let asOf = sequence(found.answer.head.head) ?? EventSequence(0)
            let normalized = await normalize(found, normalization, begun, asOf: asOf, [])
            await cache.endFetch(begun)
            return normalized
        } catch {
            return .error(error.message)
        }
    }

    private static func counted(_ normalization: HTTPNormalization, _ body: [UInt8]) -> HTTPFetched.Normalized {
        do throws(HTTPNormalization.Failure) {
            return .entities(try normalization.result(body).resourceCount)
        } catch {
            return .error(error.message)
        }
    }

    /// Stores the entities of a stored body, and records them in its head, in one transaction.
    ///
    /// - Parameter changes: Further changes for that transaction. They are written even if the body gives no entities.
    func normalize(
        _ found: HTTPResponseStore.Found, _ normalization: HTTPNormalization, _ begun: FetchMark,
        asOf: EventSequence?, _ changes: [HTTPChange]
    ) async -> HTTPFetched.Normalized {
        var marked = found
        marked.answer.normalized = .init(spec: normalization.spec, asOf: asOf)
        do throws(CacheError) {
            let made: HTTPFetched.Normalized
            var result: QueryResult?
            do throws(HTTPNormalization.Failure) {
                guard let body = try await body(found) else { throw .init(message: "the stored body is damaged") }
                var read = try normalization.result(body)
                read.asOf = asOf
                made = .entities(read.resourceCount)
                result = read
            } catch {
                made = .error(error.message)
            }
            guard let result else {
                try await store.write(changes)
                return made
            }
            let mark = HTTPChange.update(
                number: found.record.number, head: marked.answer.bytes, answeredAt: found.answer.head.answeredAt)
            try await cache.store(result, begun: begun, with: changes + [mark])
            return made
        } catch {
            return .error(error.message)
        }
    }

    private func body(_ found: HTTPResponseStore.Found) async throws(HTTPNormalization.Failure) -> [UInt8]? {
        do throws(CacheError) {
            return try await store.body(found, usedAt: nil)
        } catch {
            throw HTTPNormalization.Failure(message: error.message)
        }
    }
}

extension QueryResult {
    /// The number of resources, listed and included.
    var resourceCount: Int { resources.count + included.reduce(0) { $0 + $1.resources.count } }
}
