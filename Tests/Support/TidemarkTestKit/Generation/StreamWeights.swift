import TidemarkTesting

/// The rates of events and faults in one stream, drawn once from the seed. Streams therefore differ: some are nearly
/// clean, some nearly all faults, some all deletes.
package struct StreamWeights: Sendable {
    /// The weights of kinds, in the order of ``StreamGenerator``'s switch.
    package let kinds: [Int]
    /// The weights of envelope forms, in the order of ``EventWriter/Form``.
    package let forms: [Int]
    /// The rate of events without a sequence, per mille like all the following rates.
    package let unsequenced: Int
    /// The rate of lines that go to quarantine.
    package let bad: Int
    /// The rate of blank lines, control lines and messages.
    package let noise: Int
    /// The rate of lost lines.
    package let drop: Int
    /// The rate of repeated lines.
    package let duplicate: Int
    /// The rate of moved lines.
    package let move: Int
    /// The rate of lines that are cut off.
    package let cut: Int
    /// The rate of white space between tokens.
    package let whiteSpace: Int
    /// The rate of lines that end with CR LF.
    package let carriageReturn: Int
    /// The rate of libraries whose log skips sequences.
    package let filtered: Int
    /// The rate of logs that begin anew.
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
