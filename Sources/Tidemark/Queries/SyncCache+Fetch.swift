import TidemarkModel
import TidemarkStore

/// A request to the upstream for a query. All readers that wait for the same response share it until they have that
/// response.
struct Fetch {
    let key: QueryKey
    /// The number of the attempt, so that a response after the timeout is ignored.
    let attempt: UInt64
    /// The state when it began. What happens from then on decides how its response is stored.
    let start: FetchStart
    /// When it began, in milliseconds since 1970.
    let begunAt: Int64
    var waiters: [FetchWaiter]
    /// The task that asks, stores the response, and passes it to the waiters.
    let task: Task<Void, Never>
    let timer: Task<Void, Never>
    /// The response while it is being stored; nil before it arrives.
    var answer: DecodedResponse?
}

extension SyncCache {
    /// Asks the upstream, or joins the readers that wait for the same response.
    ///
    /// A reader that arrives while the response is being stored joins too: the upstream has just been asked, and has
    /// nothing newer. A reader that arrives after something that the response cannot include starts a new request.
    func fetch(_ waiter: FetchWaiter) {
        guard !isSuspended else { return waiter.reply(.failure(CacheError(SyncCache.suspendedRefusal))) }
        let key = waiter.request.key
        switch fetches.join(waiter, mayJoin: { state.mayJoin(key, since: $0) }) {
        case .joined: return
        case .answered(let answer): return waiter.reply(.success(unstored(answer, waiter)))
        case .none: break
        }
        guard let queryUpstream else {
            spawn { await self.fail([waiter], "there is no upstream for queries") }
            return
        }
        guard fetches.count < configuration.fetchCountMax else {
            if waiter.fallsBack {
                let reason = "\(configuration.fetchCountMax) fetches are under way"
                spawn { await self.fail([waiter], reason) }
                return
            }
            return waiter.reply(
                .failure(CacheError(.limitExceeded, "\(fetches.count) fetches are under way: read again later")))
        }
        let attempt = fetches.newAttempt()
        let limits = configuration.limits
        let task = spawn {
            let result: Result<DecodedResponse, CacheError>
            do throws(UpstreamError) {
                let answer = try await queryUpstream.fetch(key)
                do throws(CacheError) {
                    result = .success(try DecodedResponse(answer, for: key, limits: limits))
                } catch {
                    result = .failure(CacheError(.upstreamFailed, "its answer cannot be used: \(error.message)"))
                }
            } catch {
                result = .failure(CacheError(.upstreamFailed, error.message))
            }
            await self.untilActive()
            await self.fetched(result, key, attempt)
        }
        let timeout = configuration.fetchTimeout.wholeMilliseconds
        let timer = spawn { [clock] in
            do { try await clock.sleep(milliseconds: timeout) } catch { return }
            await self.fetchTimedOut(attempt)
        }
        fetches.begin(
            Fetch(
                key: key, attempt: attempt, start: beginFetch(attempt, key), begunAt: clock.now(), waiters: [waiter],
                task: task, timer: timer))
    }

    /// Ends a fetch without a response.
    ///
    /// - Returns: nil when the response has arrived, or when the fetch has ended.
    private func takeUnanswered(_ attempt: UInt64) -> Fetch? {
        guard let fetch = fetches.takeUnanswered(attempt) else { return nil }
        fetch.timer.cancel()
        endFetch(attempt, fetch.key)
        return fetch
    }

    /// Records in the state that a fetch is under way.
    func beginFetch(_ attempt: UInt64, _ key: QueryKey) -> FetchStart {
        recorded(.fetch(attempt, library: key.library), of: key.library, at: clock.now()) {
            state.beginFetch(in: key.library)
        }
    }

    func endFetch(_ attempt: UInt64, _ key: QueryKey) {
        recorded(.fetchEnd(attempt), of: key.library, at: clock.now()) { state.endFetch() }
    }

    private func fetchTimedOut(_ attempt: UInt64) async {
        let reason = "no answer within \(configuration.fetchTimeout.wholeMilliseconds) ms"
        fetches.noteEnd(of: attempt, at: clock.now(), failure: reason)
        guard let fetch = takeUnanswered(attempt) else { return }
        fetch.task.cancel()
        await fail(fetch.waiters, reason)
    }

    private func fetched(_ result: Result<DecodedResponse, CacheError>, _ key: QueryKey, _ attempt: UInt64) async {
        switch result {
        case .failure(let error):
            fetches.noteEnd(of: attempt, at: clock.now(), failure: error.message)
            guard let fetch = takeUnanswered(attempt) else { return }
            await fail(fetch.waiters, error.message)
        case .success(let answer):
            fetches.noteEnd(of: attempt, at: clock.now())
            guard let (fetch, isStored) = fetches.answered(answer, attempt) else { return }
            fetch.timer.cancel()
            for waiter in fetch.waiters where !waiter.storesAnswer { waiter.reply(.success(unstored(answer, waiter))) }
            if isStored {
                await storeFetched(answer, key, attempt, start: fetch.start)
            } else {
                endFetch(attempt, key)
            }
        }
    }

