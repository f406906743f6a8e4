import Testing

extension Tag {
    /// Tests that start the built command.
    @Tag static var process: Self
}
