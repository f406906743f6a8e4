/// Reduces a failing schedule to inputs without which it does not fail.
///
/// Ever smaller runs of inputs are left out, as long as the rest still fails.
///
/// - Source: Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, 2002.
package struct Shrinker {
    /// The number of schedules that are tried at most: 400.
    package var attemptCountMax = 400

    package init() {}

    /// Reduces a list of inputs.
    ///
    /// - Parameters:
    ///   - inputs: The numbers of the inputs of a schedule that fails.
    ///   - fails: Returns whether a schedule of these inputs alone fails.
    /// - Returns: Some of the inputs, in their order; a schedule of them fails.
    /// - Throws: The error of `fails`.
    /// - Complexity: O(n log n) tries where one input causes the failure, O(n²) at worst; never more than
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
