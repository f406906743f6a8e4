import TidemarkModel
import TidemarkStore

/// Where a selection's candidates are read from.
enum CandidateSource {
    /// All entities of the type, in key order.
    case scan
    /// The values of an index within some ranges, read in order.
    case walk(FieldIndexRecord, [CodeRange], isDescending: Bool)
    /// The entities within some ranges of an index, sorted after reading.
    case range(FieldIndexRecord, [CodeRange])
}

/// Chooses where a selection's candidates are read from, by the number of entities to read.
///
/// The counts are read from the indexes themselves, each up to a bound. The planner assumes that matches are spread
/// evenly among the entities read. A wrong choice costs time and never changes the result.
struct SelectionPlanner {
    /// The most candidates in memory at once, with 24 bytes and an id each.
    static let candidateCountMax: Int64 = 1_000_000
    /// The most ranges that are read one by one, over all libraries.
    private static let rangeCountMax = 16_384
    /// The number of entities up to which reading by key is as fast as a scan. Beyond it a scan is faster, because its
    /// next row is beside the last one.
    private static let keyCountMax = 1_000.0

    let groups: FieldGroupReader
    /// The complete indexes of the type.
    let indexes: [FieldIndexRecord]
    let libraries: [LibraryIndex]
    /// The number of entities in these libraries, of all types.
    let entityCount: Int64

    /// An index, with the rule's condition on its field.
    private struct Choice {
        var index: FieldIndexRecord
        /// The ranges of values that the rule allows; nil when it has no condition on the field.
        var ranges: [CodeRange]?
        /// The number of rows in the ranges, up to the bound.
        var count: Double
        var isBounded: Bool
    }

    /// Returns the cheapest source for a rule.
    ///
    /// - Parameters:
    ///   - rule: The rule that the selection tests.
    ///   - countMax: The most matches wanted.
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(a quarter of the entities) steps of SQLite's index, for each index that the rule names.
    func source(of rule: Membership, countMax: Int) throws -> CandidateSource {
        let total = Double(max(1, entityCount))
        let constraint = rule.constraint
        let bound = min(max(10_000, entityCount / 4), Self.candidateCountMax)
        let choices = try indexes.map { try choice($0, constraint, bound: bound) }
        let matches = choices.map(\.count).min().map { min($0, total) } ?? total
        let wanted = Double(countMax)
        /// Estimates how many of `count` entities are read until enough of them match.
        func read(of count: Double) -> Double { min(count, wanted * count / max(1, min(matches, count))) }

        func keyCost(of count: Double) -> Double { count + max(0, count - Self.keyCountMax) }

        var best = CandidateSource.scan
        // Without an order of its own, a scan ends with the page. How soon that is can only be estimated with an index,
        // or when the rule has no condition.
        let isKnown = rule.takesAll || choices.contains { $0.ranges != nil }
        var cost = rule.orderCount == 0 && isKnown ? read(of: total) : total
        for choice in choices {
            if let walk = walk(choice, rule) {
                var walkCost = keyCost(of: read(of: choice.count))
                // The entities of each value are all read before the next component of the order sorts them.
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

    private func walk(_ choice: Choice, _ rule: Membership) -> CandidateSource? {
        if let isDescending = rule.leadingDirection(of: choice.index.path) {
            return .walk(choice.index, choice.ranges ?? [.all], isDescending: isDescending)
        }
        // The entities of a single value are in key order.
        guard rule.orderCount == 0, let ranges = choice.ranges, ranges.count <= 1, ranges.first?.isPoint ?? true else {
            return nil
        }
        return .walk(choice.index, ranges, isDescending: false)
    }
}
