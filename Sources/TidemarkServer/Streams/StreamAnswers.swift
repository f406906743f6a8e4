import Synchronization

/// The bytes of the late answers that wait on all streams of a server: one bound for all of them.
final class StreamAnswers: Sendable {
    private let byteCountMax: Int
    private let count = Atomic<Int>(0)

    init(_ limits: ServerLimits) {
        // One answer as long as a stream may have always finds room.
        byteCountMax = max(limits.streamByteCountMax / 2, limits.lateAnswerByteCountMax)
    }

    var byteCount: Int { count.load(ordering: .relaxed) }

    /// Adds bytes, or removes them.
    ///
    /// - Returns: Whether there are more than may wait.
    @discardableResult
    func add(_ byteCount: Int) -> Bool {
        guard byteCount != 0 else { return self.byteCount > byteCountMax }
        return count.add(byteCount, ordering: .relaxed).newValue > byteCountMax
    }
}
