import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

/// Operations as text, performed on a cache.
extension QueryFixture {
    static func key(_ name: ReferenceQueryName) throws -> QueryKey {
        try QueryKey(library: ByteString(name.library), method: ByteString(name.method), input: name.input)
    }

    /// Performs an operation.
    ///
    /// - Parameter replies: The replies of fetches under way.
    func perform(
        _ operation: CacheOperation, _ replies: inout [ReferenceQueryName: Reply]
    ) async throws -> CacheOutcome {
        switch operation {
        case .event(let event): try await input.feed([event.line])
        case .eventBehindGap(let event):
            try await input.feed([event.line])
            try await cache.endOfInput()
        case .put(let name, let answer):
            let (key, result) = (try QueryFixture.key(name), result(answer))
            return await outcome(refusedAs: .limitExceeded) { () throws(CacheError) in
                try await cache.store(result, for: key)
            }
        case .beginFetch(let name):
            let reply = Reply()
            let asked = await upstream.asked.count
            await cache.read(
                QueryRequest(try QueryFixture.key(name), policy: .networkOnly), observing: nil,
                reply: { reply.take($0, nil) },
                later: { _ in })
            await upstream.waitForQuestions(asked + 1)
            replies[name] = reply
        case .answer(let name, let answer):
            let waiting = replies.removeValue(forKey: name)
            let reply = try #require(waiting)
            await upstream.answer(.success(result(answer)), to: try QueryFixture.key(name))
            #expect(await eventually { reply.isThere })
            guard case .success? = reply.replies.first else { return .refused }
        case .transact(let library, let steps):
            let operations = steps.map { self.operation($0) }
            return await outcome(refusedAs: .invalidParams) { () throws(CacheError) in
                try await cache.transact(operations, library: ByteString(library))
            }
        case .remove(let library, let type, let ids):
            var removal = Removal(library: ByteString(library))
            removal.resourceType = ByteString(type)
            removal.ids = Set(ids).map { ByteString($0) }
            return .count(try await cache.remove(removal))
        case .clear(let library): try await cache.clear(library: library.map { ByteString($0) })
        case .invalidate(let library, let name, let type, let hints):
            var invalidation = Invalidation(library: ByteString(library))
            invalidation.method = name.map { ByteString($0.method) }
            invalidation.input = name.map { ByteString($0.input) }
            invalidation.resourceType = type.map { ByteString($0) }
            invalidation.hints = hints.map { Array($0.utf8) }
            return .count(try await cache.invalidate(invalidation))
        case .wait(let milliseconds): clock.advance(milliseconds: milliseconds)
        case .echo(let event, let mutationID): try await input.feed([event.line(mutationID: mutationID)])
        case .update(let layer):
            let update = OptimisticUpdate(
                pendingID: ByteString(layer.pendingID), library: ByteString(layer.library),
                operations: layer.steps.map { self.operation($0) }, dependsOn: layer.dependsOn.map { ByteString($0) })
            return await outcome { () throws(CacheError) in try await cache.update(update) }
        case .commit(let given):
            var commit = OptimisticCommit(pendingID: ByteString(given.pendingID))
            commit.library = given.library.map { ByteString($0) }
            commit.confirmed = given.confirmed?.map { Array($0.utf8) }
            commit.resourceType = given.type.map { ByteString($0) }
            commit.sequence = given.sequence.map { EventSequence($0) }
            for (temporary, real) in given.realIDs { commit.realIDs[ByteString(temporary)] = ByteString(real) }
            return await outcome { [commit] () throws(CacheError) in try await cache.commit(commit) }
        case .rollBack(let pendingID, let library):
            return await outcome { () throws(CacheError) in
                try await cache.rollBack(ByteString(pendingID), library: library.map { ByteString($0) })
            }
        }
        return .done
    }

    private func outcome(_ body: () async throws(CacheError) -> Void) async -> CacheOutcome {
        do throws(CacheError) {
            try await body()
            return .done
        } catch {
            return .failed(error.code.rawValue)
        }
    }

    private func outcome(
        refusedAs code: CacheError.Code, _ body: () async throws(CacheError) -> Void
    ) async -> CacheOutcome {
        do throws(CacheError) {
            try await body()
            return .done
        } catch {
            #expect(error.code == code)
            return .refused
        }
    }

    private func operation(_ step: CacheStep) -> TransactionOperation {
        switch step {
        case .put(let type, let resource): .put(type: ByteString(type), resource: Array(resource.utf8))
        case .patch(let type, let id, let fields, let unset):
            .patch(
                type: ByteString(type), id: ByteString(id), fields: Array(fields.utf8),
                unset: unset.map { ByteString($0) })
        case .delete(let type, let id): .delete(type: ByteString(type), id: ByteString(id))
        case .removeField(let type, let id, let field):
            .removeField(type: ByteString(type), id: ByteString(id), field: ByteString(field))
        }
    }

    private func result(_ answer: CacheAnswer) -> QueryResult {
        var result = QueryResult(
            resourceType: ByteString(answer.type), resources: answer.resources.map { Array($0.utf8) })
        result.included = answer.included.map {
            QueryResult.Included(resourceType: ByteString($0.type), resources: $0.resources.map { Array($0.utf8) })
        }
        result.timeToLive = answer.timeToLive.map { .milliseconds($0) }
        result.asOf = answer.asOf.map { EventSequence($0) }
        result.membership = answer.rule.map { Array($0.utf8) }
        result.tags = answer.tags.map { Array($0.utf8) }
        result.isLocal = answer.isLocal
        return result
    }
}
