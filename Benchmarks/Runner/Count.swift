import ArgumentParser
import Dispatch
import Synchronization

/// The command that repeats the same work, for a tool that counts instructions.
struct Count: ParsableCommand {
    static let name = "count"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Do the same work each time, for a counter of instructions.", shouldDisplay: false)

    @Argument var work: CountedWork
    @Option var rounds = 1

    func run() throws {
        // Tools for counting instructions can handle a main thread that waits for a semaphore.
        let (work, rounds) = (work, rounds)
        let isDone = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        Task {
            do {
                let counted = try await work.prepare()
                for _ in 0..<rounds { print("\(work.rawValue): \(try await counted.round())") }
                try await counted.end()
            } catch {
                failure.withLock { $0 = error }
            }
            isDone.signal()
        }
        isDone.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
