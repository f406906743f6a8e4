import Testing

extension Tag {
    /// Kills, stops and power losses.
    @Tag public static var crash: Self
    /// Comparisons with a naive model under seeded random operations.
    @Tag public static var model: Self
    /// Tests that start the built command.
    @Tag public static var process: Self
    /// Concurrent operations in an order that the machine chooses.
    @Tag public static var race: Self
}
