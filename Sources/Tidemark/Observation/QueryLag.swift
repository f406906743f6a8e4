import TidemarkStore

/// What a slow observer of a list saw last, and what changed since.
///
/// As long as elements only look otherwise it is enough to know which, and where they stand. The list is copied when
/// the first element comes, goes or moves. One object that changes in place: a value would be copied with every change,
/// because whoever changes it looks at its observer meanwhile.
final class QueryLag {
    private struct Old {
        /// Of the resource as selected.
        var checksum: UInt64
        /// Where it stands while there is no base.
        var index: Int
    }

    /// What has to happen to an element's number, so that no other element gets it meanwhile.
    enum NumberChange: Equatable {
        case retain(UInt32)
        case release(UInt32)
    }

    /// Above the number of each lag that began before.
    let number: Int64
    /// What ``CacheState/unloggedCount(of:)`` was when it began.
    let unloggedCount: Int
    /// The elements that were seen, in order; nil while they are the same.
    private(set) var base: [UInt32]?
    /// By element that was seen and has changed since. Bounded by what was seen.
    private var olds: [UInt32: Old] = [:]
    /// Elements that were seen and are not there now; each retained. Bounded by what was seen.
    private(set) var left: Set<UInt32> = []
    /// Elements that are there now and were not seen. Bounded by the list.
    private(set) var added: Set<UInt32> = []
    /// Logged notifications that are kept together.
    var count = 0
    /// As the last of them says.
    var isStale: Bool
    /// Some element had to be loaded before it could be told of.
    var wasHeldBack = false

    init(number: Int64, unloggedCount: Int, isStale: Bool) {
        self.number = number
        self.unloggedCount = unloggedCount
        self.isStale = isStale
    }

    /// Elements whose former look is kept.
    var rememberedCount: Int { olds.count }

    /// The elements that were seen, to be given before the first step that is structural.
    func setBase(_ handles: [UInt32]) {
        precondition(base == nil, "a lag that has a base of \(base?.count ?? 0) elements was given another one")
        base = handles
    }

    /// Takes in what happened to the list.
    ///
    /// - Parameter checksum: Of a resource, as selected; asked only when it has to be noted.
    /// - Returns: What is to happen to the element's number.
    func absorb(_ step: ListStep, checksum: ([UInt8]) -> UInt64) -> NumberChange? {
        precondition(base != nil || !step.isStructural, "a lag without a base was told of \(step)")
        switch step {
        case .replace(let value, let index):
            note(value, at: index, checksum)
        case .remove(let value, let index):
            if added.remove(value.handle) != nil { return nil }
            note(value, at: index, checksum)
            left.insert(value.handle)
            return .retain(value.handle)
        case .add(let value, _):
            if left.remove(value.handle) != nil { return .release(value.handle) }
            added.insert(value.handle)
        case .move: break
        }
        return nil
    }

    private func note(_ value: ListedValue, at index: Int, _ checksum: ([UInt8]) -> UInt64) {
        guard number > value.knownBy, !added.contains(value.handle), olds[value.handle] == nil else { return }
        olds[value.handle] = Old(checksum: checksum(value.old), index: index)
    }

    /// What leads from what was seen to what there is.
    ///
    /// - Parameter after: The list now; asked only when there is a base.
    /// - Parameter checksum: Of an element's resource now, as selected.
    /// - Returns: As ``ListDifference/operations(from:to:isReplaced:)``.
    /// - Complexity: O(n log n) for n elements that changed while there is no base, otherwise that of the comparison.
    func operations(to after: () -> [UInt32], checksum: (UInt32) -> UInt64) -> [ListOperation<UInt32>] {
        if let base {
            return ListDifference.operations(from: base, to: after()) { handle in
                olds[handle].map { $0.checksum != checksum(handle) } ?? false
            }
        }
        return olds.filter { $0.value.checksum != checksum($0.key) }.sorted { $0.value.index < $1.value.index }
            .map { .replace($0.key, at: $0.value.index) }
    }
}
