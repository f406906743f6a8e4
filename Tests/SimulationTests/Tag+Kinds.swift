import Testing

extension Tag {
    /// Tests that start the built command.
    @Tag static var process: Self
    /// Tests that take more than a few seconds in a debug build.
    @Tag static var slow: Self
}
