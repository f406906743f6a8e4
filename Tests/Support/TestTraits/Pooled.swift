import Testing
import TidemarkTestKit

/// Runs each test of a suite while it holds one of a bounded number of places that all tests of the process share.
///
/// The runner starts every test at once. Tests hold processes, servers and files: without a bound, hundreds of threads
/// and thousands of open files would exist at a time. A test without arguments takes one place, and each set of
/// arguments of another test takes one, so a test that holds a place never waits for a second one.
///
/// The time limit begins when the place is taken; a limit of the runner would include the wait for it.
public struct Pooled: SuiteTrait, TestTrait, TestScoping {
    /// The number of tests that run at once: 8. More do not end earlier on two processors; with 8, the most that were
    /// open at once were some 200 files.
    private static let places = Turnstile(count: 8)

    /// The time after which a test has failed. It is a guard against tests that never end, and compares no speeds.
    let limit: Duration

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await Pooled.places.run {
            try await withoutActuallyEscaping(function) { function in
                try await withThrowingTaskGroup { group in
                    group.addTask { try await function() }
                    group.addTask { [limit] in
                        try await Task.sleep(for: limit)
                        throw TimeLimitPassed(limit: limit)
                    }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
    }
}

/// The error of a test that did not end within its limit.
struct TimeLimitPassed: Error, CustomStringConvertible {
    let limit: Duration

    var description: String { "the test did not end within \(limit)" }
}

extension Trait where Self == Pooled {
    /// Waits for a place before each test. A test that runs for more than half an hour has failed.
    public static var pooled: Self { Self(limit: .seconds(30 * 60)) }

    /// The same with a limit for suites whose size is a setting.
    ///
    /// - Parameter minutes: The limit, at least 30.
    public static func pooled(minutes: Int) -> Self { Self(limit: .seconds(minutes * 60)) }
}
