import Tidemark
import TidemarkModel
import TidemarkTesting

/// Requests by the cache's host.
extension Simulation {
    func put(_ input: SimulationInput, _ name: String, _ query: ServerQuery) throws {
        let racing = traits.asksRacing ? input.number : nil
        guard process != nil, let library = server.library(name), let key = Self.key(query, name),
            case .success(let (result, answered)) = SimulatedServer.answer(query, library, racing: racing)
        else { return }
        var given = answered
        guard place(&given) else { return }
        given.askedAfter = truth.libraries[name]?.leftLogCount ?? 0
        for (id, _) in given.entities { accounts[name, default: DeliveryAccount()].touch(id, given.sequence) }
        // Events in progress may be stored before the result or after it, and make it stale.
        let isAlone = underway.isEmpty && !executor.isLaneStalled
        trace?("    < \(name) \(query) at \(given.sequence): \(given.entities.map { "\($0.id) \($0.fields)" })")
        let outcome = try call { cache -> CacheError? in
            do throws(CacheError) {
                try await cache.store(result, for: key)
                return nil
            } catch {
                return error
            }
        }
        follow(
            Underway(
                name: "put", input: input.number, isDelivery: false, lays: nil, isDone: { outcome.value != nil },
                effect: { [self, given] truth, isCertain in recordAnswer(given, isCertain: isCertain, &truth) },
                finish: { [given] world, isSure in
                    guard outcome.value == .some(nil) else { return }
                    world.server.with {
                        $0.questions.listed.append(
                            QuestionDesk.Listed(
                                library: name, query: query, question: given.question, ids: given.entities.map(\.id)))
                    }
                    world.recordAnswer(given, isCertain: isSure, &world.truth)
                    guard query == .all, isAlone, world.current?.number == input.number else { return }
                    world.fresh.insert(name)
                    world.lostWhenFresh[name] = nil
                }))
    }

    func fetch(_ input: SimulationInput, _ name: String, _ query: ServerQuery) throws {
        guard process != nil, let key = Self.key(query, name) else { return }
        let reply = Outcome<Bool>()
        let earliest = questions.mustAskAfter(name)
        _ = try call { cache in
            await cache.read(
                QueryRequest(key, policy: .networkOnly), observing: nil,
                reply: { if case .success = $0 { reply.set(true) } else { reply.set(false) } })
        }
        follow(
            Underway(
                name: "fetch", input: input.number, isDelivery: false, lays: nil, isDone: { reply.value != nil },
                effect: { _, _ in },
                finish: { world, _ in
                    guard reply.value == true, query != .local, world.traits.asksRacing,
                        let last = world.server.with({ $0.questions.last[name]?[query] }), last <= earliest
                    else { return }
                    world.noted =
                        world.noted
                        ?? SimulationFailure(
                            "a reader of \(name) \(query) got the answer to question \(last), "
                                + "and what happened after \(earliest) made it old (L12)")
                }))
    }

    func observe(_ name: String, _ query: ServerQuery) throws {
        guard let process, subscriptions.count < 12, let key = Self.key(query, name) else { return }
        let sinks = [process.sink, process.slowSink]
        for sink in sinks {
            let made = Outcome<SubscriptionID?>()
            _ = try call { cache in
                var request = QueryRequest(key, policy: .cacheOnly)
                request.allowsStale = true
                await cache.read(
                    request, observing: sink,
                    reply: { result in
                        guard case .success(let reply) = result, let id = reply.subscription else {
                            return made.set(nil)
                        }
                        sink.begin(id, reply.answer.entities, isStale: reply.answer.isStale)
                        made.set(id)
                    })
            }
            guard let id = made.value ?? nil, sink === process.sink else { continue }
            subscriptions.append((name, query, id))
        }
    }

    func cancel(_ random: inout SeededGenerator) throws {
        guard process != nil, !subscriptions.isEmpty else { return }
        let subscription = subscriptions.remove(at: random.below(subscriptions.count))
        let outcome = try call { cache -> CacheError? in
            do throws(CacheError) {
                try await cache.cancel(subscription.id)
                return nil
            } catch {
                return error
            }
        }
        if let error = outcome.value ?? nil {
            throw SimulationFailure("an observer cannot be cancelled: \(error) (L6)")
        }
        process?.sink.forget(subscription.id)
    }

    /// Stops or resumes the slow observer.
    func stall(_ random: inout SeededGenerator) throws {
        guard let sink = process?.slowSink else { return }
        let room = random.pick([0, 0, 1, nil])
        sink.setRoom(room)
        if room == nil { _ = try call { await $0.resume(sink) } }
    }

    func invalidate(_ name: String, _ random: inout SeededGenerator) throws {
        fresh.remove(name)
        let count = server.with { $0.questions.count }
        var invalidation = Invalidation(library: ByteString(name))
        if random.chance(500) { invalidation.resourceType = "file" }
        let outcome = try call { [invalidation] cache -> CacheError? in
            do throws(CacheError) {
                _ = try await cache.invalidate(invalidation)
                return nil
            } catch {
                return error
            }
        }
        if let error = outcome.value ?? nil { throw SimulationFailure("nothing can be invalidated: \(error) (L10)") }
        questions.staled(name, after: count)
    }

    func remove(_ input: SimulationInput, _ name: String, _ random: inout SeededGenerator) throws {
        guard process != nil, let known = ids[name], !known.isEmpty else { return }
        let id = random.pick(known)
        fresh.remove(name)
        trace?("    \(name) \(id)")
        let outcome = try call { cache -> Bool in
            var removal = Removal(library: ByteString(name))
            removal.resourceType = "file"
            removal.ids = [ByteString(id)]
            do throws(CacheError) {
                _ = try await cache.remove(removal)
                return true
            } catch {
                return false
            }
        }
        follow(
            Underway(
                name: "remove", input: input.number, isDelivery: false, lays: nil, isDone: { outcome.value != nil },
                effect: { [self] truth, isCertain in
                    forget(name, truth)
                    truth.libraries[name]?.remove(id, isCertain: isCertain)
                },
                finish: { world, _ in
                    world.forget(name, world.truth)
                    world.truth.libraries[name]?.remove(id, isCertain: false)
                    world.questions.rewrote(name, id)
                }))
    }

    /// Records that entities of a library may have been removed on request.
    func forget(_ name: String, _ truth: WorldTruth) {
        guard let library = server.library(name) else { return }
        let last = max(library.last, truth.libraries[name]?.cursor ?? -1)
        accounts[name, default: DeliveryAccount()].forget(through: last)
    }

    func flush(_ input: SimulationInput) throws {
        guard process != nil else { return }
        let outcome = try flushCache()
        // The call makes everything before this input durable; the input itself may add more.
        let before = snapshots.last?.input ?? -1
        follow(
            Underway(
                name: "flush", input: input.number, isDelivery: false, lays: nil, isDone: { outcome.value != nil },
                effect: { _, _ in },
                finish: { world, _ in if outcome.value == true { world.acknowledge(before) } }))
    }

    /// Flushes the cache.
    ///
    /// - Returns: True once it has ended well, false if the disk failed.
    func flushCache() throws -> Outcome<Bool> {
        try call { cache in
            do throws(StorageError) {
                try await cache.flush()
                return true
            } catch {
                return false
            }
        }
    }
}
