import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

extension HTTPClient {
    // MARK: Sending requests

    /// A request to be sent to the server, and why it is sent.
    struct Question: Sendable {
        var fetch: HTTPFetch
        var forward: CacheStatus.Forward
        var isConditional = false
        var salt: [UInt8]
        /// The position of the request in the order of all requests and removals.
        var asked: HTTPQuestion
        /// True if several requests may wait for the response, each with its own time limit.
        var isShared = false

        /// Returns the request without validators, to be sent as a new one.
        func again(_ asked: HTTPQuestion) -> Question {
            var question = self
            question.isConditional = false
            question.isShared = false
            question.asked = asked
            return question
        }
    }

    /// Revalidates in the background a response that was served stale.
    func askBeside(_ fetch: HTTPFetch, _ lookup: HTTPResponseStore.Lookup, _ salt: [UInt8]) {
        let question = Question(
            fetch: fetch, forward: .stale, isConditional: true, salt: salt, asked: begin(fetch, salt))
        spawn { [weak self] in
            do throws(CacheError) {
                _ = try await self?.ask(question, lookup: lookup)
            } catch {
                // The stale response was served; the next request asks again.
            }
        }
    }

    /// Starts a background task and keeps it until it ends or the client is closed.
    func spawn(_ body: @escaping @Sendable () async -> Void) {
        let number = nextTask
        nextTask += 1
        background[number] = Task {
            await body()
            self.ended(number)
        }
    }

    func ended(_ number: Int) { background[number] = nil }

    /// Cancels all exchanges and background tasks, and waits for the background tasks to end.
    package func close() async {
        let tasks = background.values
        for task in tasks { task.cancel() }
        for exchange in exchanges.values { exchange.task?.cancel() }
        for task in tasks { await task.value }
    }

    /// Sends a request, or joins an equal one under way, and returns the response that the rules choose.
    func ask(
        _ question: Question, lookup: HTTPResponseStore.Lookup?
    ) async throws(CacheError) -> HTTPFetched {
        let fetch = question.fetch
        let found = lookup?.found
        let validators = question.isConditional ? found?.validators : nil
        // A body that is read while it arrives has a single reader, so such a request does not share its exchange.
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

    /// Serves the stored response after an exchange failed, if the rules allow it; otherwise throws the error of the
    /// exchange.
    func fallBack(
        _ error: ExchangeError, _ question: Question, _ found: HTTPResponseStore.Found?
    ) async throws(CacheError) -> HTTPFetched {
        let now = clock.now()
        let fetch = question.fetch
        guard let found,
            ResponseRules.fallsBack(on: error.code, to: fetch.request, found.answer.head, fetch.rules, at: now)
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
                // The server has just confirmed it.
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
            // The body is damaged or was removed: ask again without validators to get the whole response.
            return try await ask(question.again(begin(fetch, question.salt)), lookup: nil)
        case .answered:
            if completed.head.status == 412, completed.isConditional, !fetch.request.isSafe {
                // RFC 9110, section 13.1.2: for methods other than GET and HEAD, 412 means that the validators matched
                // and nothing was done.
                return try await ask(question.again(begin(fetch, question.salt)), lookup: lookup)
            }
            if let found,
                case .fallBack = ResponseRules.outcome(
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
            // Conditions of the caller were sent to the server, so its response is returned unchanged.
            return fetched
        }
    }

    /// Sets the body of a new response in the form that the caller wants.
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

    /// Checks that the caller can take a body of this length.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if the caller cannot take it.
    static func checkCaller(_ byteCount: Int64, _ fetch: HTTPFetch) throws(CacheError) {
        guard let byteCountMax = fetch.answerByteCountMax, byteCount > byteCountMax else { return }
        throw CacheError(
            .limitExceeded, "the body has \(byteCount) bytes, and the caller takes \(byteCountMax): ask for ranges")
    }

    /// Sends a request without using the cache. If its storage is `disabled`, also removes the stored responses under
    /// its key.
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
