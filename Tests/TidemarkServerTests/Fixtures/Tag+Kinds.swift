import Testing

extension Tag {
    /// Tests that start processes.
    @Tag static var process: Self
}
