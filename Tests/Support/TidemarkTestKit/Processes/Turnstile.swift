/// Lets a limited number of callers run at once; the others wait, in order of arrival. It keeps tests that start
/// processes from starting all of them at once.
///
/// ```swift
/// let turnstile = Turnstile(count: 2)
/// let result = try await turnstile.run { try await CommandRunner().run(["--version"]) }
/// print(result.outputText)
/// ```
///
/// Waiters are bounded by the number of callers, each of which waits once.
public actor Turnstile {
    private var freeCount: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a turnstile.
    ///
    /// - Parameter count: How many callers run at once; at least 1.
    public init(count: Int) {
        precondition(count >= 1, "a turnstile for \(count) lets nobody in")
        freeCount = count
    }

    /// Runs `body` as soon as there is a free place.
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
