import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// Responses that are no confirmation: each replaces the stored one, removes it, changes a part of it, or leaves it.
extension StoringState {
    // MARK: A part of the stored response

    /// Combines a partial response with the stored one, if they belong together.
    mutating func combine() -> Step {
        guard completed.head.status == 206 else { return lookForGet() }
        guard let place = ContentRange.of(completed.head.fields), place.bounds.count == completed.content.bytes?.count
        else {
            // A partial response that is shorter than its head says is passed on and not stored.
            storing = .leave
            return lookForGet()
        }
        guard storing == .store, let found,
            let (bounds, _) = RangeRules.combined(found.answer.head, with: completed.head),
            bounds.count <= settings.defaults.bodyByteCountMax
        else { return lookForGet() }
        phase = .combining
        return Step(action: .read(found))
    }

    /// - Parameter old: The stored body; nil if it is damaged.
    mutating func combine(with old: [UInt8]?) -> Step {
        guard let old, let combined = completed.combined(with: old, of: found) else { return lookForGet() }
        phase = .writingCombination
        let change = HTTPResponseStore.storing(combined, question, normalized: nil, replacing: replaced)
        return Step(action: .write(.changes([change])))
    }

    /// Looks up the response to GET that a response to HEAD refreshes or outdates.
    ///
    /// - Source: RFC 9111, section 4.3.5.
    mutating func lookForGet() -> Step {
        guard fetch.request.method == "HEAD", completed.head.status == 200 else { return replace() }
        phase = .lookingForGet
        return Step(action: .look(ofGet))
    }

    private var ofGet: HTTPFetch {
        var ofGet = fetch
        ofGet.request.method = "GET"
        return ofGet
    }

    mutating func refresh(_ stored: Found?) -> Step {
        guard var refreshed = stored else { return replace() }
        if refreshed.answer.head.agrees(withHead: completed.head),
            refreshed.confirm(by: completed.stored, for: ofGet.request.fields, salt: question.salt),
            !StorageRules.forbidsStoring(refreshed.answer.head.head.fields, ofGet.rules)
        {
            changes.append(
                .update(
                    number: refreshed.record.number, head: refreshed.answer.bytes,
                    answeredAt: completed.stored.answeredAt))
        } else {
            changes.append(.remove([refreshed.record.number]))
        }
        return replace()
    }

    // MARK: The whole of it

    private mutating func replace() -> Step {
        let isTooLong =
            !completed.content.isKept || completed.content.byteCount > settings.defaults.bodyByteCountMax
        // Even if a body is too long to be stored, it outdates the stored one.
        if storing == .store, isTooLong { storing = .remove }
        if storing == .remove { changes.append(.remove(replaced)) }
        guard completed.head.status == 404 || completed.head.status == 410, fetch.request.isSafe, begun != nil,
            let found, found.answer.normalized != nil
        else { return lookForEqual() }
        phase = .readingGone
        return Step(action: .read(found))
    }

    /// Deletes the single entity of a URL's stored response after a 404 or 410.
    ///
    /// - Parameter body: The stored body; nil if it is damaged.
    mutating func delete(_ body: [UInt8]?, _ facts: Facts) -> Step {
        guard let body, let mark = found?.answer.normalized else { return lookForEqual() }
        do throws(CacheError) {
            let normalization = try HTTPNormalization(spec: mark.spec, limits: settings.limits)
            guard let gone = normalization.singleEntity(body, library: fetch.library) else { return lookForEqual() }
            return write(.deletion(gone, asOf: sequence(completed.head), changes), .changes)
        } catch {
            return fail(error, facts)
        }
    }

    /// Reads the stored body if the new one may be equal. It then renews the entities as a 304 does, unless the new
    /// response names a later position: it is then stored like any other.
    private mutating func lookForEqual() -> Step {
        guard storing == .store, begun != nil, completed.head.status == 200, let found,
            found.answer.head.head.status == 200, let mark = found.answer.normalized,
            fetch.normalization.map({ $0.spec == mark.spec }) ?? true, let new = completed.content.bytes,
            found.record.byteCount == Int64(new.count), !isLater(than: mark)
        else { return store() }
        phase = .comparing
        return Step(action: .read(found))
    }

    private func isLater(than mark: StoredResponseHead.Normalized) -> Bool {
        guard let named = sequence(completed.head) else { return false }
        return mark.asOf.map { named > $0 } ?? true
    }

    mutating func compare(_ old: [UInt8]?, _ facts: Facts) -> Step {
        guard let old, old == completed.content.bytes, let mark = found?.answer.normalized else { return store() }
        changes.append(HTTPResponseStore.storing(completed, question, normalized: mark, replacing: replaced))
        completed.isStored = true
        return renew(old, mark, facts)
    }

    /// Writes a response and its entities in one transaction.
    private mutating func store() -> Step {
        var normalized: StoredResponseHead.Normalized?
        var result: QueryResult?
        if let normalization = fetch.normalization, let begun, (200..<300).contains(completed.head.status),
            completed.head.status != 206, let body = completed.content.bytes
        {
            switch normalization.made(of: body) {
            case .success(var made):
                made.asOf = sequence(completed.head)
                normalized = .init(spec: normalization.spec, asOf: made.asOf ?? begun.cursor)
                result = made
            case .failure(let failure): completed.normalized = .error(failure.message)
            }
        }
        if storing == .store {
            changes.append(
                HTTPResponseStore.storing(completed, question, normalized: normalized, replacing: replaced))
        }
        guard let result else { return write(.changes(changes), .response(entityCount: nil)) }
        return write(.entities(result, changes), .response(entityCount: result.resourceCount))
    }
}

extension CompletedExchange {
    /// Returns the response with the bytes of a stored one beside its own; nil if they do not belong together.
    ///
    /// - Parameter old: The stored body.
    func combined(with old: [UInt8], of found: HTTPResponseStore.Found?) -> CompletedExchange? {
        guard let found, let new = content.bytes, let place = ContentRange.of(head.fields),
            let (bounds, total) = RangeRules.combined(found.answer.head, with: head)
        else { return nil }
        let oldPlace = ContentRange.of(found.answer.head.head.fields)
        let oldStart = found.answer.head.head.status == 200 ? 0 : oldPlace?.bounds.lowerBound ?? 0
        var body = [UInt8](repeating: 0, count: bounds.count)
        let oldOffset = Int(oldStart - bounds.lowerBound)
        body.replaceSubrange(oldOffset..<(oldOffset + old.count), with: old)
        let newOffset = Int(place.bounds.lowerBound - bounds.lowerBound)
        body.replaceSubrange(newOffset..<(newOffset + new.count), with: new)
        var combined = self
        combined.content = .bytes(body)
        combined.stored.byteCount = Int64(body.count)
        if bounds == 0..<total {
            combined.stored.head.status = 200
            combined.stored.head.reason = "OK"
            combined.stored.head.fields.remove("content-range")
        } else {
            combined.stored.head.fields.set("Content-Range", ContentRange(bounds: bounds, total: total).text)
        }
        combined.stored.head.fields.set("Content-Length", "\(body.count)")
        return combined
    }
}
