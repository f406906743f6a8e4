import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

@testable import TidemarkHTTP

/// The effects of a response written down as one goes through them, with calls that wait where they are needed: the
/// model of ``StoringState``, which does the same one event at a time.
struct NaiveStoring {
    private var world: StoringWorld
    private var done: CompletedExchange

    private var fetch: HTTPFetch { world.question.fetch }
    private var found: HTTPResponseStore.Found? { world.lookup?.found }

    static func run(_ world: StoringWorld) -> (CompletedExchange, [StoringWorld.Call]) {
        var model = NaiveStoring(world: world, done: world.completed)
        model.run()
        return (model.done, model.world.calls)
    }

    private mutating func run() {
        do throws(CacheError) {
            try store()
        } catch {
            done.isStored = false
            if fetch.normalization != nil { done.normalized = .error(error.message) }
            guard case .answered = done.outcome, !world.settings.isReturned, world.facts.mayStore,
                case .new(let storing) = outcome, storing != .leave, let old = world.lookup?.replaced, !old.isEmpty
            else { return }
            do throws(CacheError) { _ = try world.write(.changes([.remove(old)])) } catch {}
            return
        }
        if !world.facts.mayStore { (done.isStored, done.isOutdated) = (false, true) }
        if done.isStored { world.note(.changed) }
    }

    private var outcome: ResponseOutcome {
        ResponseRules.outcome(
            done.head, to: fetch.request, over: found?.answer.head, fetch.rules, isConditional: done.isConditional,
            isKeyed: fetch.isKeyed, at: done.stored.answeredAt)
    }

    private mutating func store() throws(CacheError) {
        let outcome = outcome
        if !world.facts.mayStore {
            done.isOutdated = true
            if outcome == .confirmed, let found { done.outcome = .confirmed(found, isLast: false) }
            if fetch.normalization != nil {
                done.normalized = .error(
                    "stored answers were removed, or a newer one came, while this one was on its way")
            }
            _ = try world.write(.changes(world.changes))
        } else if outcome == .confirmed, let found {
            try confirm(found)
        } else {
            try replace(outcome)
        }
    }

    // MARK: A confirmation

    private mutating func confirm(_ stored: HTTPResponseStore.Found) throws(CacheError) {
        var found = stored
        let isSelectable = found.confirm(by: done.stored, for: fetch.request.fields, salt: StoringWorld.salt)
        let isLast = !isSelectable || StorageRules.forbidsStoring(found.answer.head.head.fields, fetch.rules)
        done.outcome = .confirmed(found, isLast: isLast)
        world.note(.accept(found.answer.variant.names))
        if isLast {
            _ = try world.write(.changes(world.changes))
            return
        }
        let update = HTTPChange.update(
            number: found.record.number, head: found.answer.bytes, answeredAt: done.stored.answeredAt)
        let changes = world.changes + [update]
        done.isStored = true
        if world.begun != nil, let wanted = fetch.normalization, found.answer.normalized?.spec != wanted.spec {
            done.normalized = normalized(found, wanted, changes)
        } else if world.begun != nil, let mark = found.answer.normalized, let body = try world.read(found) {
            try renew(body, mark, changes)
        } else {
            _ = try world.write(.changes(changes))
            world.note(.noteConfirmation(found.record.number))
        }
    }

    private mutating func normalized(
        _ found: HTTPResponseStore.Found, _ wanted: HTTPNormalization, _ changes: [HTTPChange]
    ) -> HTTPFetched.Normalized {
        let asOf = world.settings.defaults.sequence(done.head) ?? world.begun?.cursor
        var made: Result<QueryResult, HTTPNormalization.Failure>
        do throws(CacheError) {
            made =
                try world.read(found).map { wanted.made(of: $0) }
                ?? .failure(.init(message: "the stored body is damaged"))
        } catch {
            made = .failure(.init(message: error.message))
        }
        do throws(CacheError) {
            switch made {
            case .success(var result):
                result.asOf = asOf
                var marked = found
                marked.answer.normalized = .init(spec: wanted.spec, asOf: asOf)
                let mark = HTTPChange.update(
                    number: found.record.number, head: marked.answer.bytes, answeredAt: found.answer.head.answeredAt)
                _ = try world.write(.entities(result, changes + [mark]))
                return .entities(result.resourceCount)
            case .failure(let failure):
                _ = try world.write(.changes(changes))
                return .error(failure.message)
            }
        } catch {
            return .error(error.message)
        }
    }

    private mutating func renew(
        _ body: [UInt8], _ mark: StoredResponseHead.Normalized, _ changes: [HTTPChange]
    ) throws(CacheError) {
        var normalization = try HTTPNormalization(spec: mark.spec, limits: Limits())
        if let wanted = fetch.normalization { normalization = wanted }
        switch normalization.made(of: body) {
        case .failure(let failure):
            if fetch.normalization != nil { done.normalized = .error(failure.message) }
            _ = try world.write(.changes(changes))
        case .success(let result):
            let key = try normalization.query(of: fetch)
            let count = try world.write(.renewal(result, key, asOf: mark.asOf, changes))
            if fetch.normalization != nil { done.normalized = .entities(count) }
        }
    }

    // MARK: Another response

