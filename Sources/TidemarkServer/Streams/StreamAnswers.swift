import Synchronization

/// Counts the bytes of unsent late answers across all streams of a server, against one limit.
final class StreamAnswers: Sendable {
    private let byteCountMax: Int
    private let count = Atomic<Int>(0)

    init(_ limits: ServerLimits) {
        // Leave room for at least one answer of the maximum size.
        byteCountMax = max(limits.streamByteCountMax / 2, limits.lateAnswerByteCountMax)
    }

    var byteCount: Int { count.load(ordering: .relaxed) }

    /// Adds bytes; a negative count removes them.
    ///
    /// - Returns: True if the limit is exceeded.
    @discardableResult
    func add(_ byteCount: Int) -> Bool {
        guard byteCount != 0 else { return self.byteCount > byteCountMax }
        return count.add(byteCount, ordering: .relaxed).newValue > byteCountMax
    }
}
