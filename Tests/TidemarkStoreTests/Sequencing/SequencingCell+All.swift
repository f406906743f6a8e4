extension SequencingCell {
    /// The cells of all states, in the order of Protocol/sequencing.md.
    static let all = [cold, live, gap, reconciling, stale].flatMap { $0 }
}
