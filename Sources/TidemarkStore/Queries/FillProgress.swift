import TidemarkModel

/// The scan of the journal's entities that completes a list.
struct FillProgress {
    /// The scan's number; nil when none is under way.
    private(set) var number: Int64?
    /// The sequence, of the generation below, after which an entity must be written for the scan of an answer's list to
    /// add it; nil: all entities.
    private(set) var after: EventSequence?
    private(set) var generation: UInt32 = 0

    /// Begins a scan.
    ///
    /// - Parameters:
    ///   - number: The scan's number; nil when memory has all entities, so that nothing is scanned.
    ///   - after: The sequence after which an entity must be written to be added; nil: all entities.
    mutating func begin(_ number: Int64?, after: EventSequence? = nil, generation: UInt32 = 0) {
        self.number = number
        self.after = after
        self.generation = generation
    }

    mutating func end() { number = nil }

    /// Ends the scan because the list is made anew.
    mutating func cancel() {
        number = nil
        after = nil
    }

    /// Tells whether the list needs an entity: an answer's list needs only those written since.
    func needs(_ stamp: EntityStamp) -> Bool {
        guard let after else { return true }
        guard stamp.generation == generation, let sequence = stamp.sequence else { return false }
        return sequence > after
    }
}
