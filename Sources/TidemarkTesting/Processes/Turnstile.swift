/// Lets so many callers in at once; the others wait in the order they came. Keeps tests that start processes from
/// starting them all.
///
/// Waiters are bounded by the number of callers, each of whom waits once.
public actor Turnstile {
    private var freeCount: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter count: At least 1.
    public init(count: Int) {
        precondition(count >= 1, "a turnstile for \(count) lets nobody in")
        freeCount = count
    }

    /// Runs `body` once there is room.
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
