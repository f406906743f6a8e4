import ArgumentParser

/// How long departures are kept, as `--scope-history` has it: seconds, or a number with s, m, h or d behind it.
struct ScopeHistory: Hashable, ExpressibleByArgument {
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 60 * 60, "d": 24 * 60 * 60]
    /// The longest history: 366 days.
    private static let secondCountMax: Int64 = 366 * 24 * 60 * 60

    let duration: Duration

    init?(argument: String) {
        let unit = argument.last.flatMap { ScopeHistory.units[$0] }
        guard let count = Int64(unit == nil ? argument[...] : argument.dropLast()), count >= 0,
            count <= ScopeHistory.secondCountMax / (unit ?? 1)
        else { return nil }
        duration = .seconds(count * (unit ?? 1))
    }
}
