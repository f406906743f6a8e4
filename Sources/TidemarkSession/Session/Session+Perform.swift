import Logging
import Tidemark
import TidemarkHTTP
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension Session {
    func perform(_ request: Message.Request, _ responder: Responder, _ place: LinePlace?) async {
        if isReadOnly, let refusal = ReadOnlyMethods.refusal(of: request) {
            return await answer(.failure(refusal), responder)
        }
        do throws(MethodError) {
            if let refusal = outputQueue.observerRefusal, MethodReader.observes(request.method) {
                throw .params(refusal)
            }
            let method = try reader.method(of: request)
            do throws(CacheError) {
                if let result = try await perform(method, responder, place) {
                    await answer(.success(result), responder)
                }
            } catch {
                throw .params(error)
            }
        } catch {
            let answered: MessageError =
                switch error {
                case .unknownMethod: .methodNotFound(request.method)
                case .params(let error): MessageError(error)
                }
            if request.id == nil {
                logger.debug("the notification \(request.method) has no effect: \(answered.message)")
            }
            await answer(.failure(answered), responder)
        }
    }

    /// Performs a method.
    ///
    /// - Returns: The result; nil if the answer is sent separately.
    private func perform(
        _ method: Method, _ responder: Responder, _ place: LinePlace?
    ) async throws(CacheError) -> [UInt8]? {
        switch method {
        case .get(let request):
            return Answer.entity(try await cache.read(request))
        case .list(let type, let library, let after, let countMax):
            return Answer.page(
                try await cache.list(type: type, library: library, after: after, countMax: countMax))
        case .observeEntity(let request):
            await observe(request, responder)
            return nil
        case .transact(let operations, let library, let expecting):
            try await cache.transact(operations, library: library, expecting: expecting)
        case .remove(let removal):
            let count = try await cache.remove(removal)
            return Answer.object { $0.member("removed", count) }
        case .clear(let library, let withHTTP):
            // Noted first, so that nobody joins an older request and its response is not stored.
            if withHTTP { http?.noteRemoval(HTTPSelection(library: library)) }
            try await cache.clear(library: library)
            if withHTTP { _ = try await http?.invalidate(HTTPSelection(library: library)) }
        case .put(let result, let key):
            try await cache.store(result, for: key)
        case .read(let request):
            try await read(request, observing: nil, responder)
            return nil
        case .observeQuery(let request):
            try await read(request, observing: outputQueue, responder)
            return nil
        case .cancel(let subscription):
            if subscription.rawValue >= HTTPClient.firstSubscription, let http {
                httpSubscriptions.remove(subscription.rawValue)
                guard await http.cancel(subscription.rawValue) else {
                    throw CacheError(
                        .unknownSubscription,
                        "there is no subscription \(subscription.rawValue): it was cancelled, or never made")
                }
            } else {
                try await cache.cancel(subscription)
            }
        case .http(let method):
            try perform(method, responder)
            return nil
        case .invalidate(let invalidation):
            let count = try await cache.invalidate(invalidation)
            return Answer.object { $0.member("stale", count) }
        case .layer(let request):
            try await change(request, responder)
            return nil
        case .pending(let library):
            return Answer.pending(await cache.pendingLayers(library: library))
        case .outbox(.pause): await cache.pauseOutbox()
        case .outbox(.resume): await cache.resumeOutbox()
        case .outbox(.list(let library)): return Answer.outbox(await cache.outboxStatuses(library: library))
        case .graph(let method):
            return try await perform(method, responder)
        case .inspection(let method):
            return try await perform(method, responder)
        case .statistics:
            return Answer.statistics(await cache.statistics(), await cache.httpJournal.httpTotals())
        case .explain(let key, let maxAges):
            return Answer.explanation(try await cache.explain(key, maxAges: maxAges))
        case .flush:
            try waitForFlush(responder, place)
            return nil
        case .caughtUp(let sequence, let library):
            return try await reach(sequence, of: library, responder)
        case .initialize:
            return Answer.greeting
        }
        return Answer.empty
    }

    private func observe(_ request: EntityRequest, _ responder: Responder) async {
        await cache.observe(request, sink: outputQueue) { result in
            responder.answer(
                result.map { Answer.entity($0.0, subscription: $0.1) }.mapError { MessageError($0) })
        }
    }

    /// Reads a query. The cache answers now or when a fetch ends; until then the request counts as waiting.
    private func read(
        _ request: QueryRequest, observing sink: (any ObserverSink)?, _ responder: Responder
    ) async throws(CacheError) {
        let number = try waiting.add(responder, .query)
        await cache.read(request, observing: sink) { [waiting, cache, outputQueue] result in
            // An observer got all notifications in the same step. For a plain read, they must precede the answer: this
            // closure runs on the cache's executor, so nothing happens in between.
            if sink == nil { cache.assumeIsolated { $0.deliverAll(to: outputQueue) } }
            let outcome = result.map { Answer.query($0.answer, subscription: $0.subscription) }
            waiting.finish(number) { $0.answer(outcome.mapError { MessageError($0) }) }
        } later: { [outputQueue] result in
            outputQueue.append(answer: Session.line(of: result, to: request.key))
        }
    }

    /// Returns the `query.result` notification for the response that `cacheAndNetwork` fetches after its first answer.
    private static func line(of result: Result<QueryAnswer, CacheError>, to key: QueryKey) -> [UInt8] {
        MessageLine.notification("query.result") { line in
            line.member("method", Optional(key.method))
            line.member("input", json: Optional(key.input.bytes))
            line.member("library_id", Optional(key.library))
            switch result {
            case .success(let answer): line.query(answer)
            case .failure(let error): line.member("error", json: Optional(MessageError(error).json))
            }
        }
    }

    private func waitForFlush(_ responder: Responder, _ place: LinePlace?) throws(CacheError) {
        let number = try waiting.add(responder, .flush)
        let task = Task { [cache, outputQueue, waiting] in
            let outcome: Result<[UInt8], MessageError>
            do throws(StorageError) {
                if let place {
                    // Lines before the request's own are enough: its own line changes nothing.
                    try await cache.flush(through: place.line - 1, of: place.input)
                } else {
                    try await cache.flush()
                }
                outcome = .success(Answer.empty)
            } catch {
                let message = "nothing is written: \(error.message); it is tried again, so ask again later"
                outcome = .failure(MessageError(CacheError(.storageFailed, message)))
            }
            await cache.deliverAll(to: outputQueue)
            waiting.finish(number) { $0.answer(outcome) }
        }
        waiting.set(task, for: number)
    }

    /// Answers `cache.caught_up`.
    ///
    /// - Returns: The position, if the library has reached it already; nil if the answer is sent later.
    private func reach(
        _ sequence: EventSequence, of library: ByteString, _ responder: Responder
    ) async throws(CacheError) -> [UInt8]? {
        let status = await cache.status(of: library)
        if let cursor = status.cursor, cursor >= sequence { return Answer.place(status) }
        let number = try waiting.add(responder, .caughtUp(library: library))
        let task = Task { [cache, outputQueue, waiting] in
            let status = await cache.caughtUp(to: sequence, library: library)
            await cache.deliverAll(to: outputQueue)
            waiting.finish(number) { $0.answer(.success(Answer.place(status))) }
        }
        waiting.set(task, for: number)
        return nil
    }
}
