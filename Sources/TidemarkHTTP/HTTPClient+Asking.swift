import Tidemark
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

extension HTTPClient {
    // MARK: Asking

    /// A question to the network, and its reason.
    struct Question: Sendable {
        var fetch: HTTPFetch
        var forward: CacheStatus.Forward
        var isConditional = false
        var salt: [UInt8]
        /// The place of the question among all questions and removals.
        var asked: HTTPQuestion
        /// Whether several requests may wait for the answer, each for its own time.
        var isShared = false

        /// Returns the question without validators, as it is asked now.
        func again(_ asked: HTTPQuestion) -> Question {
            var question = self
            question.isConditional = false
            question.isShared = false
            question.asked = asked
            return question
        }
    }

    /// Asks beside an answer that was served stale; nobody waits for it.
    func askBeside(_ fetch: HTTPFetch, _ lookup: HTTPResponseStore.Lookup, _ salt: [UInt8]) {
        let question = Question(
            fetch: fetch, forward: .stale, isConditional: true, salt: salt, asked: begin(fetch, salt))
        spawn { [weak self] in
            do throws(CacheError) {
                _ = try await self?.ask(question, lookup: lookup)
            } catch {
                // The stale answer was served; the next request asks again.
            }
        }
    }

    /// Keeps a task until it ends or the client is closed.
    func spawn(_ body: @escaping @Sendable () async -> Void) {
        let number = nextTask
        nextTask += 1
        background[number] = Task {
            await body()
            self.ended(number)
        }
    }

    func ended(_ number: Int) { background[number] = nil }

    /// Ends everything under way that nobody waits for.
    package func close() async {
        let tasks = background.values
        for task in tasks { task.cancel() }
        for exchange in exchanges.values { exchange.task?.cancel() }
        for task in tasks { await task.value }
    }

    /// Asks, or joins those that ask the same, and gives the answer that the rules choose.
    func ask(
        _ question: Question, lookup: HTTPResponseStore.Lookup?
    ) async throws(CacheError) -> HTTPFetched {
        let fetch = question.fetch
        let found = lookup?.found
        let validators = question.isConditional ? found?.validators : nil
        // A body that its caller reads as it comes has one reader.
        let mayJoin = fetch.request.method == "GET" && fetch.body.isEmpty && !fetch.wantsFlow
        let completed: RunningExchange.Outcome
        var isCollapsed = false
        if mayJoin {
            (completed, isCollapsed) = try await share(question, validators, lookup)
        } else {
            try checkRoom()
            let task = Task { await self.complete(question, validators, lookup) }
            completed = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            await tellObservers()
        }
        switch completed {
        case .failure(let error):
            return try await fallBack(error, question, found)
        case .success(let completed):
            let fetched = try await answer(completed, question, lookup, isCollapsed: isCollapsed)
            if fetched.status.isFallback {
                askUntilReached(fetch)
            } else if !isCollapsed, !fetched.isStored, !fetched.isOutdated, found != nil,
                [404, 410].contains(fetched.head.status)
            {
                tell(ExchangeKey(fetch), fetched)
            }
            return fetched
        }
    }

    /// Serves what is stored in place of an answer that did not come, where the rules allow it.
    func fallBack(
        _ error: ExchangeError, _ question: Question, _ found: HTTPResponseStore.Found?
    ) async throws(CacheError) -> HTTPFetched {
        let now = clock.now()
        let fetch = question.fetch
        guard let found,
            AnswerRules.fallsBack(on: error.code, to: fetch.request, found.answer.head, fetch.rules, at: now)
        else { throw HTTPClient.error(error) }
        let range = RangeRules.outcome(fetch.request, found.answer.head)
        guard range != .lacking, let body = try await bodyOf(found, fetch, range, usedAt: now) else {
            throw HTTPClient.error(error)
        }
        var served = serve(found, body, fetch, range, at: now)
        served.status = CacheStatus(question.forward)
        served.status.detail = error.code.rawValue
        served.status.isFallback = true
        served.normalized = await normalized(found, fetch)
        askUntilReached(fetch)
        return served
    }

