import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// Responses that confirm the stored one.
extension StoringState {
    mutating func confirm(_ stored: Found) -> Step {
        var confirmed = stored
        let isSelectable = confirmed.confirm(by: completed.stored, for: fetch.request.fields, salt: question.salt)
        let isLast =
            !isSelectable || StorageRules.forbidsStoring(confirmed.answer.head.head.fields, fetch.rules)
        completed.outcome = .confirmed(confirmed, isLast: isLast)
        var step = isLast ? write(.changes(changes), .changes) : keep(confirmed)
        step.effects.insert(.accept(varying: confirmed.answer.variant.names), at: 0)
        return step
    }

    /// Stores a confirmation, with the entities of the response if there are any.
    private mutating func keep(_ confirmed: Found) -> Step {
        changes.append(
            .update(
                number: confirmed.record.number, head: confirmed.answer.bytes,
                answeredAt: completed.stored.answeredAt))
        completed.isStored = true
        let mark = confirmed.answer.normalized
        if begun != nil, let normalization = fetch.normalization, mark?.spec != normalization.spec {
            phase = .readingForEntities(confirmed)
            return Step(action: .read(confirmed))
        }
        guard begun != nil, mark != nil else { return write(.changes(changes), .confirmation(confirmed)) }
        phase = .readingForRenewal(confirmed)
        return Step(action: .read(confirmed))
    }

    /// Stores entities of a confirmed response that were not made of it before.
    mutating func makeEntities(of confirmed: Found, _ body: [UInt8]) -> Step {
        guard let normalization = fetch.normalization, let begun else {
            preconditionFailure("entities are made for a request that wants none")
        }
        let asOf = sequence(completed.head) ?? begun.cursor
        switch normalization.made(of: body) {
        case .success(var result):
            result.asOf = asOf
            let mark = confirmed.marked(.init(spec: normalization.spec, asOf: asOf))
            return write(.entities(result, changes + [mark]), .entitiesOfConfirmed(.entities(result.resourceCount)))
        case .failure(let failure): return withoutEntities(failure.message)
        }
    }

    mutating func withoutEntities(_ reason: String) -> Step {
        write(.changes(changes), .entitiesOfConfirmed(.error(reason)))
    }

    /// Renews the entities of a confirmed response, unless its body is damaged.
    mutating func renew(_ confirmed: Found, _ body: [UInt8]?, _ facts: Facts) -> Step {
        guard let body, let mark = confirmed.answer.normalized else {
            return write(.changes(changes), .confirmation(confirmed))
        }
        return renew(body, mark, facts)
    }

    /// Renews entities that were made of an equal body, as a 304 does.
    mutating func renew(_ body: [UInt8], _ mark: StoredResponseHead.Normalized, _ facts: Facts) -> Step {
        do throws(CacheError) {
            let normalization = try self.normalization(of: mark)
            switch normalization.made(of: body) {
            case .success(let result):
                let key = try normalization.query(of: fetch)
                return write(.renewal(result, key, asOf: mark.asOf, changes), .renewal)
            case .failure(let failure):
                if fetch.normalization != nil { completed.normalized = .error(failure.message) }
                return write(.changes(changes), .changes)
            }
        } catch {
            return fail(error, facts)
        }
    }

    /// Returns the request's normalization; if it has none, the one that the stored response was normalized with.
    private func normalization(of mark: StoredResponseHead.Normalized) throws(CacheError) -> HTTPNormalization {
        if let wanted = fetch.normalization { return wanted }
        return try HTTPNormalization(spec: mark.spec, limits: settings.limits)
    }

    /// Returns the position in the log that a response names in its header; nil if there is none.
    func sequence(_ head: ResponseHead) -> EventSequence? { settings.defaults.sequence(head) }
}
