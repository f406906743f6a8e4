import TidemarkStore

/// The state of a list that a slow observer saw last, and the changes since.
///
/// While only values of elements change, it suffices to know which elements changed and their indexes. The list is
/// copied when the first element is added, removed or moved. A class, so that it changes in place: the caller that
/// changes it also holds its observer, and a value would be copied with every change.
final class QueryLag {
    private struct Old {
        /// A checksum of the selected fields of the resource that the observer saw.
        var checksum: UInt64
        /// The element's index, valid while there is no base.
        var index: Int
    }

    /// How to change the use of an element's number, so that no other element gets the number meanwhile.
    enum NumberChange: Equatable {
        case retain(ListHandle)
        case release(ListHandle)
    }

    /// The number of this lag; each lag has a higher one than those that began before.
    let number: Int64
    /// The value of ``CacheState/unloggedCount(of:)`` when the lag began.
    let unloggedCount: Int
    /// The elements that the observer saw, in order; nil while the list has the same elements in the same order.
    private(set) var base: [ListHandle]?
    /// The elements that the observer saw and that have changed since. Bounded by the list that it saw.
    private var seenValues: [ListHandle: Old] = [:]
    /// The elements that the observer saw and that are no longer in the list; each is retained. Bounded by the list
    /// that it saw.
    private(set) var left: Set<ListHandle> = []
    /// The elements of the list that the observer did not see. Bounded by the list.
    private(set) var added: Set<ListHandle> = []
    /// How many logged notifications are merged here.
    var count = 0
    /// The staleness in the last merged notification.
    var isStale: Bool
    /// True if an element had to be loaded before its observer could be notified of it.
    var wasHeldBack = false

    init(number: Int64, unloggedCount: Int, isStale: Bool) {
        self.number = number
        self.unloggedCount = unloggedCount
        self.isStale = isStale
    }

    /// The number of elements whose former value is kept.
    var rememberedCount: Int { seenValues.count }

    /// Sets the elements that the observer saw; called before the first step that changes the list's structure.
    func setBase(_ handles: [ListHandle]) {
        precondition(base == nil, "a lag that has a base of \(base?.count ?? 0) elements was given another one")
        base = handles
    }

    /// Adds one step of the list to the lag.
    ///
    /// - Parameter checksum: Computes the checksum of a resource's selected fields; called only when the value has to
    ///   be kept.
    /// - Returns: How to change the use of the element's number; nil for no change.
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
    /// - Parameters:
    ///   - after: Returns the current list; called only when there is a base.
    ///   - checksum: Computes the checksum of an element's current resource with the selected fields.
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
