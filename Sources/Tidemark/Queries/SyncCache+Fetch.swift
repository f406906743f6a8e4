import TidemarkModel
import TidemarkStore

/// A question to the upstream for queries: one for all who wait for the same answer.
struct Fetch {
    /// An answer that comes after another question was asked, or after the time was over, is not wanted.
    let attempt: UInt64
    let start: FetchStart
    var waiters: [FetchWaiter]
    let task: Task<Void, Never>
    let timer: Task<Void, Never>
}

extension SyncCache {
    /// Asks the upstream, or joins those who wait for the same answer.
    func fetch(_ waiter: FetchWaiter) {
        let key = waiter.request.key
        if fetches[key] != nil {
            fetches[key]?.waiters.append(waiter)
            return
        }
        guard let queryUpstream else {
            Task { await self.fail([waiter], "there is no upstream for queries") }
            return
        }
        guard fetches.count < configuration.fetchCountMax else {
            if waiter.fallsBack {
                Task { await self.fail([waiter], "\(configuration.fetchCountMax) fetches are under way") }
                return
            }
            return waiter.reply(
                .failure(CacheError(.limitExceeded, "\(fetches.count) fetches are under way: read again later")))
        }
        nextFetch += 1
        let attempt = nextFetch
        let limits = configuration.limits
        let task = Task {
            let result: Result<DecodedAnswer, CacheError>
            do throws(UpstreamError) {
                let answer = try await queryUpstream.fetch(key)
                do throws(CacheError) {
                    result = .success(try DecodedAnswer(answer, for: key, limits: limits))
                } catch {
                    result = .failure(CacheError(.upstreamFailed, "its answer cannot be used: \(error.message)"))
                }
            } catch {
                result = .failure(CacheError(.upstreamFailed, error.message))
            }
            await self.fetched(result, key, attempt)
        }
        let timeout = configuration.fetchTimeout
        let timer = Task { [clock] in
            do { try await clock.sleep(milliseconds: timeout) } catch { return }
            await self.fetchTimedOut(key, attempt)
        }
        fetches[key] = Fetch(
            attempt: attempt, start: state.beginFetch(in: key.library), waiters: [waiter], task: task, timer: timer)
    }

    private func takeFetch(_ key: QueryKey, _ attempt: UInt64) -> Fetch? {
        guard let fetch = fetches[key], fetch.attempt == attempt else { return nil }
        fetches[key] = nil
        fetch.timer.cancel()
        return fetch
    }

    private func fetchTimedOut(_ key: QueryKey, _ attempt: UInt64) async {
        guard let fetch = takeFetch(key, attempt) else { return }
        fetch.task.cancel()
        state.endFetch()
        await fail(fetch.waiters, "no answer within \(configuration.fetchTimeout) ms")
    }

    private func fetched(_ result: Result<DecodedAnswer, CacheError>, _ key: QueryKey, _ attempt: UInt64) async {
        guard let fetch = takeFetch(key, attempt) else { return }
        switch result {
        case .failure(let error):
            state.endFetch()
            await fail(fetch.waiters, error.message)
        case .success(let answer):
            let storing = fetch.waiters.filter(\.storesAnswer)
            for waiter in fetch.waiters where !waiter.storesAnswer { waiter.reply(.success(unstored(answer, waiter))) }
            if storing.isEmpty {
                state.endFetch()
                return
            }
            do throws(CacheError) {
                try await store(answer, start: fetch.start)
                state.endFetch()
            } catch {
                state.endFetch()
                if error.code == .storageFailed {
                    for waiter in storing { waiter.reply(.failure(error)) }
                } else {
                    await fail(storing, "its answer cannot be used: \(error.message)")
                }
                return
            }
            for waiter in storing {
                let miss = await self.answer(waiter.request, .any, source: .upstream, waiter.sink, waiter.reply)
                if let miss { waiter.reply(.failure(self.error(for: miss))) }
            }
        }
    }

    /// The upstream failed: some are content with the cache, the others hear both reasons.
    private func fail(_ waiters: [FetchWaiter], _ reason: String) async {
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
                        .upstreamFailed, "the upstream gave no answer (\(reason))\(cache): read again later",
                        reasons: reasons)))
        }
    }

    /// What an answer that is not stored gives its reader.
    private func unstored(_ answer: DecodedAnswer, _ waiter: FetchWaiter) -> QueryReply {
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
                entities.append(Selection.resource(Array(bytes[member.resource]), fields: fields))
            }
        }
        return QueryReply(
            answer: QueryAnswer(
                entities: entities, keys: keys, source: .upstream, isStale: false, asOf: answer.head.asOf,
                isPending: false), subscription: nil)
    }

    /// Nobody can answer any more: everybody who waits is told.
    package func failFetches(_ reason: String) async {
        let open = fetches.values.sorted { $0.attempt < $1.attempt }
        fetches.removeAll()
        for fetch in open {
            fetch.timer.cancel()
            fetch.task.cancel()
            state.endFetch()
            await fail(fetch.waiters, reason)
        }
    }
}
