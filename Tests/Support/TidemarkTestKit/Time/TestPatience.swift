/// The time for which a test waits for something that has to come: a guard against hanging, and not a measure.
///
/// Nothing that works comes near it, also at a third of the usual speed and with every core taken.
///
/// - Source: docs/testing.md, time.
package enum TestPatience {
    /// 120 s.
    package static let seconds = 120.0

    /// The end of a wait that begins now.
    package static var deadline: ContinuousClock.Instant { .now + .seconds(seconds) }
}
