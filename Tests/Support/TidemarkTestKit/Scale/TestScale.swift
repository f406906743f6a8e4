import Foundation

/// The sizes of a test run. They are small by default; the environment variable `TIDEMARK_SCALE` raises them.
///
/// It contains names separated by commas, most with a number: `seeds=10,kills=500` or `load`. Each make target for a
/// slow suite sets it; a failure prints the setting that reproduces it.
package enum TestScale: String, CaseIterable, Sendable {
    /// The factor for the number of seeds of every random test.
    case seeds
    /// The first seed of a random test, or the only one of a test with one seed.
    case seed
    /// The number of kills in a crash test.
    case kills
    /// The number of crash points of a workload; 0 for all of them.
    case points
    /// The only crash point of a workload.
    case point
    /// The number of schedules of the simulated world.
    case schedules
    /// The number of rounds of each race.
    case races
    /// The number of documents that two GraphQL implementations judge.
    case documents
    /// The minutes of the soak test.
    case minutes
    /// Runs the load tests at full size.
    case load
    /// Runs the tests of limits that take minutes.
    case limits
    /// The number of entities in the faulty stream of a million lines.
    case big
    /// The number of entities that a measurement writes.
    case measure

    private static let values: [TestScale: Int] = read(ProcessInfo.processInfo.environment["TIDEMARK_SCALE"] ?? "")

    /// Parses a list of settings. A name without a number counts as 1.
    ///
    /// - Precondition: Every name is a case of this type, and every number is not negative. A misspelt name would
    ///   otherwise run the small sizes unnoticed.
    static func read(_ text: String) -> [TestScale: Int] {
        var values: [TestScale: Int] = [:]
        for setting in text.split(separator: ",") {
            let parts = setting.split(separator: "=", maxSplits: 1)
            guard let name = parts.first.flatMap({ TestScale(rawValue: String($0)) }),
                let number = parts.count == 2 ? Int(parts[1]) : 1, number >= 0
            else {
                preconditionFailure("TIDEMARK_SCALE has \"\(setting)\"; names: \(allCases.map(\.rawValue))")
            }
            values[name] = number
        }
        return values
    }

    /// The number in the setting; nil if the run does not set it.
    package var number: Int? { TestScale.values[self] }

    /// True if the run sets this.
    package var isAsked: Bool { number != nil }

    /// Returns the seeds of a random test.
    ///
    /// - Parameter count: How many seeds a run of the small sizes has.
    /// - Returns: Seeds from 1 on; `seed` changes the first one, and `seeds` multiplies their number.
    package static func seeds(_ count: Int) -> ClosedRange<UInt64> {
        let first = UInt64(seed.number ?? 1)
        return first...first + UInt64(count * max(1, seeds.number ?? 1)) - 1
    }

    /// Returns a part of the arguments of a test: every `step`-th one.
    ///
    /// - Returns: Arguments from the first one on; `seed` changes the first one, and `seeds` multiplies their number.
    package static func every<Element>(_ step: Int, of all: [Element]) -> [Element] {
        let step = max(1, step / max(1, seeds.number ?? 1))
        return stride(from: (seed.number ?? 0) % step, to: all.count, by: step).map { all[$0] }
    }

    /// The seed of everything random that a run may shift; 0 by default.
    package static var randomSeed: UInt64 { UInt64(seed.number ?? 0) }

    /// Returns the number of crash points of a workload.
    ///
    /// - Parameter few: The number in a run of the small sizes.
    /// - Returns: nil for every point.
    package static func crashPointCount(few: Int) -> Int? {
        guard let number = points.number else { return few }
        return number == 0 ? nil : number
    }
}
