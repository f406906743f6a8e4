import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

extension HTTPClient {
    /// Performs an exchange and stores its effects, once for all requests that wait for it.
    ///
    /// - Parameter validators: The validators of the stored response, for the URL that sent it.
    func complete(
        _ question: Question, _ validators: StoredValidators?, _ lookup: HTTPResponseStore.Lookup?
    ) async -> RunningExchange.Outcome {
        let fetch = question.fetch
        var begun: FetchMark?
        do throws(CacheError) {
            if let normalization = fetch.normalization {
                begun = await cache.beginFetch(try normalization.query(of: fetch))
            } else if lookup?.found?.answer.normalized != nil {
                begun = await cache.beginFetch(try HTTPNormalization.place(of: fetch))
            }
        } catch {
            return .failure(ExchangeError(.connectionLost, error.message))
        }
        let outcome = await complete(question, validators, lookup, begun)
        if let begun { await cache.endFetch(begun) }
        return outcome
    }

    private func complete(
        _ question: Question, _ validators: StoredValidators?, _ lookup: HTTPResponseStore.Lookup?, _ begun: FetchMark?
    ) async -> RunningExchange.Outcome {
        let fetch = question.fetch
        let requestedAt = clock.now()
        var removals: [HTTPChange] = []
        let came: Came
        do throws(ExchangeError) {
            came = try await exchange(question, validators, lookup, &removals)
        } catch {
            // An unsafe hop took effect, even if the next hop failed.
            await writeQuietly(removals + outdated(by: error, lookup))
            return .failure(error)
        }
        reached(fetch.request.url.origin)
        let stored = StoredHead(
            head: came.head, requestedAt: requestedAt, answeredAt: clock.now(), byteCount: came.content.byteCount)
        var completed = CompletedExchange(
            outcome: .answered, head: came.head, content: came.content, url: came.url, stored: stored,
            isConditional: came.isConditional)
        if let arriving = came.arriving {
            completed.content = .arriving(flow(arriving, completed, question, lookup))
            return .success(completed)
        }
        do throws(CacheError) {
            try await write(&completed, question, lookup, begun, removals)
        } catch {
            // A response that cannot be stored is still returned. The one that it would have replaced is outdated.
            completed.isStored = false
            if fetch.normalization != nil { completed.normalized = .error(error.message) }
            if case .answered = completed.outcome { await writeQuietly(outdated(by: completed, question, lookup)) }
        }
        return .success(completed)
    }

    /// Writes changes on which no response depends; a failing disk is ignored.
    private func writeQuietly(_ changes: [HTTPChange]) async {
        do throws(CacheError) {
            try await store.write(changes)
        } catch {
            // The disk fails: the stored responses stay, and their policies decide when they are revalidated.
        }
    }

    /// Returns the removal of the stored response that a response past every limit would have replaced.
    private func outdated(by error: ExchangeError, _ lookup: HTTPResponseStore.Lookup?) -> [HTTPChange] {
        guard error.code == .limitExceeded, let replaced = lookup?.replaced, !replaced.isEmpty else { return [] }
        return [.remove(replaced)]
    }

    /// Returns the removal of the stored response that a new one replaces or declares outdated.
    private func outdated(
        by completed: CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?
    ) -> [HTTPChange] {
        guard case .new(let storing) = outcome(of: completed, question, lookup), storing != .leave,
            question.asked.mayStore, let replaced = lookup?.replaced, !replaced.isEmpty
        else { return [] }
        return [.remove(replaced)]
    }

    private func outcome(
        of completed: CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?
    ) -> ResponseOutcome {
        ResponseRules.outcome(
            completed.head, to: question.fetch.request, over: lookup?.found?.answer.head, question.fetch.rules,
            isConditional: completed.isConditional, isKeyed: question.fetch.isKeyed, at: completed.stored.answeredAt)
    }

    /// Stores the effects of a response.
    ///
    /// - Parameter removals: The removals caused by unsafe hops, written in the same transaction.
    func write(
        _ completed: inout CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?,
        _ begun: FetchMark?, _ removals: [HTTPChange] = []
    ) async throws(CacheError) {
        let outcome = outcome(of: completed, question, lookup)
        guard question.asked.mayStore else {
            completed.isOutdated = true
            if case .confirmed = outcome, let found = lookup?.found {
                completed.outcome = .confirmed(found, isLast: false)
            }
            if question.fetch.normalization != nil { completed.normalized = .error(HTTPClient.outdatedAnswer) }
            try await store.write(removals)
            return
        }
        if case .confirmed = outcome, let found = lookup?.found {
            try await confirm(found, &completed, question, begun, removals)
        } else {
            try await replace(outcome, &completed, question, lookup, begun, removals)
        }
        // The journal checks again within its transaction. What it refused is not stored.
        if !question.asked.mayStore { (completed.isStored, completed.isOutdated) = (false, true) }
        if completed.isStored { observers.changed(question.fetch) }
    }

