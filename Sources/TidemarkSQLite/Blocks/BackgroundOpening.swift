import Dispatch
import Synchronization

/// An opening of blocks on a thread and a connection of its own, while the writer answers from the file itself.
///
/// ```
/// running ── ended ──▶ found or failed
///         └─ cancel ─▶ failed
/// ```
/// Sendable by locking: `phase` has what changes; the rest does not.
final class BackgroundOpening: Sendable {
    private enum Phase {
        /// The callers that wait; bounded by the tasks that do.
        case running([CheckedContinuation<Void, Never>])
        case ended(Result<OpenedBlocks, any Error>)
    }

    private let phase = Mutex(Phase.running([]))
    private let isCancelled = Atomic<Bool>(false)
    private let end = DispatchGroup()

    /// Begins the opening.
    ///
    /// - Parameters:
    ///   - path: The data file; nobody changes its blocks before the end.
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
    /// - Throws: ``SQLiteFailure``; `CancellationError` after ``cancel()``.
    func opened() throws -> OpenedBlocks {
        wait()
        return try phase.withLock { phase in
            // No input reaches it: the group is left with the end.
            guard case .ended(let result) = phase else { preconditionFailure("the opening has not ended") }
            return try result.get()
        }
    }

    /// Ends the opening soon: nobody needs the index any more, or somebody will read it again.
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
