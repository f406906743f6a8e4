/// The entries of the current step and of the steps that it causes. Each entry precedes those of the steps that it
/// causes.
///
/// Bounded by the steps that one step causes: one attempt for each place of the outbox.
struct OpenSteps {
    private var depth = 0
    private var entries: [RecordedEntry] = []

    /// Begins a step.
    ///
    /// - Returns: The place of its entry.
    mutating func begin() -> Int {
        depth += 1
        return entries.count
    }

    /// Adds an entry after the others.
    ///
    /// - Returns: False when no step is under way, and the entry may be recorded at once.
    mutating func add(_ entry: RecordedEntry) -> Bool {
        if depth > 0 { entries.append(entry) }
        return depth > 0
    }

    /// Ends a step.
    ///
    /// - Returns: The entries to record: all of them once the outermost step has ended, otherwise none.
    mutating func end(_ entry: RecordedEntry, at place: Int) -> [RecordedEntry] {
        depth -= 1
        entries.insert(entry, at: place)
        guard depth == 0 else { return [] }
        defer { entries = [] }
        return entries
    }
}
