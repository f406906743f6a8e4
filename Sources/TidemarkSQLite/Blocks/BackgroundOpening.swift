import Dispatch
import Synchronization

/// Reads the index of a file of blocks on a thread and a connection of its own, while the writer reads from the file
/// itself.
///
/// ```
/// running ── ended ──▶ found or failed
///         └─ cancel ─▶ failed
/// ```
/// Sendable by locking: `phase` holds everything that changes.
final class BackgroundOpening: Sendable {
    /// The state of the opening.
    private enum Phase {
        /// The waiting callers, at most one entry for each waiting task.
        case running([CheckedContinuation<Void, Never>])
        /// The index, or the error that ended the opening.
        case ended(Result<OpenedBlocks, any Error>)
    }

    private let phase = Mutex(Phase.running([]))
    private let isCancelled = Atomic<Bool>(false)
    private let end = DispatchGroup()

    /// Begins the opening.
    ///
    /// - Parameters:
    ///   - path: The data file. Nobody may change its blocks before the end.
    ///   - begins: Called first, on the opening's thread.
    init(path: String, _ configuration: BlockStore.Configuration, begins: @escaping @Sendable () -> Void) {
        end.enter()
        DispatchQueue(label: "tidemark.opening").async {
            begins()
            self.ended(
                Result {
                    let connection = try ReadConnection(path: path, isImmutable: false)
                    return try withExtendedLifetime(connection) {
                        try BlockOpening(
                            connection.handle, configuration,
                            dictionaries: try DictionaryTable.read(connection.handle).dictionaries,
                            isCancelled: { self.isCancelled.load(ordering: .relaxed) }
                        ).found
                    }
                })
        }
    }

    var hasEnded: Bool {
        phase.withLock { phase in
            if case .ended = phase { true } else { false }
        }
    }

    /// Suspends until the opening has ended.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = phase.withLock { phase in
                guard case .running(let waiting) = phase else { return true }
                phase = .running(waiting + [continuation])
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Blocks the thread until the opening has ended.
    func wait() { end.wait() }

    /// Blocks the thread until the opening has ended.
    ///
    /// - Throws: ``SQLiteError``; `CancellationError` after ``cancel()``.
    func opened() throws -> OpenedBlocks {
        wait()
        return try phase.withLock { phase in
            // No input reaches it: the group is left only at the end.
            guard case .ended(let result) = phase else { preconditionFailure("the opening has not ended") }
            return try result.get()
        }
    }

    /// Ends the opening soon. The index is no longer needed, or will be read again.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    private func ended(_ result: Result<OpenedBlocks, any Error>) {
        let waiting = phase.withLock { phase in
            guard case .running(let waiting) = phase else { return [CheckedContinuation<Void, Never>]() }
            phase = .ended(result)
            return waiting
        }
        end.leave()
        for continuation in waiting { continuation.resume() }
    }
}