    private func answer(
        _ completed: CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?, isCollapsed: Bool
    ) async throws(CacheError) -> HTTPFetched {
        let found = lookup?.found
        let fetch = question.fetch
        let now = clock.now()
        switch completed.outcome {
        case .confirmed(let confirmed, let isLast):
            let range = RangeRules.outcome(fetch.request, confirmed.answer.head)
            if let body = try await bodyOf(confirmed, fetch, range, usedAt: now) {
                var served = serve(confirmed, body, fetch, range, at: now, isConfirmed: true)
                served.isRevalidated = true
                // The server has just said that it is what it would send.
                served.isStale = false
                served.status = CacheStatus(question.forward)
                served.status.forwardStatus = 304
                served.status.isCollapsed = isCollapsed
                served.normalized = completed.normalized
                served.isOutdated = completed.isOutdated
                if isLast {
                    served.isStored = false
                    try await store.write([.remove([confirmed.record.number])])
                }
                return served
            }
            // The body was damaged or has gone: without validators the whole answer comes.
            return try await ask(question.again(begin(fetch, question.salt)), lookup: nil)
        case .answered:
            if completed.head.status == 412, completed.isConditional, !fetch.request.isSafe {
                // RFC 9110, section 13.1.2: outside of GET and HEAD validators that match mean that nothing was done.
                return try await ask(question.again(begin(fetch, question.salt)), lookup: lookup)
            }
            if let found,
                case .fallBack = AnswerRules.outcome(
                    completed.head, to: fetch.request, over: found.answer.head, fetch.rules, isConditional: false,
                    isKeyed: fetch.isKeyed, at: now),
                let body = try await bodyOf(
                    found, fetch, RangeRules.outcome(fetch.request, found.answer.head), usedAt: now)
            {
                var served = serve(found, body, fetch, RangeRules.outcome(fetch.request, found.answer.head), at: now)
                served.status = CacheStatus(question.forward)
                served.status.forwardStatus = completed.head.status
                served.status.detail = "error-status"
                served.status.isFallback = true
                served.normalized = await normalized(found, fetch)
                return served
            }
            var head = completed.head
            if isCollapsed { head.fields.remove("set-cookie") }
            var fetched = HTTPFetched(
                head: head, body: [], url: completed.url, status: CacheStatus(question.forward))
            if fetch.request.method != "HEAD" { try await give(completed.content, to: &fetched, fetch) }
            fetched.isStored = completed.isStored
            fetched.isOutdated = completed.isOutdated
            fetched.normalized = completed.normalized
            fetched.status.isStored = completed.isStored
            fetched.status.isCollapsed = isCollapsed
            if fetch.rules == .standard {
                fetched.age = Freshness(completed.stored, at: now).age
            }
            // An answer that was asked for with the caller's own conditions is the server's to give.
            return fetched
        }
    }

    /// Gives the body of a new answer to a caller.
    private func give(
        _ content: HTTPContent, to fetched: inout HTTPFetched, _ fetch: HTTPFetch
    ) async throws(CacheError) {
        switch content {
        case .bytes(let bytes): fetched.body = bytes
        case .arriving(let flow): fetched.flow = flow
        case .passed: break
        case .draft(let draft, let hold):
            try HTTPClient.checkCaller(draft.byteCount, fetch)
            guard let bytes = try await store.bytes(draft, hold) else {
                throw CacheError(.storageFailed, "the body was damaged on the disk as it came: ask again")
            }
            fetched.body = bytes
        }
    }

    /// - Throws: ``CacheError`` `limit_exceeded` for a body that the caller cannot take.
    static func checkCaller(_ byteCount: Int64, _ fetch: HTTPFetch) throws(CacheError) {
        guard let byteCountMax = fetch.answerByteCountMax, byteCount > byteCountMax else { return }
        throw CacheError(
            .limitExceeded, "the body has \(byteCount) bytes, and the caller takes \(byteCountMax): ask for ranges")
    }

    /// Passes a request by the cache, and removes what is stored under its key where the storage is switched off.
    func bypass(_ fetch: HTTPFetch, _ salt: [UInt8]) async throws(CacheError) -> HTTPFetched {
        if fetch.storage == .disabled {
            try await store.write(
                store.removing(
                    [fetch.key, HTTPFetch.led(fetch.key)].map {
                        HTTPSelection(library: fetch.library, url: fetch.request.url.text, key: $0)
                    }))
        }
        var bypassing = fetch
        bypassing.rules = .options([], timeout: nil)
        return try await ask(
            Question(fetch: bypassing, forward: .bypass, salt: salt, asked: begin(bypassing, salt)), lookup: nil)
    }
}
