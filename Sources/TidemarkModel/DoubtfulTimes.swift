/// The times of writes after which the clock was set back: nobody knows how long ago they were.
///
/// The order of writes needs times that only grow, so a cache whose clock is behind its last write continues from that
/// write. An age is a span of real time, which such a time does not give: data that was written at one counts as too
/// old for every limit.
package struct DoubtfulTimes: Hashable, Sendable {
    /// The times after the clock's own at the opening, up to the last write; nil: the clock was not set back.
    private let range: ClosedRange<Int64>?

    /// The time that stands for an unknown one: the beginning of 1970, older than every age limit allows.
    package static let unknown: Int64 = 0

    package static let none = DoubtfulTimes(clock: 0, nil)

    /// - Parameters:
    ///   - clock: The clock's time when the cache is opened.
    ///   - lastWrite: The time of the last write before; nil: there was none.
    package init(clock: Int64, _ lastWrite: Int64?) {
        range = lastWrite.flatMap { clock < $0 ? (clock + 1)...$0 : nil }
    }

    package func includes(_ time: Int64) -> Bool { range?.contains(time) ?? false }

    /// Returns a time from which an age can be counted.
    package func dated(_ time: Int64) -> Int64 { includes(time) ? DoubtfulTimes.unknown : time }
}
