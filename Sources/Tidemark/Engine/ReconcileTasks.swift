import TidemarkStore

/// The requests to an upstream, and the pauses before the next ones: at most one a library. Bounded by
/// `libraryCountMax`.
struct ReconcileTasks {
    private struct Entry {
        /// The number of the attempt: the end of an attempt must not remove the task of the next one.
        var attempt: UInt64
        var task: Task<Void, Never>
    }

    private var entries: [LibraryIndex: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// The task of some library; nil when no library waits for its upstream.
    var first: Task<Void, Never>? { entries.values.first?.task }

    var all: [Task<Void, Never>] { entries.values.map(\.task) }

    func task(of library: LibraryIndex) -> Task<Void, Never>? { entries[library]?.task }

    /// Keeps the task of an attempt, in place of the one before.
    mutating func began(_ attempt: UInt64, of library: LibraryIndex, _ task: Task<Void, Never>) {
        entries[library] = Entry(attempt: attempt, task: task)
    }

    /// Notes the end of an attempt. The end of an attempt that a later one has replaced changes nothing.
    mutating func ended(_ attempt: UInt64, of library: LibraryIndex) {
        if entries[library]?.attempt == attempt { entries[library] = nil }
    }

    func cancel(_ library: LibraryIndex) { entries[library]?.task.cancel() }

    func cancelAll() {
        for entry in entries.values { entry.task.cancel() }
    }
}