    /// Stores a response for the readers that wait for it; more may join meanwhile.
    private func storeFetched(
        _ answer: DecodedResponse, _ key: QueryKey, _ attempt: UInt64, start: FetchStart
    ) async {
        do throws(CacheError) {
            try await store(answer, start: start, fetch: attempt)
            endFetch(attempt, key)
        } catch {
            endFetch(attempt, key)
            let waiters = fetches.end(attempt)
            if error.isCleared { return giveUnstored(answer, to: waiters, error) }
            if error.code == .storageFailed {
                for waiter in waiters { waiter.reply(.failure(error)) }
            } else {
                await fail(waiters, "its answer cannot be used: \(error.message)", error.code)
            }
            return
        }
        await giveStored(to: fetches.takeWaiters(attempt))
        // Readers that joined meanwhile get the same response. A later reader begins a new fetch, so that a steady flow
        // of readers cannot keep one response forever.
        await giveStored(to: fetches.end(attempt))
    }

    /// Passes a response to its readers although nothing of it may be stored, because the cache was cleared meanwhile.
    /// Readers that would observe it get the error.
    private func giveUnstored(_ answer: DecodedResponse, to waiters: [FetchWaiter], _ error: CacheError) {
        for waiter in waiters {
            waiter.reply(waiter.sink == nil ? .success(unstored(answer, waiter)) : .failure(error))
        }
    }

    private func giveStored(to waiters: [FetchWaiter]) async {
        for waiter in waiters {
            let miss = await answer(waiter.request, .any, source: .upstream, waiter.sink, waiter.reply)
            if let miss { waiter.reply(.failure(error(for: miss))) }
        }
    }

    /// Fails a fetch. Some readers accept the cache's answer; the others get both reasons.
    ///
    /// - Parameter cause: `limitExceeded` when the upstream did respond, but the response exceeds a limit of the cache.
    private func fail(
        _ waiters: [FetchWaiter], _ reason: String, _ cause: CacheError.Code = .upstreamFailed
    ) async {
        for waiter in waiters {
            var cacheReason = waiter.cacheReason
            if waiter.fallsBack {
                let miss = await answer(waiter.request, .any, source: .cache, waiter.sink, waiter.reply)
                guard let miss else { continue }
                cacheReason = miss.reason
            }
            var reasons = ["upstream": reason]
            reasons["cache"] = cacheReason
            let cache = cacheReason.map { "; the cache has no answer (\($0))" } ?? ""
            waiter.reply(
                .failure(
                    CacheError(
                        cause == .limitExceeded ? .limitExceeded : .upstreamFailed,
                        "the upstream gave no answer (\(reason))\(cache): read again later",
                        reasons: reasons)))
        }
    }

    /// Returns the reply to a reader whose response is not stored.
    private func unstored(_ answer: DecodedResponse, _ waiter: FetchWaiter) -> QueryReply {
        let batch = answer.batch
        var keys: [EntityKey] = []
        var entities: [[UInt8]] = []
        batch.withBytes { bytes in
            guard let event = batch.events.first else { return }
            let type = ByteString(bytes[event.type])
            let ownType = configuration.typeAliases[type] ?? type
            let fields = fields(of: waiter.request, type: ownType)
            for member in batch.members[Int(event.firstMember)..<Int(event.firstMember + event.memberCount)]
            where member.reason == nil {
                let id = member.isUUID ? ByteString(member.uuid.text) : ByteString(bytes[member.id])
                keys.append(EntityKey(library: answer.head.key.library, type: ownType, id: id))
                entities.append(FieldSelection.resource(Array(bytes[member.resource]), fields: fields))
            }
        }
        return QueryReply(
            answer: QueryAnswer(
                entities: entities, keys: keys, source: .upstream, isStale: false, asOf: answer.head.asOf,
                isPending: false), subscription: nil)
    }

    /// Fails all fetches, because the upstream can no longer respond. Responses that have arrived are stored and read
    /// first.
    package func failFetches(_ reason: String) async {
        let open = fetches.all
        let answered = open.filter { $0.answer != nil }
        for fetch in open.compactMap({ takeUnanswered($0.attempt) }) {
            fetch.task.cancel()
            await fail(fetch.waiters, reason)
        }
        for fetch in answered { await fetch.task.value }
        for wing in wings.all { await wing.failFetches(reason, in: self) }
    }
}
