extension SequencingCell {
    /// A state at a time, in the order of Protocol/sequencing.md.
    static let all = [cold, live, gap, reconciling, stale].flatMap { $0 }
}
