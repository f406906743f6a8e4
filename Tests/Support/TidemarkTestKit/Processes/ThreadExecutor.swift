import Foundation

/// Runs each job on a thread of its own, so that a blocking job takes no thread from other tasks, which share as many
/// as there are processors.
package final class ThreadExecutor: TaskExecutor {
    /// Creates an executor.
    package init() {}

    /// Runs a job on a new thread; called by the Swift runtime.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        Thread.detachNewThread { job.runSynchronously(on: executor) }
    }
}

/// Runs blocking work on a thread of its own.
///
/// The work runs in a task that inherits the current test, so that failed expectations belong to it.
package func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await Task(executorPreference: ThreadExecutor()) { try work() }.value
}
