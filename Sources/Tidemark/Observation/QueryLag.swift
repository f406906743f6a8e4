import TidemarkStore

/// The last state of a list that a slow observer saw, and the changes since.
///
/// While only values of elements change, it is enough to know which elements changed and their indexes. The list is
/// copied when the first element is added, removed or moved. A class that changes in place: a value would be copied
/// with every change, because the caller that changes it also holds its observer.
final class QueryLag {
    private struct Old {
        /// The checksum of the resource that the observer saw, with the selected fields.
        var checksum: UInt64
        /// The element's index while there is no base.
        var index: Int
    }

    /// The change to an element's number that prevents another element from getting it meanwhile.
    enum NumberChange: Equatable {
        case retain(ListHandle)
        case release(ListHandle)
    }

    /// The lag's own number, above the number of each lag that began before.
    let number: Int64
    /// The value of ``CacheState/unloggedCount(of:)`` when the lag began.
    let unloggedCount: Int
    /// The elements that the observer saw, in order; nil while the list still has the same elements in the same order.
    private(set) var base: [ListHandle]?
    /// The elements that the observer saw and that have changed since. Bounded by the list that it saw.
    private var seenValues: [ListHandle: Old] = [:]
    /// The elements that the observer saw and that are not in the list now; each is retained. Bounded by the list that
    /// it saw.
    private(set) var left: Set<ListHandle> = []
    /// The elements that are in the list now and that the observer did not see. Bounded by the list.
    private(set) var added: Set<ListHandle> = []
    /// The number of logged notifications that are merged.
    var count = 0
    /// The staleness in the last of the merged notifications.
    var isStale: Bool
    /// Whether an element had to be loaded before its observer could be notified of it.
    var wasHeldBack = false

    init(number: Int64, unloggedCount: Int, isStale: Bool) {
        self.number = number
        self.unloggedCount = unloggedCount
        self.isStale = isStale
    }

    /// The number of elements whose former value is kept.
    var rememberedCount: Int { seenValues.count }

    /// Sets the elements that the observer saw; called before the first structural step.
    func setBase(_ handles: [ListHandle]) {
        precondition(base == nil, "a lag that has a base of \(base?.count ?? 0) elements was given another one")
        base = handles
    }

    /// Adds one step of the list to the lag.
    ///
    /// - Parameter checksum: Computes the checksum of a resource with the selected fields; called only when the value
    ///   has to be kept.
    /// - Returns: The change to make to the element's number.
    func absorb(_ step: ListStep, checksum: ([UInt8]) -> UInt64) -> NumberChange? {
        precondition(base != nil || !step.isStructural, "a lag without a base was notified of \(step)")
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
        guard number > value.knownBy, !added.contains(value.handle), seenValues[value.handle] == nil else { return }
        seenValues[value.handle] = Old(checksum: checksum(value.old), index: index)
    }

    /// Returns the steps from the list that the observer saw to the current list.
    ///
    /// - Parameter after: Returns the current list; called only when there is a base.
    /// - Parameter checksum: Computes the checksum of an element's current resource with the selected fields.
    /// - Returns: The same as ``ListDifference/operations(from:to:isReplaced:)``.
    /// - Complexity: O(n log n) for n changed elements while there is no base, otherwise that of the comparison.
    func operations(to after: () -> [ListHandle], checksum: (ListHandle) -> UInt64) -> [ListOperation<ListHandle>] {
        if let base {
            return ListDifference.operations(from: base, to: after()) { handle in
                seenValues[handle].map { $0.checksum != checksum(handle) } ?? false
            }
        }
        return seenValues.filter { $0.value.checksum != checksum($0.key) }.sorted { $0.value.index < $1.value.index }
            .map { .replace($0.key, at: $0.value.index) }
    }
}
