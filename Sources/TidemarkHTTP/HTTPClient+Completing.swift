import Tidemark
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

extension HTTPClient {
    /// Makes an exchange and writes what it leads to: once for all that wait for it.
    func complete(
        _ question: Question, _ sent: RequestHead, isConditional: Bool, _ lookup: HTTPResponseStore.Lookup?
    ) async -> Result<CompletedExchange, ExchangeError> {
        let fetch = question.fetch
        var begun: HTTPStart?
        do throws(CacheError) {
            if let normalization = fetch.normalization {
                begun = await cache.beginHTTP(try normalization.query(of: fetch))
            } else if lookup?.found?.answer.normalized != nil {
                begun = await cache.beginHTTP(try HTTPNormalization.place(of: fetch))
            }
        } catch {
            return .failure(ExchangeError(.connectionLost, error.message))
        }
        let result = await complete(question, sent, isConditional: isConditional, lookup, begun)
        if let begun { await cache.endHTTP(begun) }
        return result
    }

    private func complete(
        _ question: Question, _ sent: RequestHead, isConditional: Bool, _ lookup: HTTPResponseStore.Lookup?,
        _ begun: HTTPStart?
    ) async -> Result<CompletedExchange, ExchangeError> {
        let fetch = question.fetch
        let requestedAt = clock.now()
        let came: Came
        do throws(ExchangeError) {
            came = try await exchange(sent, question, isConditional: isConditional, lookup)
        } catch {
            return .failure(error)
        }
        let answeredAt = clock.now()
        reached(fetch.request.url.origin)
        let stored = StoredHead(
            head: came.head, requestedAt: requestedAt, answeredAt: answeredAt, byteCount: came.content.byteCount)
        var completed = CompletedExchange(
            outcome: .answered, head: came.head, content: came.content, url: came.url, stored: stored)
        if let arriving = came.arriving {
            completed.content = .arriving(flow(arriving, completed, question, lookup))
            return .success(completed)
        }
        do throws(CacheError) {
            try await write(&completed, question, isConditional: isConditional, lookup, begun)
        } catch {
            // An answer that cannot be stored is an answer all the same.
            completed.isStored = false
            if fetch.normalization != nil { completed.normalized = .error(error.message) }
        }
        return .success(completed)
    }

    /// Writes the effects of an answer on what is stored.
    func write(
        _ completed: inout CompletedExchange, _ question: Question, isConditional: Bool,
        _ lookup: HTTPResponseStore.Lookup?,
        _ begun: HTTPStart?
    ) async throws(CacheError) {
        let fetch = question.fetch
        var changes = invalidations(by: completed.head, fetch)
        let outcome = AnswerRules.outcome(
            completed.head, to: fetch.request, over: lookup?.found?.answer.head, fetch.rules,
            isConditional: isConditional, isKeyed: fetch.isKeyed, at: completed.stored.answeredAt)
        if case .confirmed = outcome, var found = lookup?.found {
            found.confirm(
                by: completed.head, requestedAt: completed.stored.requestedAt, answeredAt: completed.stored.answeredAt)
            completed.outcome = .confirmed(found)
            changes.append(
                .update(
                    number: found.record.number, head: found.answer.bytes, answeredAt: completed.stored.answeredAt))
            completed.isStored = true
            if let begun, let normalization = fetch.normalization, found.answer.normalized?.spec != normalization.spec {
                let asOf = sequence(completed.head) ?? begun.cursor
                completed.normalized = await normalize(found, normalization, begun, asOf: asOf, changes)
            } else {
                try await renew(found, fetch, begun, changes, &completed)
            }
            observers.changed(fetch)
            return
        }
        var storing = AnswerOutcome.Storing.leave
        if case .new(let decided) = outcome { storing = decided }
        if case .draft(_, let hold) = completed.content, !store.isCurrent(hold) { storing = .leave }
        if completed.head.status == 206 { storing = try await combine(&completed, fetch, lookup, storing) }
        if fetch.request.method == "HEAD" { changes += try await ofHead(completed, question) }
        switch storing {
        case .leave: break
        case .remove: changes.append(.remove(lookup?.replaced ?? []))
        case .store: break
        }
        if let gone = try await entityGone(completed, fetch, lookup), let begun {
            return try await cache.delete(gone, asOf: sequence(completed.head), begun: begun, with: changes)
        }
        let isStorable = storing == .store && completed.content.byteCount <= defaults.bodyByteCountMax
        if isStorable, let mark = try await markOfEqual(completed, fetch, lookup), begun != nil {
            changes.append(
                HTTPResponseStore.storing(
                    fetch, completed.stored, completed.content, normalized: mark, salt: question.salt,
                    replacing: lookup?.replaced ?? [], isRedirected: completed.url != fetch.request.url))
            completed.isStored = true
            try await renew(completed.content.bytes ?? [], mark, fetch, begun, changes, &completed)
            observers.changed(fetch)
            return
        }
        var normalized: StoredAnswer.Normalized?
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
        if isStorable {
            changes.append(
                HTTPResponseStore.storing(
                    fetch, completed.stored, completed.content, normalized: normalized, salt: question.salt,
                    replacing: lookup?.replaced ?? [], isRedirected: completed.url != fetch.request.url))
        }
        if let result, let begun {
            let count = result.resourceCount
            do throws(CacheError) {
                try await cache.store(result, begun: begun, with: changes)
                completed.normalized = .entities(count)
            } catch {
                completed.normalized = .error(error.message)
                try await store.write(changes)
            }
        } else {
            try await store.write(changes)
        }
        completed.isStored = completed.isStored || isStorable
        if case .draft(_, let hold) = completed.content, !store.isCurrent(hold) { completed.isStored = false }
        if completed.isStored { observers.changed(fetch) }
    }

