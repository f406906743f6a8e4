/// The number of things that happened in the last ten seconds, a second at a time.
///
/// A clock that goes back counts as standing still.
struct RateWindow {
    /// The seconds that are remembered.
    static let secondCount: Int64 = 10

    /// The number of things in each remembered second; second `s` is at index `s % secondCount`.
    private var counts = [Int64](repeating: 0, count: Int(secondCount))
    /// The latest second that is remembered.
    private var latest: Int64 = 0

    /// - Parameter milliseconds: The time, in milliseconds since 1970; not negative.
    /// - Complexity: O(1).
    mutating func add(_ count: Int, at milliseconds: Int64) {
        advance(to: milliseconds)
        counts[Int(latest % RateWindow.secondCount)] += Int64(count)
    }

    /// Returns the things a second over the remembered seconds, the present one included, rounded down.
    func perSecond(at milliseconds: Int64) -> Int64 {
        var now = self
        now.advance(to: milliseconds)
        return now.counts.reduce(0, +) / RateWindow.secondCount
    }

    private mutating func advance(to milliseconds: Int64) {
        let second = milliseconds / 1_000
        guard second > latest else { return }
        // Of a long pause only the remembered seconds matter.
        for passed in max(latest, second - RateWindow.secondCount) + 1...second {
            counts[Int(passed % RateWindow.secondCount)] = 0
        }
        latest = second
    }
}
