import Testing

extension Tag {
    /// Tests that start processes.
    @Tag static var process: Self
    /// Suites that need what takes long to build: `make test-slow` builds and runs them.
    @Tag static var slow: Self
}
