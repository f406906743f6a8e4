/// The steps of a random walk: counts them, keeps the last ones in words, and ends the walk at the first difference.
///
/// ```swift
/// var run = RandomWalk(seed: seed)
/// while run.next(of: 100) {
///     let operation = generator.next(model)
///     run.note("\(operation)")
///     try run.check(found == wanted ? [] : ["\(found), not \(wanted)"])
/// }
/// ```
///
/// The differences that follow from the first one do not matter, so the walk does not go on after it.
package struct RandomWalk: CustomStringConvertible, Sendable {
    /// The first difference of a walk, with all that repeats it.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The number of notes that a failure shows.
    package static let noteCountMax = 30

    /// The seed of everything random in the walk.
    package let seed: UInt64
    /// The number of the step, from 1; 0 before the first.
    package private(set) var step = 0
    /// The last notes, the oldest first. At most twice ``noteCountMax``.
    private var notes: [String] = []

    package init(seed: UInt64) {
        self.seed = seed
    }

    /// The place in the walk, as failures name it.
    package var description: String { "seed \(seed), step \(step)" }

    /// Begins the next step.
    ///
    /// - Returns: False after the last one.
    package mutating func next(of stepCount: Int) -> Bool {
        guard step < stepCount else { return false }
        step += 1
        return true
    }

    /// Keeps what a step does, for the message of a failure.
    package mutating func note(_ text: String) {
        notes.append(text)
        if notes.count >= 2 * Self.noteCountMax { notes.removeFirst(notes.count - Self.noteCountMax) }
    }

    /// Ends the walk when the subject and its model differ.
    ///
    /// - Throws: ``Failure`` with the differences, the last notes and the setting that repeats the walk.
    package func check(_ differences: [String]) throws(Failure) {
        guard !differences.isEmpty else { return }
        var lines = ["\(self):"] + differences
        if !notes.isEmpty { lines += ["after:"] + notes.suffix(Self.noteCountMax) }
        throw Failure(description: (lines + ["TIDEMARK_SCALE=seed=\(seed) begins there"]).joined(separator: "\n"))
    }
}
