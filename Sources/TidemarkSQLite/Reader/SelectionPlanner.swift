import TidemarkModel
import TidemarkStore

/// Where a selection's entities come from.
enum SelectionSource {
    /// All of the type, in key order.
    case scan
    /// The values of an index in some ranges, in order.
    case walk(FieldIndexRecord, [CodeRange], isDescending: Bool)
    /// What lies in some ranges of an index, put in order afterwards.
    case range(FieldIndexRecord, [CodeRange])
}

/// Chooses where a selection's entities come from, by how many have to be read.
///
/// Counts are taken from the indexes themselves, each up to a bound; that matches lie evenly among what is walked is a
/// guess. A wrong choice costs time and never changes what is found.
struct SelectionPlanner {
    /// Candidates that are held at once, 24 bytes and an id each.
    static let candidateCountMax: Int64 = 1_000_000
    /// Ranges that are looked at one by one, over all libraries.
    private static let rangeCountMax = 16_384
    /// Entities that are read by their keys as quickly as by a scan. Of more, a scan has the next row beside the last.
    private static let keyCountMax = 1_000.0

    let groups: FieldGroupReader
    /// Whole ones of the type.
    let indexes: [FieldIndexRecord]
    let libraries: [LibraryIndex]
    /// Entities of these libraries, of whatever type.
    let entityCount: Int64

    /// One index, and what the rule asks of its field.
    private struct Choice {
        var index: FieldIndexRecord
        /// nil: nothing is asked of it.
        var ranges: [CodeRange]?
        /// Rows in the ranges, up to the bound.
        var count: Double
        var isBounded: Bool
    }

    /// - Throws: ``SQLiteFailure``.
    /// - Complexity: O(a quarter of the entities) steps of SQLite's index, for each index that the rule names.
    func source(of rule: Membership, countMax: Int) throws -> SelectionSource {
        let total = Double(max(1, entityCount))
        let constraint = rule.constraint
        let bound = min(max(10_000, entityCount / 4), Self.candidateCountMax)
        let choices = try indexes.map { try choice($0, constraint, bound: bound) }
        let matches = choices.map(\.count).min().map { min($0, total) } ?? total
        let wanted = Double(countMax)
        /// Of so many, how many are read until enough of them match.
        func read(of count: Double) -> Double { min(count, wanted * count / max(1, min(matches, count))) }

        func keyCost(of count: Double) -> Double { count + max(0, count - Self.keyCountMax) }

        var best = SelectionSource.scan
        // In key order a scan ends with the page; how soon, only an index or the lack of a condition can tell.
        let isKnown = rule.takesAll || choices.contains { $0.ranges != nil }
        var cost = rule.orderCount == 0 && isKnown ? read(of: total) : total
        for choice in choices {
            if let walk = walk(choice, rule) {
                var walkCost = keyCost(of: read(of: choice.count))
                // Each value's entities are read to the last before the next component puts them in order.
                if rule.orderCount > 1 { walkCost = max(walkCost, choice.count / 10) }
                if walkCost <= cost { (best, cost) = (walk, walkCost) }
            }
            if let ranges = choice.ranges, !choice.isBounded {
                let readCount = rule.orderCount == 0 ? read(of: choice.count) : choice.count
                let rangeCost = keyCost(of: readCount) + choice.count / 50
                if rangeCost < cost { (best, cost) = (.range(choice.index, ranges), rangeCost) }
            }
        }
        return best
    }

    private func choice(_ index: FieldIndexRecord, _ constraint: FieldConstraint, bound: Int64) throws -> Choice {
        guard var ranges = constraint.ranges[index.path.text] else {
            return Choice(index: index, ranges: nil, count: Double(max(1, entityCount)), isBounded: true)
        }
        if ranges.count * libraries.count > Self.rangeCountMax { ranges = CodeRange.hull(ranges) }
        var count: Int64 = 0
        for library in libraries where count < bound {
            let scope = FieldScope(number: index.number, library: library)
            count += try groups.count(scope, in: ranges, countMax: bound - count)
        }
        return Choice(index: index, ranges: ranges, count: Double(count), isBounded: count >= bound)
    }

    private func walk(_ choice: Choice, _ rule: Membership) -> SelectionSource? {
        if let isDescending = rule.leadingDirection(of: choice.index.path) {
            return .walk(choice.index, choice.ranges ?? [.all], isDescending: isDescending)
        }
        // One value's entities come in key order.
        guard rule.orderCount == 0, let ranges = choice.ranges, ranges.count <= 1, ranges.first?.isPoint ?? true else {
            return nil
        }
        return .walk(choice.index, ranges, isDescending: false)
    }
}
