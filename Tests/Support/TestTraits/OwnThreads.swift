import Testing
import TidemarkTestKit

/// Runs each test of a suite on its own threads: tests that wait for a server block them, for up to 20 s.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// Runs each test of a suite on its own threads.
    public static var ownThreads: Self { Self() }
}
