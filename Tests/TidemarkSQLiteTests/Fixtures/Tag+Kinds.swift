import Testing

extension Tag {
    /// Kills, stops and losses of power.
    @Tag static var crash: Self
    /// Tests that take more than a few seconds in a debug build.
    @Tag static var slow: Self
    /// Comparisons with a naive model under seeded random operations.
    @Tag static var model: Self
    /// Concurrent operations in an order that the machine chooses.
    @Tag static var race: Self
}