    private static let outdatedAnswer =
        "stored answers were removed, or a newer one came, while this one was on its way"

    /// Stores a server's confirmation of the stored response.
    private func confirm(
        _ stored: HTTPResponseStore.Found, _ completed: inout CompletedExchange, _ question: Question,
        _ begun: FetchMark?, _ removals: [HTTPChange]
    ) async throws(CacheError) {
        let fetch = question.fetch
        var found = stored
        let isSelectable = found.confirm(by: completed.stored, for: fetch.request.fields, salt: question.salt)
        let isLast = !isSelectable || StorageRules.forbidsStoring(found.answer.head.head.fields, fetch.rules)
        completed.outcome = .confirmed(found, isLast: isLast)
        question.asked.accept(varying: found.answer.variant.names)
        guard !isLast else {
            try await store.write(removals)
            return
        }
        let changes =
            removals + [
                .update(
                    number: found.record.number, head: found.answer.bytes, answeredAt: completed.stored.answeredAt)
            ]
        completed.isStored = true
        if let begun, let normalization = fetch.normalization, found.answer.normalized?.spec != normalization.spec {
            let asOf = sequence(completed.head) ?? begun.cursor
            completed.normalized = await normalize(found, normalization, begun, asOf: asOf, changes)
        } else {
            try await renew(found, fetch, begun, changes, &completed)
        }
    }

    /// Stores the effects of a response that is not a confirmation: it replaces the stored one, removes it, or leaves
    /// it.
    private func replace(
        _ outcome: ResponseOutcome, _ completed: inout CompletedExchange, _ question: Question,
        _ lookup: HTTPResponseStore.Lookup?, _ begun: FetchMark?, _ removals: [HTTPChange]
    ) async throws(CacheError) {
        let fetch = question.fetch
        var changes = removals
        var storing = ResponseOutcome.Storing.leave
        if case .new(let decided) = outcome { storing = decided }
        if case .draft(_, let hold) = completed.content, !store.isCurrent(hold) { storing = .leave }
        var replaced: [Int64] = []
        if storing != .leave {
            question.asked.accept(varying: Vary.names(of: completed.head.fields))
            // An older request may have been answered since this one was sent; its response is replaced, too.
            replaced = Set(lookup?.replaced ?? []).union(
                try await store.look(fetch, key: fetch.key, salt: question.salt).replaced
            ).sorted()
        }
        if completed.head.status == 206 {
            storing = try await combine(&completed, question, lookup, storing, replaced)
        }
        if fetch.request.method == "HEAD" { changes += try await ofHead(completed, question) }
        let isTooLong = !completed.content.isKept || completed.content.byteCount > defaults.bodyByteCountMax
        // Even if a body is too long to be stored, it outdates the stored one.
        if storing == .store, isTooLong { storing = .remove }
        if storing == .remove { changes.append(.remove(replaced)) }
        if let gone = try await entityGone(completed, fetch, lookup), let begun {
            return try await cache.delete(gone, asOf: sequence(completed.head), begun: begun, with: changes)
        }
        if storing == .store, let mark = try await markOfEqual(completed, fetch, lookup), begun != nil {
            changes.append(
                HTTPResponseStore.storing(completed, question, normalized: mark, replacing: replaced))
            completed.isStored = true
            return try await renew(completed.content.bytes ?? [], mark, fetch, begun, changes, &completed)
        }
        var normalized: StoredResponseHead.Normalized?
        var result: QueryResult?
        if let normalization = fetch.normalization, let begun, (200..<300).contains(completed.head.status),
            completed.head.status != 206, let body = completed.content.bytes
        {
            do throws(HTTPNormalization.Failure) {
                var made = try normalization.result(body)
                made.asOf = sequence(completed.head)
                normalized = .init(spec: normalization.spec, asOf: made.asOf ?? begun.cursor)
                result = made
            } catch {
                completed.normalized = .error(error.message)
            }
        }
        if storing == .store {
            changes.append(
                HTTPResponseStore.storing(completed, question, normalized: normalized, replacing: replaced))
        }
        try await write(changes, result, begun, &completed)
        completed.isStored = completed.isStored || storing == .store
        if case .draft(_, let hold) = completed.content, !store.isCurrent(hold) { completed.isStored = false }
    }

