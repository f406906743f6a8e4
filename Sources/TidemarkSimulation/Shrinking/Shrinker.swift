/// Reduces a failing schedule to inputs that are needed for the failure.
///
/// It omits ever shorter runs of inputs, as long as the rest still fails.
///
/// ```swift
/// let plan = SimulationPlan(seed: 17)
/// let needed = try await Shrinker().shrunk(plan.inputs.map(\.number)) { numbers in
///     let outcome = try await SimulationRun.outcome(of: plan.keeping(numbers))
///     if case .failure = outcome.result { return true }
///     return false
/// }
/// print(needed)
/// ```
///
/// - Source: Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, 2002.
package struct Shrinker {
    /// The maximum number of schedules to try: 400.
    package var attemptCountMax = 400

    /// Creates a shrinker with the default limit.
    package init() {}

    /// Reduces a list of inputs.
    ///
    /// - Parameters:
    ///   - inputs: The numbers of the inputs of a failing schedule.
    ///   - fails: Returns true if the schedule with only these inputs fails.
    /// - Returns: Some of the inputs, in order; the schedule with them fails.
    /// - Throws: The error of `fails`.
    /// - Complexity: O(log n) tries if one input causes the failure, O(n²) at worst; never more than
    ///   ``attemptCountMax``.
    package func shrunk(_ inputs: [Int], fails: ([Int]) async throws -> Bool) async throws -> [Int] {
        var kept = inputs
        var attemptCount = 0
        var length = max(1, kept.count / 2)
        while true {
            var start = 0
            var isSmaller = false
            while start < kept.count {
                guard attemptCount < attemptCountMax else { return kept }
                attemptCount += 1
                let rest = Array(kept[..<start]) + Array(kept[min(start + length, kept.count)...])
                if try await fails(rest) {
                    kept = rest
                    isSmaller = true
                } else {
                    start += length
                }
            }
            if length == 1, !isSmaller { return kept }
            length = max(1, length / 2)
        }
    }
}
