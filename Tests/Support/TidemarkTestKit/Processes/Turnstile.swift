/// Lets a limited number of callers run at once; the others wait in the order in which they came. It keeps tests that
/// start processes from starting all of them at once.
///
/// Waiters are bounded by the number of callers, each of whom waits once.
public actor Turnstile {
    private var freeCount: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter count: The number of callers that run at once, at least 1.
    public init(count: Int) {
        precondition(count >= 1, "a turnstile for \(count) lets nobody in")
        freeCount = count
    }

    /// Runs `body` as soon as a place is free.
    public nonisolated func run<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
        await enter()
        do {
            let result = try await body()
            await leave()
            return result
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async {
        if freeCount > 0 {
            freeCount -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty { freeCount += 1 } else { waiting.removeFirst().resume() }
    }
}
