/// The members of the open objects, innermost last.
///
/// It is not an array for the same reason as ``TextBuffer``. Bounded by the members of those objects.
struct MemberStack: ~Copyable {
    private var start: UnsafeMutablePointer<StoredScan.Member>?
    private var capacity = 0
    private(set) var count = 0

    private static let capacityMin = 32

    init() {}

    deinit { start?.deallocate() }

    subscript(index: Int) -> StoredScan.Member {
        @inline(__always) get { checked(index).pointee }
        @inline(__always) set { checked(index).pointee = newValue }
    }

    @inline(__always)
    private func checked(_ index: Int) -> UnsafeMutablePointer<StoredScan.Member> {
        guard index >= 0, index < count, let start else {
            preconditionFailure("a stack of \(count) members has none at \(index)")
        }
        return start + index
    }

    @inline(__always)
    mutating func append(_ member: StoredScan.Member) {
        if count == capacity { grow() }
        count += 1
        checked(count - 1).initialize(to: member)
    }

    /// Removes the members from an index on.
    mutating func truncate(to count: Int) {
        precondition(count <= self.count, "a stack of \(self.count) members cannot end at \(count)")
        self.count = count
    }

    /// - Complexity: O(members), amortized.
    @inline(never)
    private mutating func grow() {
        capacity = max(capacity * 2, MemberStack.capacityMin)
        let grown = UnsafeMutablePointer<StoredScan.Member>.allocate(capacity: capacity)
        if let start {
            grown.moveInitialize(from: start, count: count)
            start.deallocate()
        }
        start = grown
    }
}
