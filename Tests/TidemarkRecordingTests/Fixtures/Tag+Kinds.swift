import Testing

extension Tag {
    /// Suites that take ten seconds or more of two processors: `make test-slow` runs them.
    @Tag static var slow: Self
}
