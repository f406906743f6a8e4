/// How often something happened in the last ten seconds, in a ring of seconds.
///
/// A clock that goes back is treated as standing still.
struct RateWindow {
    /// How many seconds the window spans.
    static let secondCount: Int64 = 10

    /// The count of each second in the window; second `s` is at index `s % secondCount`.
    private var counts = [Int64](repeating: 0, count: Int(secondCount))
    /// The latest second in the window.
    private var latest: Int64 = 0

    /// - Parameter milliseconds: The time, in milliseconds since 1970; not negative.
    /// - Complexity: O(1).
    mutating func add(_ count: Int, at milliseconds: Int64) {
        advance(to: milliseconds)
        counts[Int(latest % RateWindow.secondCount)] += Int64(count)
    }

    /// Returns the average count a second over the window, the current second included, rounded down.
    func perSecond(at milliseconds: Int64) -> Int64 {
        var now = self
        now.advance(to: milliseconds)
        return now.counts.reduce(0, +) / RateWindow.secondCount
    }

    private mutating func advance(to milliseconds: Int64) {
        let second = milliseconds / 1_000
        guard second > latest else { return }
        // After a long pause only the seconds of the window matter.
        for passed in max(latest, second - RateWindow.secondCount) + 1...second {
            counts[Int(passed % RateWindow.secondCount)] = 0
        }
        latest = second
    }
}
