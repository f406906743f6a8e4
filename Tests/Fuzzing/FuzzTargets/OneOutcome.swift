import Dispatch
import Synchronization

/// What a task came to, for a thread that waits for it.
final class OneOutcome: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let outcome = Mutex<Result<Void, any Error>?>(nil)

    /// Runs `body` in a task, and returns when it is done. Not for threads that tasks run on.
    ///
    /// - Throws: What `body` throws.
    static func wait(for body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = OneOutcome()
        Task {
            do {
                try await body()
                outcome.settle(.success(()))
            } catch {
                outcome.settle(.failure(error))
            }
        }
        outcome.semaphore.wait()
        try outcome.outcome.withLock { $0 }?.get()
    }

    private func settle(_ result: Result<Void, any Error>) {
        outcome.withLock { $0 = result }
        semaphore.signal()
    }
}
