import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// The disk's side of an exchange: performs what ``StoringState`` decides.
extension HTTPClient {
    /// Stores the effects of a complete response.
    ///
    /// - Parameters:
    ///   - mark: The fetch of entities that was begun; nil if the response has none.
    ///   - changes: The removals caused by unsafe hops, written in the same transaction.
    ///   - isReturned: True if the response was returned before, and read while it arrived.
    /// - Returns: The response, with what is known of it then.
    func store(
        _ completed: CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?, _ mark: FetchMark?,
        _ changes: [HTTPChange] = [], isReturned: Bool = false
    ) async -> CompletedExchange {
        var state = StoringState(
            completed, question, lookup, begun: mark.map { FetchBeginning(cursor: $0.cursor) }, changes: changes,
            settings: .init(defaults: defaults, limits: cache.configuration.limits, isReturned: isReturned))
        var event = StoringState.Event.begin
        while true {
            let step = state.handle(event, facts(completed.content, question))
            for effect in step.effects { perform(effect, question) }
            do throws(CacheError) {
                switch step.action {
                case .end(let completed): return completed
                case .look(let fetch): event = .looked(try await store.look(fetch, key: fetch.key, salt: question.salt))
                case .read(let found): event = .read(try await store.body(found, usedAt: nil))
                case .write(let transaction): event = .written(try await write(transaction, mark))
                }
            } catch {
                event = .failed(error)
            }
        }
    }

    private func facts(_ content: HTTPContent, _ question: Question) -> StoringState.Facts {
        var isDraftCurrent = true
        if case .draft(_, let hold) = content { isDraftCurrent = store.isCurrent(hold) }
        return StoringState.Facts(mayStore: question.asked.mayStore, isDraftCurrent: isDraftCurrent)
    }

    private func perform(_ effect: StoringState.Effect, _ question: Question) {
        switch effect {
        case .accept(let names): question.asked.accept(varying: names)
        case .noteConfirmation(let found): store.noteConfirmation(found)
        case .changed: observers.changed(question.fetch)
        }
    }

    /// Commits a transaction: the only way on which an exchange writes to the disk.
    ///
    /// - Returns: The number of entities that a renewal renewed; 0 for other transactions.
    private func write(_ transaction: HTTPTransaction, _ mark: FetchMark?) async throws(CacheError) -> Int {
        switch (transaction, mark) {
        case (.changes(let changes), _): try await store.write(changes)
        case (.entities(let result, let changes), let mark?):
            try await cache.store(result, begun: mark, with: changes)
        case (.renewal(let result, let key, let asOf, let changes), let mark?):
            return try await cache.renew(result, key, asOf: asOf, begun: mark, with: changes)
        case (.deletion(let key, let asOf, let changes), let mark?):
            try await cache.delete(key, asOf: asOf, begun: mark, with: changes)
        case (.entities, nil), (.renewal, nil), (.deletion, nil):
            preconditionFailure("entities are written without a fetch that was begun")
        }
        return 0
    }

    // MARK: Bodies that are read while they arrive

    /// Returns the body for a caller that reads it while it arrives; after the last byte the response is stored.
    func flow(
        _ arriving: Arriving, _ completed: CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?
    ) -> HTTPBodyFlow {
        let request = arriving.request
        let head = completed.head
        let parts = ArrivingBody.Parts(
            first: arriving.first, rest: arriving.rest,
            byteCountMax: arriving.isStorable ? defaults.bodyByteCountMax : 0,
            check: { count throws(ExchangeError) in try HTTPClient.checkLength(head, count, request) },
            finish: { [weak self] content in
                var whole = completed
                whole.content = content
                whole.stored.byteCount = content.byteCount
                return await self?.storeRead(whole, question, lookup) ?? false
            })
        return ArrivingBody(parts, store).flow
    }

    /// Stores the effects of a response whose body has arrived. It replaces the stored response even if its own body
    /// was not kept.
    ///
    /// - Returns: True if the response was stored.
    private func storeRead(
        _ completed: CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?
    ) async -> Bool {
        let stored = await store(completed, question, lookup, nil, isReturned: true)
        await tellObservers()
        return stored.isStored
    }
}
