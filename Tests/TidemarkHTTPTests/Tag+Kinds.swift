import Testing

extension Tag {
    /// Kills, stops and losses of power.
    @Tag static var crash: Self
}
