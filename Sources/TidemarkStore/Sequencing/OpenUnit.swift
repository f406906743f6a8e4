import TidemarkModel

/// The events of a unit of several lines that has not ended. They are applied together, with its last line.
///
/// ``isOver`` is true past ``byteCountMax``; the owner then applies what is here without waiting for the end.
///
/// - Source: Protocol/events.md, units of several lines.
package struct OpenUnit {
    /// The events, ascending by sequence. Nothing is missing between them.
    package private(set) var events: [HeldEvent] = []
    /// How many bytes the events count: their lines, each with at least ``lineByteCountMin``.
    package private(set) var byteCount = 0
    /// How far the log was followed inside the unit; nil without one.
    package private(set) var position: EventSequence?

    /// The most bytes of a unit: 64 MiB. Past it, its events so far are applied as if it had ended.
    package static let byteCountMax = 64 << 20
    /// The fewest bytes that a line counts: 256. So the number of lines is bounded, too.
    package static let lineByteCountMin = 256

    init() {}

    /// True if no unit is open.
    package var isEmpty: Bool { events.isEmpty }

    /// True if the unit is past its bound.
    package var isOver: Bool { byteCount > OpenUnit.byteCountMax }

    mutating func append(_ event: HeldEvent) {
        events.append(event)
        byteCount += max(event.byteCount, OpenUnit.lineByteCountMin)
        position = event.sequence
    }

    /// Moves past sequences that do not exist.
    mutating func skip(through sequence: EventSequence) { position = sequence }

    mutating func removeAll() { self = OpenUnit() }
}
