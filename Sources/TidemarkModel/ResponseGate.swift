/// Which questions an invalidation, a clear, a write or another answer affects.
package protocol AnswerScope: Hashable, Sendable {
    /// What identifies a question.
    associatedtype Question

    /// Returns true if a question is affected.
    func includes(_ question: Question) -> Bool
}

/// Decides what may be done with the answer to a question, from everything that happened since it was asked.
///
/// Every question and every note takes the next number. A note outdates the older questions in its scope: their answers
/// undo nothing, and nobody joins them afterwards.
///
/// | step | when |
/// |---|---|
/// | ``begin()`` | before the first look at what is stored |
/// | ``note(_:_:)`` | in the same turn as the invalidation, clear or write, before anybody waits |
/// | ``noteAnswer(_:to:)`` | when an answer is accepted: older questions of its scope are outdated |
/// | ``verdict(on:of:)`` | in the same turn as the write of the answer, and before somebody joins the question |
/// | ``end(_:)`` | once, whatever became of the question |
///
/// A note is kept only while an older question is under way. Beyond ``noteCountMax`` notes, all questions under way are
/// outdated: less is stored than could be, but nothing wrong. The gate has no clock and performs no I/O. A restart ends
/// all questions, so nothing of it is written to the disk.
///
/// - Source: docs/architecture.md, law L12.
package struct ResponseGate<Scope: AnswerScope>: Sendable {
    /// The position of a question among all questions and notes.
    package struct Mark: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// What may be done with an answer, from the mildest verdict to the strictest.
    package enum Verdict: Int, CaseIterable, Hashable, Comparable, Sendable {
        /// The answer may be stored, and a reader that asks the same now may join the question.
        case current
        /// The answer may be stored as one that is stale already. Nobody may join the question.
        case stale
        /// Nothing of the answer may be stored. Nobody may join the question.
        case void

        /// True if a reader that asks the same now may join the question.
        package var mayJoin: Bool { self == .current }

        /// True if the answer may be stored, if only as stale.
        package var mayStore: Bool { self != .void }

        package static func < (left: Verdict, right: Verdict) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Noted: Hashable {
        var scope: Scope
        var verdict: Verdict
    }

    private let noteCountMax: Int
    private var lastNumber: UInt64 = 0
    /// The questions under way, oldest first. Bounded by the owner.
    private var open: [UInt64] = []
    /// The newest note of each scope and verdict. Bounded by `noteCountMax`.
    private var notes: [Noted: UInt64] = [:]
    /// The number up to which questions are void, because more was noted than is kept.
    private var voidThrough: UInt64 = 0

    /// The default of the largest number of notes: 1,000.
    package static var noteCountMax: Int { 1_000 }

    /// - Parameter noteCountMax: The largest number of notes, at least 1.
    package init(noteCountMax: Int = ResponseGate.noteCountMax) {
        precondition(noteCountMax >= 1, "a gate keeps \(noteCountMax) notes, and needs at least 1")
        self.noteCountMax = noteCountMax
    }

    /// The number of questions under way.
    package var openCount: Int { open.count }

    /// The number of notes that are kept.
    package var noteCount: Int { notes.count }

    // MARK: Questions

    /// Begins a question.
    package mutating func begin() -> Mark {
        lastNumber += 1
        open.append(lastNumber)
        return Mark(number: lastNumber)
    }

    /// Ends a question.
    ///
    /// - Precondition: The question is under way.
    /// - Complexity: O(questions under way), and O(notes) for the oldest question.
    package mutating func end(_ mark: Mark) {
        guard let index = index(of: mark) else {
            preconditionFailure("question \(mark.number) is ended twice, or belongs to another gate")
        }
        open.remove(at: index)
        guard index == 0 else { return }
        guard let oldest = open.first else {
            notes.removeAll(keepingCapacity: false)
            return
        }
        notes = notes.filter { oldest < $0.value }
    }

    // MARK: Notes

    /// Records that something happened that outdates the questions of a scope that are under way.
    ///
    /// - Parameters:
    ///   - scope: The questions that are affected.
    ///   - verdict: ``Verdict/stale`` or ``Verdict/void``, for the answers to these questions.
    package mutating func note(_ scope: Scope, _ verdict: Verdict = .void) {
        lastNumber += 1
        keep(Noted(scope: scope, verdict: verdict), lastNumber)
    }

    /// Records that the answer to a question was accepted: the answers to older questions of the scope are void.
    package mutating func noteAnswer(_ scope: Scope, to mark: Mark) {
        keep(Noted(scope: scope, verdict: .void), mark.number)
    }

    private mutating func keep(_ noted: Noted, _ number: UInt64) {
        guard noted.verdict != .current, let oldest = open.first, oldest < number else { return }
        if notes[noted] == nil, notes.count >= noteCountMax {
            notes.removeAll(keepingCapacity: true)
            voidThrough = lastNumber
            return
        }
        notes[noted] = max(notes[noted] ?? 0, number)
    }

    // MARK: Verdicts

    /// Decides what may be done with the answer to a question.
    ///
    /// - Precondition: The question is under way; the notes for one that has ended are gone.
    /// - Complexity: O(notes).
    package func verdict(on mark: Mark, of question: Scope.Question) -> Verdict {
        precondition(index(of: mark) != nil, "question \(mark.number) has ended, or belongs to another gate")
        guard mark.number > voidThrough else { return .void }
        var verdict = Verdict.current
        for (noted, number) in notes
        where number > mark.number && noted.verdict > verdict && noted.scope.includes(question) {
            verdict = noted.verdict
        }
        return verdict
    }

    private func index(of mark: Mark) -> Int? {
        var bounds = open.startIndex..<open.endIndex
        while !bounds.isEmpty {
            let middle = bounds.lowerBound + bounds.count / 2
            if open[middle] == mark.number { return middle }
            bounds = open[middle] < mark.number ? (middle + 1)..<bounds.upperBound : bounds.lowerBound..<middle
        }
        return nil
    }
}
