/// The steps of a random walk: counts them, keeps notes of the last ones, and ends the walk at the first difference.
///
/// ```swift
/// var walk = RandomWalk(seed: 1)
/// var subject: Set<Int> = []
/// var model: [Int] = []
/// while walk.next(of: 100) {
///     let value = walk.step * 7 % 10
///     walk.note("insert \(value)")
///     subject.insert(value)
///     if !model.contains(value) { model.append(value) }
///     try walk.check(subject.sorted() == model.sorted() ? [] : ["\(subject), not \(model)"])
/// }
/// ```
///
/// Differences after the first one are only its consequences, so the walk does not continue.
package struct RandomWalk: CustomStringConvertible, Sendable {
    /// The first difference of a walk, with what reproduces it.
    package struct Failure: Error, CustomStringConvertible {
        /// The difference, the last notes and the setting that reproduces the walk.
        package let description: String
    }

    /// The maximum number of notes that a failure shows.
    package static let noteCountMax = 30

    /// The seed of everything random in the walk.
    package let seed: UInt64
    /// The number of the step, from 1; 0 before the first.
    package private(set) var step = 0
    /// The last notes, oldest first. At most twice ``noteCountMax``.
    private var notes: [String] = []

    /// Creates a walk before its first step.
    package init(seed: UInt64) {
        self.seed = seed
    }

    /// The position in the walk, as failures name it.
    package var description: String { "seed \(seed), step \(step)" }

    /// Begins the next step.
    ///
    /// - Returns: False after the last one.
    package mutating func next(of stepCount: Int) -> Bool {
        guard step < stepCount else { return false }
        step += 1
        return true
    }

    /// Keeps a note of what a step does, for the message of a failure.
    package mutating func note(_ text: String) {
        notes.append(text)
        if notes.count >= 2 * Self.noteCountMax { notes.removeFirst(notes.count - Self.noteCountMax) }
    }

    /// Ends the walk if the subject and its model differ.
    ///
    /// - Throws: ``Failure`` with the differences, the last notes and the setting that reproduces the walk.
    package func check(_ differences: [String]) throws(Failure) {
        guard !differences.isEmpty else { return }
        var lines = ["\(self):"] + differences
        if !notes.isEmpty { lines += ["after:"] + notes.suffix(Self.noteCountMax) }
        throw Failure(description: (lines + ["TIDEMARK_SCALE=seed=\(seed) begins there"]).joined(separator: "\n"))
    }
}
