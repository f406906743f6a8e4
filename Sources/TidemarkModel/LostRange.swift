/// A range of sequences that were declared lost, both ends included.
public struct LostRange: Hashable, Sendable {
    public var first: EventSequence
    public var last: EventSequence

    public init(first: EventSequence, last: EventSequence) {
        precondition(first <= last, "a lost range from \(first) to \(last) is empty")
        self.first = first
        self.last = last
    }
}