    private mutating func replace(_ outcome: ResponseOutcome) throws(CacheError) {
        var changes = world.changes
        var storing = ResponseOutcome.Storing.leave
        if case .new(let decided) = outcome { storing = decided }
        if !world.facts.isDraftCurrent { storing = .leave }
        var replaced: [Int64] = []
        if storing != .leave {
            world.note(.accept(Vary.names(of: done.head.fields)))
            replaced = Set(world.lookup?.replaced ?? []).union(try world.look(fetch.request.method).replaced).sorted()
        }
        if done.head.status == 206 { storing = try combine(storing, replaced) }
        if fetch.request.method == "HEAD", done.head.status == 200 { changes += try ofHead() }
        let isTooLong =
            !done.content.isKept || done.content.byteCount > world.settings.defaults.bodyByteCountMax
        if storing == .store, isTooLong { storing = .remove }
        if storing == .remove { changes.append(.remove(replaced)) }
        if world.begun != nil, let gone = try gone() {
            _ = try world.write(.deletion(gone, asOf: world.settings.defaults.sequence(done.head), changes))
            return
        }
        if storing == .store, let mark = try equalMark() {
            changes.append(store(mark, replaced))
            done.isStored = true
            return try renew(done.content.bytes ?? [], mark, changes)
        }
        var mark: StoredResponseHead.Normalized?
        var result: QueryResult?
        if let wanted = fetch.normalization, let begun = world.begun, 200..<300 ~= done.head.status,
            done.head.status != 206, let body = done.content.bytes
        {
            switch wanted.made(of: body) {
            case .success(var made):
                made.asOf = world.settings.defaults.sequence(done.head)
                mark = .init(spec: wanted.spec, asOf: made.asOf ?? begun.cursor)
                result = made
            case .failure(let failure): done.normalized = .error(failure.message)
            }
        }
        if storing == .store { changes.append(store(mark, replaced)) }
        try write(changes, result)
        if storing == .store { done.isStored = true }
        if !world.facts.isDraftCurrent { done.isStored = false }
    }

    private func store(_ mark: StoredResponseHead.Normalized?, _ replaced: [Int64]) -> HTTPChange {
        HTTPResponseStore.storing(done, world.question, normalized: mark, replacing: replaced)
    }

    private mutating func write(_ changes: [HTTPChange], _ result: QueryResult?) throws(CacheError) {
        if let result {
            do throws(CacheError) {
                _ = try world.write(.entities(result, changes))
                done.normalized = .entities(result.resourceCount)
                return
            } catch {
                done.normalized = .error(error.message)
            }
        }
        _ = try world.write(.changes(changes))
    }

    private mutating func combine(
        _ storing: ResponseOutcome.Storing, _ replaced: [Int64]
    ) throws(CacheError) -> ResponseOutcome.Storing {
        guard let new = done.content.bytes, ContentRange.of(done.head.fields)?.bounds.count == new.count else {
            return .leave
        }
        guard storing == .store, let found,
            let (bounds, _) = RangeRules.combined(found.answer.head, with: done.head),
            bounds.count <= world.settings.defaults.bodyByteCountMax, let old = try world.read(found)
        else { return storing }
        // The stored part is the first half of the whole, and the new one the second.
        var whole = done
        whole.content = .bytes(old + new)
        whole.stored.byteCount = Int64(old.count + new.count)
        whole.stored.head.status = 200
        whole.stored.head.reason = "OK"
        whole.stored.head.fields.remove("content-range")
        whole.stored.head.fields.set("Content-Length", "\(old.count + new.count)")
        _ = try world.write(
            .changes([HTTPResponseStore.storing(whole, world.question, normalized: nil, replacing: replaced)]))
        done.isStored = true
        return .leave
    }

    private mutating func ofHead() throws(CacheError) -> [HTTPChange] {
        guard var found = try world.look("GET").found else { return [] }
        guard found.answer.head.agrees(withHead: done.head),
            found.confirm(by: done.stored, for: fetch.request.fields, salt: StoringWorld.salt),
            !StorageRules.forbidsStoring(found.answer.head.head.fields, fetch.rules)
        else { return [.remove([found.record.number])] }
        return [
            .update(number: found.record.number, head: found.answer.bytes, answeredAt: done.stored.answeredAt)
        ]
    }

    private mutating func gone() throws(CacheError) -> EntityKey? {
        guard [404, 410].contains(done.head.status), fetch.request.isSafe, let found,
            let mark = found.answer.normalized, let body = try world.read(found)
        else { return nil }
        return try HTTPNormalization(spec: mark.spec, limits: Limits()).singleEntity(body, library: "")
    }

    private mutating func equalMark() throws(CacheError) -> StoredResponseHead.Normalized? {
        guard world.begun != nil, done.head.status == 200, let found, found.answer.head.head.status == 200,
            let mark = found.answer.normalized, fetch.normalization == nil || fetch.normalization?.spec == mark.spec,
            let new = done.content.bytes, found.record.byteCount == Int64(new.count)
        else { return nil }
        if let named = world.settings.defaults.sequence(done.head) {
            guard let asOf = mark.asOf, named <= asOf else { return nil }
        }
        return try world.read(found) == new ? mark : nil
    }
}
