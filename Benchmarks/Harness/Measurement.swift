/// One figure beside its reference: both timed in turns in one run, so that a slow moment of the machine hits both.
struct Measurement {
    let name: String
    /// What one of `seconds` went through: `event`, `entity`.
    let unit: String
    let count: Int
    /// Of each counted run.
    let seconds: [Double]
    let referenceName: String
    let referenceSeconds: [Double]
    /// The goal for the median ratio; nil when there is none.
    let goal: Double?
    /// Depends on everything that was computed: two runs over one input agree.
    let hash: UInt64
    /// Calls of the allocator for each of `count`, in the run that is not counted; nil where nobody counts them.
    var allocations: Double?

    /// Run by run, subject over reference.
    var ratios: [Double] { zip(seconds, referenceSeconds).map { $0 / $1 } }

    /// Times a subject and its reference in turns.
    ///
    /// - Parameter runs: Counted; one more goes first and is not.
    /// - Parameter subject: Returns its hash, which must not change from run to run.
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

/// Keeps the optimizer from dropping work whose result nobody looks at.
@inline(never)
func blackHole(_ value: UInt64) {
    withExtendedLifetime(value) {}
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
