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
    /// - Returns: The outcome; nil if the request asks for no entities.
    func normalized(_ found: HTTPResponseStore.Found, _ fetch: HTTPFetch) async -> HTTPFetched.Normalized? {
        guard let normalization = fetch.normalization, found.answer.head.head.status != 206 else { return nil }
        do throws(CacheError) {
            if found.answer.normalized?.spec == normalization.spec {
                guard let body = try await store.body(found, usedAt: nil) else { return nil }
                return HTTPClient.counted(normalization, body)
            }
            let begun = await cache.beginFetch(try normalization.query(of: fetch))
            let asOf = defaults.sequence(found.answer.head.head) ?? EventSequence(0)
            let normalized = await normalize(found, normalization, begun, asOf: asOf)
            await cache.endFetch(begun)
            return normalized
        } catch {
            return .error(error.message)
        }
    }

    private static func counted(_ normalization: HTTPNormalization, _ body: [UInt8]) -> HTTPFetched.Normalized {
        switch normalization.made(of: body) {
        case .success(let result): .entities(result.resourceCount)
        case .failure(let failure): .error(failure.message)
        }
    }

    /// Stores the entities of a stored body, and records them in its head, in one transaction.
    private func normalize(
        _ found: HTTPResponseStore.Found, _ normalization: HTTPNormalization, _ begun: FetchMark, asOf: EventSequence?
    ) async -> HTTPFetched.Normalized {
        do throws(CacheError) {
            guard let body = try await store.body(found, usedAt: nil) else {
                return .error("the stored body is damaged")
            }
            switch normalization.made(of: body) {
            case .success(var result):
                result.asOf = asOf
                let mark = found.marked(.init(spec: normalization.spec, asOf: asOf))
                try await cache.store(result, begun: begun, with: [mark])
                return .entities(result.resourceCount)
            case .failure(let failure): return .error(failure.message)
            }
        } catch {
            return .error(error.message)
        }
    }
}

extension QueryResult {
    /// The number of resources, listed and included.
    var resourceCount: Int { resources.count + included.reduce(0) { $0 + $1.resources.count } }
}
