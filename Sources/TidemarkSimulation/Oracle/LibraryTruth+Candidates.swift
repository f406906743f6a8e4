extension LibraryTruth {
    /// Returns the possible states of an entity.
    package func candidates(_ id: String) -> Set<Candidate> { entities[id] ?? [Candidate(fields: nil)] }

    /// True if an answer came from another log before the first log was received, so its position is meaningless there.
    package func isMisplaced(_ id: String) -> Bool { hasBegun && origins[id]?.contains { $0 != log } == true }

    /// Replaces the candidates of an entity. Past ``openCountMax`` their positions are dropped, and any state is
    /// accepted.
    package mutating func believe(_ id: String, _ candidates: Set<Candidate>) {
        guard candidates.count > Self.openCountMax else {
            entities[id] = candidates
            return
        }
        blurred.insert(id)
        overflowed.insert(id)
        entities[id] = Set(candidates.map { Candidate(fields: $0.fields) })
    }

    /// Reduces the candidates to those that the cache may be showing.
    ///
    /// - Parameters:
    ///   - base: The state that the cache shows without layers; nil if layers cover it.
    ///   - isShown: Returns true if a base state would be shown as the cache shows the entity.
    /// - Returns: False if no candidate fits.
    package mutating func narrow(_ id: String, base: ItemFields??, isShown: (ItemFields?) -> Bool) -> Bool {
        if let base, let known = entities[id], known.count == 1, known.first?.fields == base { return true }
        let left = candidates(id).filter { isShown($0.fields) }
        guard left.isEmpty else {
            guard left.count > Self.candidateCountMax else {
                entities[id] = left
                return true
            }
            // Answers that may be stored at any time double the candidates. Past the bound, keep only what fits the
            // current state.
            blurred.insert(id)
            entities[id] = Set(left.map { Candidate(fields: $0.fields) })
            return true
        }
        guard blurred.contains(id) else { return false }
        if let base { entities[id] = [Candidate(fields: base)] }
        return true
    }
}
