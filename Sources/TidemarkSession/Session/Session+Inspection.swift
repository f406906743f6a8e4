import Tidemark
import TidemarkHTTP
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Methods for looking at a cache. Those that read the disk delay no other line.
extension Session {
    /// Performs a request for looking at a cache.
    ///
    /// - Returns: The result; nil if the answer is sent separately.
    func perform(_ method: InspectionMethod, _ responder: Responder) async throws(CacheError) -> [UInt8]? {
        switch method {
        case .base(let key, let fields):
            return try await base(of: key, fields)
        case .queries(let library, let type, let after, let countMax):
            let page = try await cache.queries(library: library, type: type, after: after, countMax: countMax)
            return Answer.queries(page.queries, next: page.next)
        case .retry(let numbers):
            return Answer.retried(try await cache.retryQuarantine(numbers))
        case .observeLog(let filter):
            await cache.observeLog(filter, sink: outputQueue) { result in
                responder.answer(
                    result.map { subscription in
                        Answer.object { $0.member("subscription", subscription.rawValue) }
                    }.mapError { MessageError($0) })
            }
        case .find(let finding):
            try answerLater(responder) { cache in await Session.found(finding, cache) }
        case .quarantine(let selection):
            try answerLater(responder) { cache in await Session.quarantined(selection, cache) }
        case .events(let selection):
            try answerLater(responder) { cache in
                let kept = await cache.keptEvents()
                return .success(Answer.events(kept.select(selection), of: kept))
            }
        case .disturb(let isOffline, let delay, let failureCount):
            guard let disturbance else {
                guard isOffline != nil || delay != nil || failureCount != nil else {
                    return Answer.faults(NetworkDisturbance.Faults(), areSettable: false)
                }
                throw CacheError(
                    .invalidParams, "this cache's host has the network: a server sends requests of its own")
            }
            return Answer.faults(
                disturbance.set(isOffline: isOffline, delay: delay, failureCount: failureCount), areSettable: true)
        case .findings:
            try answerLater(responder) { cache in .success(Answer.findings(await cache.findings())) }
        case .facets(let library):
            try answerLater(responder) { cache in await Session.facets(library, cache) }
        }
        return nil
    }

    /// Answers once a read is done; until then the request counts as waiting.
    private func answerLater(
        _ responder: Responder, _ read: @escaping @Sendable (SyncCache) async -> Result<[UInt8], CacheError>
    ) throws(CacheError) {
        let number = try waiting.add(responder, .inspection)
        let task = Task { [cache, outputQueue, waiting] in
            let outcome = await read(cache)
            await cache.deliverAll(to: outputQueue)
            waiting.finish(number) { $0.answer(outcome.mapError { MessageError($0) }) }
        }
        waiting.set(task, for: number)
    }

    private func base(of key: EntityKey, _ fields: [ByteString]?) async throws(CacheError) -> [UInt8] {
        let explanation = try await cache.explain(key)
        let wanted = fields.map { Set($0.map(\.bytes)) }
        let base = try await cache.base(of: key, fields: wanted)
        let isStale = await cache.status(of: key.library).phase == .stale
        return Answer.base(base, of: key, fields: explanation.fields, isStale: isStale, wanted: wanted)
    }

    private static func found(_ finding: EntityFinding, _ cache: SyncCache) async -> Result<[UInt8], CacheError> {
        do throws(CacheError) {
            return .success(Answer.found(try await cache.find(finding)))
        } catch {
            return .failure(error)
        }
    }

    private static func quarantined(
        _ selection: QuarantineSelection, _ cache: SyncCache
    ) async -> Result<[UInt8], CacheError> {
        var more = selection
        // One more record than requested shows whether there is another page.
        more.countMax += 1
        do throws(CacheError) {
            let records = try await cache.quarantine(more)
            let page = Array(records.prefix(selection.countMax))
            return .success(Answer.quarantine(page, next: records.count > page.count ? page.last?.number : nil))
        } catch {
            return .failure(error)
        }
    }

    private static func facets(_ library: ByteString?, _ cache: SyncCache) async -> Result<[UInt8], CacheError> {
        do throws(CacheError) {
            let counts = try await cache.typeCounts(library: library)
            let statuses = await cache.libraries().filter { library == nil || $0.library == library }
            return .success(
                Answer.facets(counts, statuses.sorted { $0.library < $1.library }, await cache.counts()))
        } catch {
            return .failure(error)
        }
    }
}
