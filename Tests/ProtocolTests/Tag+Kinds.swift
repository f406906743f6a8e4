import Testing

extension Tag {
    /// Tests that start the built command.
    @Tag static var process: Self
    /// Suites that take ten seconds or more of two processors: `make test-slow` runs them.
    @Tag static var slow: Self
}
