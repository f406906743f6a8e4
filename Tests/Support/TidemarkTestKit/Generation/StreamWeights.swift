import TidemarkTesting

/// The rates of events and faults in one stream. They are drawn once from the seed, so that streams differ: some are
/// nearly clean, some nearly all faults, some all deletes.
package struct StreamWeights: Sendable {
    /// The weights of kinds, in the order of ``StreamGenerator``'s switch.
    package let kinds: [Int]
    /// The weights of envelope forms, in the order of ``EventWriter/Form``.
    package let forms: [Int]
    /// The rate of events without a sequence, per mille, like all the following rates.
    package let unsequenced: Int
    package let bad: Int
    package let noise: Int
    package let drop: Int
    package let duplicate: Int
    package let move: Int
    package let cut: Int
    package let whiteSpace: Int
    package let carriageReturn: Int
    package let filtered: Int
    package let anew: Int

    /// Draws the rates of one stream.
    package init(random: inout SeededGenerator) {
        kinds = (0..<10).map { _ in random.below(8) * random.below(8) + 1 }
        forms = (0..<4).map { _ in random.below(6) + 1 }
        func rate(_ choices: [Int]) -> Int { random.pick(choices) }
        unsequenced = rate([0, 20, 100, 400])
        bad = rate([0, 5, 30, 120])
        noise = rate([0, 10, 60])
        drop = rate([0, 0, 5, 40, 150])
        duplicate = rate([0, 10, 60])
        move = rate([0, 20, 150])
        cut = rate([0, 5, 30])
        whiteSpace = rate([0, 50, 400])
        carriageReturn = rate([0, 100, 1_000])
        filtered = rate([0, 300, 1_000])
        anew = rate([0, 5, 20])
    }
}
