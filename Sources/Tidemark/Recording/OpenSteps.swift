/// The entries of a step under way and of the steps that it causes: each one comes before those that it causes.
///
/// Bounded by the steps that one step causes: an attempt for each place of the outbox.
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

    /// Adds an entry behind the others.
    ///
    /// - Returns: false when no step is under way: the entry may be recorded at once.
    mutating func add(_ entry: RecordedEntry) -> Bool {
        if depth > 0 { entries.append(entry) }
        return depth > 0
    }

    /// Ends a step.
    ///
    /// - Returns: The entries to record: those of all steps once the outermost one has ended, else none.
    mutating func end(_ entry: RecordedEntry, at place: Int) -> [RecordedEntry] {
        depth -= 1
        entries.insert(entry, at: place)
        guard depth == 0 else { return [] }
        defer { entries = [] }
        return entries
    }
}
