/// How long a test waits for something that must happen: a guard against hanging, not a measure.
///
/// Nothing that works takes nearly as long, even at a third of the usual speed and with every core busy.
///
/// - Source: docs/testing.md, time.
package enum TestPatience {
    /// The patience in seconds: 120.
    package static let seconds = 120.0

    /// The end of a wait that begins now.
    package static var deadline: ContinuousClock.Instant { .now + .seconds(seconds) }
}
