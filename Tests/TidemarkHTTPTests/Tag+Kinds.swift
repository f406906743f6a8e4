import Testing

extension Tag {
    /// Kills, stops and losses of power.
    @Tag static var crash: Self
    /// Comparisons with a naive model under seeded random operations.
    @Tag static var model: Self
}
