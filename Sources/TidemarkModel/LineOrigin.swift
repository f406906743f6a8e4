/// The writer of the envelopes of lines.
///
/// - Source: Protocol/jetstream.md, bodies and numbers.
package enum LineOrigin: Sendable {
    /// The producers of the events. A line that cannot be used may be damaged anywhere, its number included.
    case producer
    /// The reader of a log, who put each event into an envelope of its own: library, number, `prev` and epoch are right
    /// whatever the event is. A line whose event cannot be used keeps its place.
    case log
    /// The reader of a log, who tells the cache something itself: that a log began anew, or where it ends. It is no
    /// line of the input: it has no number and is counted nowhere.
    case reader
}
