import Testing

extension Tag {
    /// Suites that need what takes long to build: `make test-slow` builds and runs them.
    @Tag static var slow: Self
}
