import Testing

extension Tag {
    /// Kills, stops and losses of power.
    @Tag static var crash: Self
    /// Comparisons with a naive model under seeded random operations.
    @Tag static var model: Self
    /// Concurrent operations in an order that the machine chooses.
    @Tag static var race: Self
    /// Suites that take ten seconds or more of two processors: `make test-slow` runs them.
    @Tag static var slow: Self
}
