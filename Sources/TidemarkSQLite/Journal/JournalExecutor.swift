import Dispatch

/// Runs a journal's work one piece after another, apart from the cache, so that no task of the cache waits behind a disk.
final class JournalExecutor: SerialExecutor {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter enqueue: Runs what it is given in order, one at a time; nil: a queue of the journal's own.
    init(_ enqueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)?) {
        if let enqueue {
            self.enqueue = enqueue
        } else {
            let queue = DispatchQueue(label: "tidemark.journal", qos: .userInitiated)
            self.enqueue = { queue.async(execute: $0) }
        }
    }

    /// Runs work that comes before there is an actor.
    func run(_ work: @escaping @Sendable () -> Void) {
        enqueue(work)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        enqueue { job.runSynchronously(on: executor) }
    }
}
