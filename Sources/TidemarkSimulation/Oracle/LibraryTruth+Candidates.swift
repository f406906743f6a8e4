extension LibraryTruth {
    package func candidates(_ id: String) -> Set<Candidate> { entities[id] ?? [Candidate(fields: nil)] }

    /// Whether an answer came from a log before the first one that was received, so that its place means nothing there.
    package func isMisplaced(_ id: String) -> Bool { hasBegun && origins[id]?.contains { $0 != log } == true }

    /// Replaces the candidates of an entity.
    package mutating func believe(_ id: String, _ candidates: Set<Candidate>) { entities[id] = candidates }
}
