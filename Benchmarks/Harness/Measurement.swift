/// One figure with its reference. Both are timed in turns in one run, so that a slow moment of the machine affects
/// both.
struct Measurement {
    /// The name of the figure.
    let name: String
    /// The name of one unit of work, for example `event` or `entity`.
    let unit: String
    /// The number of units of work in one run.
    let count: Int
    /// The duration of each counted run.
    let seconds: [Double]
    /// The name of the reference.
    let referenceName: String
    /// The duration of each counted run of the reference.
    let referenceSeconds: [Double]
    /// The goal for the median of the ratios; nil when there is none.
    let goal: Double?
    /// A hash of what the subject computed. It is the same in all runs over one input.
    let hash: UInt64
    /// The calls of the allocator per unit of work, measured in the warm-up run; nil if the platform cannot count them.
    var allocations: Double?

    /// The ratio of figure to reference in each run.
    var ratios: [Double] { zip(seconds, referenceSeconds).map { $0 / $1 } }

    /// Times a subject and its reference in turns.
    ///
    /// - Parameter runs: The number of counted runs, after one warm-up run.
    /// - Parameter subject: The work to measure. It returns a hash, which must be the same in every run.
    static func compare(
        _ name: String, unit: String = "event", count: Int, runs: Int, goal: Double?, referenceName: String,
        reference: () async throws -> UInt64, subject: () async throws -> UInt64
    ) async rethrows -> Measurement {
        let clock = ContinuousClock()
        var seconds: [Double] = []
        var referenceSeconds: [Double] = []
        var hash: UInt64?
        var allocationCount: UInt64?
        for run in 0...runs {
            let start = clock.now
            let referenceHash = try await reference()
            let allocations = run == 0 ? AllocationCount() : nil
            let middle = clock.now
            let subjectHash = try await subject()
            let end = clock.now
            if let allocations { allocationCount = allocations.end() }
            precondition(hash == nil || hash == subjectHash, "\(name): two runs over one input differ")
            hash = subjectHash
            blackHole(referenceHash)
            guard run > 0 else { continue }
            referenceSeconds.append((middle - start).inSeconds)
            seconds.append((end - middle).inSeconds)
        }
        return Measurement(
            name: name, unit: unit, count: count, seconds: seconds, referenceName: referenceName,
            referenceSeconds: referenceSeconds, goal: goal, hash: hash ?? 0,
            allocations: allocationCount.map { Double($0) / Double(count) })
    }
}

/// Keeps the optimizer from removing work whose result is not used.
@inline(never)
func blackHole(_ value: UInt64) {
    withExtendedLifetime(value) {}
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
