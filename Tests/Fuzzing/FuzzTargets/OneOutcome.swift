import Dispatch
import Synchronization

/// The result of a task, for a thread that waits for it.
final class OneOutcome: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let outcome = Mutex<Result<Void, any Error>?>(nil)

    /// Runs `body` in a task, and returns when it is done. Not for use on threads of tasks.
    ///
    /// - Throws: The error of `body`.
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
