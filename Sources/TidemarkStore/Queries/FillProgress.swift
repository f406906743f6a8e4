import TidemarkModel

/// The scan of the journal's entities that completes a list.
struct FillProgress {
    /// The scan's number; nil if none is under way.
    private(set) var number: Int64?
    /// The sequence, in `generation`, after which an entity must have been written for the scan to add it to an
    /// answered list; nil for all entities.
    private(set) var after: EventSequence?
    private(set) var generation: UInt32 = 0

    /// Begins a scan.
    ///
    /// - Parameters:
    ///   - number: The scan's number; nil if memory has all entities, so that nothing is scanned.
    ///   - after: The sequence after which an entity must have been written to be added; nil for all entities.
    ///   - generation: The generation of `after`.
    mutating func begin(_ number: Int64?, after: EventSequence? = nil, generation: UInt32 = 0) {
        self.number = number
        self.after = after
        self.generation = generation
    }

    mutating func end() { number = nil }

    /// Ends the scan, because the list is replaced.
    mutating func cancel() {
        number = nil
        after = nil
    }

    /// Returns true if the list needs an entity. The list of a response needs only those written since.
    func needs(_ stamp: EntityStamp) -> Bool {
        guard let after else { return true }
        guard stamp.generation == generation, let sequence = stamp.sequence else { return false }
        return sequence > after
    }
}
