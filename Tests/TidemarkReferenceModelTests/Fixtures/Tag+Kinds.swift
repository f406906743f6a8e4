import Testing

extension Tag {
    /// Comparisons with a naive model under seeded random operations.
    @Tag static var model: Self
}
