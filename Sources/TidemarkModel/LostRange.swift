/// A range of sequences that were declared lost.
public struct LostRange: Hashable, Sendable {
    /// The first lost sequence.
    public var first: EventSequence
    /// The last lost sequence, included.
    public var last: EventSequence

    /// Makes a range.
    ///
    /// - Precondition: `first` is not above `last`.
    public init(first: EventSequence, last: EventSequence) {
        precondition(first <= last, "a lost range from \(first) to \(last) is empty")
        self.first = first
        self.last = last
    }
}