    /// Returns the removals that an unsafe request leads to. One with a key of its caller is a question: the answers to
    /// other questions of its URL stay, those to GET and HEAD go.
    private func invalidations(by head: ResponseHead, _ fetch: HTTPFetch) -> [HTTPChange] {
        let methods: [ByteString?] = fetch.isKeyed ? ["GET", "HEAD"] : [nil]
        return StorageRules.invalidated(by: head, to: fetch.request).flatMap { url in
            methods.flatMap { method -> [HTTPChange] in
                let keys = method.map { [$0, HTTPFetch.led($0)] } ?? [nil]
                return keys.map { .removeAll(HTTPSelection(library: fetch.library, url: url.text, key: $0)) }
            }
        }
    }

    /// Returns the position in the log that an answer names.
    func sequence(_ head: ResponseHead) -> EventSequence? {
        head.fields.first(defaults.sequenceHeader.description).flatMap { value in
            ASCII.number(ASCII.trimmed(value.bytes[...]), max: .max / 16).map { EventSequence($0) }
        }
    }

    /// Renews the entities of a confirmed answer, and writes the confirmation with them.
    private func renew(
        _ found: HTTPResponseStore.Found, _ fetch: HTTPFetch, _ begun: HTTPStart?, _ changes: [HTTPChange],
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

    /// Returns what the entities of the stored answer stand for, when a new answer has the same body: it renews them as
    /// a 304 does. An answer that names a later position is stored as any other.
    private func markOfEqual(
        _ completed: CompletedExchange, _ fetch: HTTPFetch, _ lookup: HTTPResponseStore.Lookup?
    ) async throws(CacheError) -> StoredAnswer.Normalized? {
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
        _ body: [UInt8], _ mark: StoredAnswer.Normalized, _ fetch: HTTPFetch, _ begun: HTTPStart?,
        _ changes: [HTTPChange], _ completed: inout CompletedExchange
    ) async throws(CacheError) {
        var stored = fetch.normalization
        if stored == nil { stored = try HTTPNormalization(spec: mark.spec, limits: cache.httpLimits) }
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

    /// Returns the entity that a URL stood for, when the server says that it is gone.
    private func entityGone(
        _ completed: CompletedExchange, _ fetch: HTTPFetch, _ lookup: HTTPResponseStore.Lookup?
    ) async throws(CacheError) -> EntityKey? {
        guard completed.head.status == 404 || completed.head.status == 410, fetch.request.isSafe,
            let found = lookup?.found, let mark = found.answer.normalized,
            let body = try await store.body(found, usedAt: nil)
        else { return nil }
        let normalization = try HTTPNormalization(spec: mark.spec, limits: cache.httpLimits)
        return normalization.singleEntity(body, library: fetch.library)
    }

    /// Combines a part with the stored part or whole that it belongs to.
    private func combine(
        _ completed: inout CompletedExchange, _ fetch: HTTPFetch, _ lookup: HTTPResponseStore.Lookup?,
        _ storing: AnswerOutcome.Storing
    ) async throws(CacheError) -> AnswerOutcome.Storing {
        guard let new = completed.content.bytes, let place = ContentRange.of(completed.head.fields),
            place.bounds.count == new.count
        else {
            // A part that is shorter than it says is passed on and not stored.
            return .leave
        }
        guard storing == .store, let found = lookup?.found,
            let (bounds, total) = RangeRules.combined(found.answer.head, with: completed.head),
            bounds.count <= defaults.bodyByteCountMax, let old = try await store.body(found, usedAt: nil)
        else { return storing }
        let oldPlace = ContentRange.of(found.answer.head.head.fields)
        let oldStart = found.answer.head.head.status == 200 ? 0 : oldPlace?.bounds.lowerBound ?? 0
        var body = [UInt8](repeating: 0, count: bounds.count)
        let oldOffset = Int(oldStart - bounds.lowerBound)
        body.replaceSubrange(oldOffset..<(oldOffset + old.count), with: old)
        let newOffset = Int(place.bounds.lowerBound - bounds.lowerBound)
        body.replaceSubrange(newOffset..<(newOffset + new.count), with: new)
        var combined = completed.stored
        combined.byteCount = Int64(body.count)
        if bounds == 0..<total {
            combined.head.status = 200
            combined.head.reason = "OK"
            combined.head.fields.remove("content-range")
        } else {
            combined.head.fields.set("Content-Range", ContentRange(bounds: bounds, total: total).text)
        }
        combined.head.fields.set("Content-Length", "\(body.count)")
        let salt = try await fileSalt()
        try await store.write([
            HTTPResponseStore.storing(
                fetch, combined, .bytes(body), normalized: nil, salt: salt, replacing: lookup?.replaced ?? [],
                isRedirected: completed.url != fetch.request.url)
        ])
        completed.isStored = true
        return .leave
    }

    /// Returns what an answer to HEAD does to the stored answer to GET: it refreshes it, or removes one that is
    /// outdated.
    ///
    /// - Source: RFC 9111, section 4.3.5.
    private func ofHead(_ completed: CompletedExchange, _ question: Question) async throws(CacheError) -> [HTTPChange] {
        guard completed.head.status == 200 else { return [] }
        var ofGet = question.fetch
        ofGet.request.method = "GET"
        let lookup = try await store.look(ofGet, key: ofGet.key, salt: question.salt)
        guard var found = lookup.found else { return [] }
        guard found.answer.head.agrees(withHead: completed.head) else { return [.remove([found.record.number])] }
        found.confirm(
            by: completed.head, requestedAt: completed.stored.requestedAt, answeredAt: completed.stored.answeredAt)
        return [
            .update(
                number: found.record.number, head: found.answer.bytes, answeredAt: completed.stored.answeredAt)
        ]
    }
}