    /// Writes a response and its entities in one transaction; if the entities cannot be used, the response alone.
    private func write(
        _ changes: [HTTPChange], _ result: QueryResult?, _ begun: FetchMark?, _ completed: inout CompletedExchange
    ) async throws(CacheError) {
        guard let result, let begun else {
            try await store.write(changes)
            return
        }
        do throws(CacheError) {
            try await cache.store(result, begun: begun, with: changes)
            completed.normalized = .entities(result.resourceCount)
        } catch {
            completed.normalized = .error(error.message)
            try await store.write(changes)
        }
    }

    /// Returns the position in the log that a response names in its header; nil if there is none.
    func sequence(_ head: ResponseHead) -> EventSequence? {
        head.fields.first(defaults.sequenceHeader.description).flatMap { value in
            ASCII.number(ASCII.trimmed(value.bytes[...]), max: .max / 16).map { EventSequence($0) }
        }
    }

    /// Renews the entities of a confirmed response, and writes the confirmation in the same transaction.
    private func renew(
        _ found: HTTPResponseStore.Found, _ fetch: HTTPFetch, _ begun: FetchMark?, _ changes: [HTTPChange],
        _ completed: inout CompletedExchange
    ) async throws(CacheError) {
        guard begun != nil, let mark = found.answer.normalized, let body = try await store.body(found, usedAt: nil)
        else {
            try await store.write(changes)
            store.noteConfirmation(found)
            return
        }
        try await renew(body, mark, fetch, begun, changes, &completed)
    }

    /// Returns the stored response's record of its entities if a new response has the same body, so that it renews them
    /// as a 304 does. Returns nil if the new response names a later position: it is then stored like any other.
    private func markOfEqual(
        _ completed: CompletedExchange, _ fetch: HTTPFetch, _ lookup: HTTPResponseStore.Lookup?
    ) async throws(CacheError) -> StoredResponseHead.Normalized? {
        guard completed.head.status == 200, let found = lookup?.found, found.answer.head.head.status == 200,
            let mark = found.answer.normalized, fetch.normalization.map({ $0.spec == mark.spec }) ?? true,
            let new = completed.content.bytes, found.record.byteCount == Int64(new.count)
        else { return nil }
        if let named = sequence(completed.head) {
            guard let asOf = mark.asOf, named <= asOf else { return nil }
        }
        return try await store.body(found, usedAt: nil) == new ? mark : nil
    }

    private func renew(
        _ body: [UInt8], _ mark: StoredResponseHead.Normalized, _ fetch: HTTPFetch, _ begun: FetchMark?,
        _ changes: [HTTPChange], _ completed: inout CompletedExchange
    ) async throws(CacheError) {
        var stored = fetch.normalization
        if stored == nil { stored = try HTTPNormalization(spec: mark.spec, limits: cache.configuration.limits) }
        guard let normalization = stored else { return }
        let result: QueryResult
        do throws(HTTPNormalization.Failure) {
            result = try normalization.result(body)
        } catch {
            if fetch.normalization != nil { completed.normalized = .error(error.message) }
            try await store.write(changes)
            return
        }
        let key = try normalization.query(of: fetch)
        let count = try await cache.renew(result, key, asOf: mark.asOf, begun: begun, with: changes)
        if fetch.normalization != nil { completed.normalized = .entities(count) }
    }

    /// Returns the single entity of a URL's stored response, if the server sent 404 or 410.
    private func entityGone(
        _ completed: CompletedExchange, _ fetch: HTTPFetch, _ lookup: HTTPResponseStore.Lookup?
    ) async throws(CacheError) -> EntityKey? {
        guard completed.head.status == 404 || completed.head.status == 410, fetch.request.isSafe,
            let found = lookup?.found, let mark = found.answer.normalized,
            let body = try await store.body(found, usedAt: nil)
        else { return nil }
        let normalization = try HTTPNormalization(spec: mark.spec, limits: cache.configuration.limits)
        return normalization.singleEntity(body, library: fetch.library)
    }
}
