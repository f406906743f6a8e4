/// The times of writes that are ahead of a clock that was set back, so that their age is unknown.
///
/// The order of writes needs times that only grow, so a cache whose clock is behind its last write continues from that
/// write. An age needs real time, which such times do not give: data that was written at one counts as too old for
/// every limit.
package struct DoubtfulTimes: Hashable, Sendable {
    /// The times after the clock's at the opening, up to the last write; nil when the clock was not set back.
    private let range: ClosedRange<Int64>?

    /// The time that replaces an unknown one: the beginning of 1970, older than every age limit allows.
    package static let unknown: Int64 = 0

    /// No times: the clock was not set back.
    package static let none = DoubtfulTimes(clock: 0, nil)

    /// Compares the clock with the last write.
    ///
    /// - Parameters:
    ///   - clock: The clock's time when the cache is opened, in milliseconds since 1970.
    ///   - lastWrite: The time of the last write before; nil when there was none.
    package init(clock: Int64, _ lastWrite: Int64?) {
        range = lastWrite.flatMap { clock < $0 ? (clock + 1)...$0 : nil }
    }

    /// Returns true if the age of data written at this time is unknown.
    package func includes(_ time: Int64) -> Bool { range?.contains(time) ?? false }

    /// Returns the time from which an age can be counted: the time itself, or ``unknown``.
    package func dated(_ time: Int64) -> Int64 { includes(time) ? DoubtfulTimes.unknown : time }
}
