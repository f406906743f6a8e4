import Foundation

/// Runs each job on a thread of its own: a job that blocks takes no thread from the other tasks, which share as many as
/// there are processors.
package final class ThreadExecutor: TaskExecutor {
    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        Thread.detachNewThread { job.runSynchronously(on: executor) }
    }
}

/// Runs work that blocks on a thread of its own.
///
/// The work is a task that inherits the test: a failed expectation belongs to it.
package func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await Task(executorPreference: ThreadExecutor()) { try work() }.value
}
