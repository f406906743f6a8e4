import TidemarkModel

/// The events of one library that anybody gave to the cache, and the keys that something else than its log wrote.
///
/// It tells which numbers the cache may pass, call lost and call found, without looking at an entity. It only grows:
/// after a crash it allows more than it must, never less. Laws: L1, L4.
package struct DeliveryAccount: Sendable {
    /// Sequences of usable events that a stream or an answer brought, by the server's log. Bounded by the inputs.
    private var given: [Int: Set<Int64>] = [:]
    /// The highest number of a write that answers, confirmations or lying lines did, or may have done, by entity.
    private var touched: [String: Int64] = [:]
    /// The highest number of a log when an entity was last removed by hand; -1: never.
    private var forgottenThrough: Int64 = -1

    package init() {}

    /// A usable event was given to the cache.
    package mutating func give(_ sequence: Int64, log: Int) { given[log, default: []].insert(sequence) }

    /// Notes that another source than the log may write an entity, under a number.
    package mutating func touch(_ id: String, _ sequence: Int64) {
        touched[id] = max(touched[id] ?? sequence, sequence)
    }

    /// An entity may be removed by hand: late events up to a number may be older than what was there.
    package mutating func forget(through sequence: Int64) { forgottenThrough = max(forgottenThrough, sequence) }

    /// Compares two places of the cache in one log.
    ///
    /// - Parameters:
    ///   - before: What was true when the cache was looked at last.
    ///   - after: What is true now, in the same log.
    /// - Returns: What is wrong; nil when nothing.
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

    /// Whether a late event must take effect, or be without any because of later ones, so that its number cannot stay
    /// lost.
    ///
    /// True when the order of the writes to each of its entities is known for certain: nothing but events of the log
    /// wrote it, and those above this one either left it alone or replaced it whole.
    ///
    /// - Parameters:
    ///   - library: What the cache must be; its cursor is past the event.
    ///   - mayEvict: Entities may be forgotten without a word.
    ///   - isThere: Whether the cache shows an entity.
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
            // An answer that holds an event already is laid over what was there before, and replaces nothing.
            case .replace: return isUntouched || merges.isEmpty && isThere(id) && last.sequence > touched[id] ?? -1
            // What a merge makes of nothing is no whole resource, and the delete below it is forgotten.
            case .delete: return isUntouched && merges.isEmpty
            case .merge: return false
            }
        }
    }
}

extension LibraryTruth {
    /// Whether a number was lost when the cache was looked at last.
    package func isLost(_ sequence: Int64) -> Bool { lost.contains { $0.contains(sequence) } }
}

extension ServerChange {
    fileprivate var isMerge: Bool {
        if case .merge = self { true } else { false }
    }
}
