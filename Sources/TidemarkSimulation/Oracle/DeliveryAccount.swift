import TidemarkModel

/// The events of one library that were delivered to the cache, and the entities that other sources wrote.
///
/// From these it decides which sequences the cache may pass, report as lost, and report as found again, without looking
/// at entities. It only grows: after a crash it may accept too much, but never reports a false violation. Laws: L1, L4.
package struct DeliveryAccount: Sendable {
    /// The sequences of usable events that a stream or an answer delivered, by the server's log. Bounded by the inputs.
    private var given: [Int: Set<Int64>] = [:]
    /// The highest sequence at which an answer, a confirmation or a false line wrote an entity, or may have, by id.
    private var touched: [String: Int64] = [:]
    /// The end of the log when an entity was last removed on request; -1 for never.
    private var forgottenThrough: Int64 = -1

    /// Creates an empty account.
    package init() {}

    /// Records that a usable event was delivered.
    package mutating func give(_ sequence: Int64, log: Int) { given[log, default: []].insert(sequence) }

    /// Records that another source than the log may write an entity, at a sequence.
    package mutating func touch(_ id: String, _ sequence: Int64) {
        touched[id] = max(touched[id] ?? sequence, sequence)
    }

    /// Records that an entity may be removed on request: late events up to `sequence` may be older than what was
    /// stored.
    package mutating func forget(through sequence: Int64) { forgottenThrough = max(forgottenThrough, sequence) }

    /// Compares two positions of the cache in one log.
    ///
    /// - Parameters:
    ///   - before: The library at the previous check.
    ///   - after: The library now, in the same log.
    /// - Returns: The violation in words; nil if there is none.
    package func problem(from before: LibraryTruth, to after: LibraryTruth, _ log: ServerLog) -> String? {
        guard let first = before.cursor, let last = after.cursor else { return nil }
        if let range = after.lost.first(where: { $0.upperBound > last }) {
            return "\(range) are reported as lost, and its cursor is \(last) (L4)"
        }
        for range in after.lost where range.lowerBound <= first {
            let settled = range.lowerBound...min(range.upperBound, first)
            guard before.lost.contains(where: { $0.contains(settled.lowerBound) && $0.contains(settled.upperBound) })
            else { return "\(settled) are reported as lost, and were not when the cursor passed them (L4)" }
        }
        let found = before.lost.flatMap { log.events(after: $0.lowerBound - 1, through: $0.upperBound) }
        for event in found + log.events(after: first, through: last) {
            guard !after.isLost(event.sequence), !after.isDenied(event.sequence) else { continue }
            if event.isPoison { return "\(event.sequence) cannot be used, and is not reported as lost (L4)" }
            guard given[after.log]?.contains(event.sequence) == true else {
                return "\(event.sequence) was never delivered, and is not reported as lost (L4)"
            }
        }
        return nil
    }

    /// Returns true if a late event must either take effect or be superseded by later ones, so that its sequence must
    /// not stay lost.
    ///
    /// That is the case when the order of writes to each of its entities is certain: only events of the log wrote it,
    /// and later ones either left it alone or replaced it whole.
    ///
    /// - Parameters:
    ///   - library: The required state of the library; its cursor is past the event.
    ///   - mayEvict: True if entities may be evicted.
    ///   - isThere: Returns true if the cache shows an entity.
    package func mustTake(
        _ event: ServerEvent, _ library: LibraryTruth, _ log: ServerLog, mayEvict: Bool, isThere: (String) -> Bool
    ) -> Bool {
        guard !event.isPoison, let cursor = library.cursor else { return false }
        let above = log.events(after: event.sequence, through: cursor).filter { !$0.isPoison }
        let settled = above.filter { !library.isLost($0.sequence) && !library.isDenied($0.sequence) }
        return event.changes.allSatisfy { id, _ in
            let writes = above.filter { $0.changes.contains { $0.id == id } }
            let isUntouched = !mayEvict && touched[id] == nil && event.sequence > forgottenThrough
            if isUntouched, writes.isEmpty { return true }
            let own = settled.compactMap { other in
                other.changes.first { $0.id == id }.map { (sequence: other.sequence, change: $0.change) }
            }
            let merges = own.reversed().prefix { $0.change.isMerge }
            guard let last = own.dropLast(merges.count).last else { return false }
            switch last.change {
            // An answer that already includes an event is merged with what was stored before, and replaces nothing.
            case .replace: return isUntouched || merges.isEmpty && isThere(id) && last.sequence > touched[id] ?? -1
            // A merge into a missing entity gives no whole resource, and the delete before it is forgotten.
            case .delete: return isUntouched && merges.isEmpty
            case .merge: return false
            }
        }
    }
}

extension LibraryTruth {
    /// Returns true if a sequence was lost at the last check.
    package func isLost(_ sequence: Int64) -> Bool { lost.contains { $0.contains(sequence) } }
}

extension ServerChange {
    fileprivate var isMerge: Bool {
        if case .merge = self { true } else { false }
    }
}
