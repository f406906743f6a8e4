import Testing

@testable import TestTraits

@Suite(.pooled) struct PooledTests {
    @Test func `a test that runs past its limit fails`() async throws {
        let test = try #require(Test.current)
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        await #expect(throws: TimeLimitPassed.self) {
            try await Pooled(limit: .milliseconds(1)).provideScope(for: test, testCase: Test.Case.current) {
                for await _ in stream {}
            }
        }
        continuation.finish()
    }

    @Test func `an error of a test is the error of its scope`() async throws {
        struct Failure: Error {}
        let test = try #require(Test.current)
        await #expect(throws: Failure.self) {
            try await Pooled(limit: .seconds(1_800)).provideScope(for: test, testCase: Test.Case.current) {
                throw Failure()
            }
        }
    }
}
