import TidemarkModel

/// The libraries of a cache: their indexes, names and entries, and which of them miss events.
///
/// `libraryCountMax` bounds them.
struct Libraries {
    private let limits: Limits
    private var entries: [LibraryEntry]
    private var names: NameTable<LibraryIndex>
    /// The libraries that are watched because they miss events, each once.
    private(set) var watched: [LibraryIndex] = []

    init(recovered: [LibraryRecord], limits: Limits) {
        self.limits = limits
        entries = recovered.map { record in
            var entry = LibraryEntry(
                gate: SequenceGate(recovered: record, limits: limits), entityCount: record.entityCount,
                answeredThrough: record.answeredThrough, forgottenThrough: record.forgottenThrough, isChanged: false,
                isRecovered: true)
            entry.written = record
            entry.staleThrough = StaleThrough(recovered: record.staleThrough)
            if record.isUnknowable { entry.tracelessEpoch = record.epoch }
            return entry
        }
        names = NameTable(recovered: recovered.map(\.name), countMax: limits.libraryCountMax)
    }

    var count: Int { entries.count }

    /// The indexes of all libraries, ascending.
    var indexes: some RandomAccessCollection<LibraryIndex> { entries.indices.lazy.map { LibraryIndex($0) } }

    subscript(library: LibraryIndex) -> LibraryEntry {
        @inline(__always) _read { yield entries[Int(library)] }
        @inline(__always) _modify { yield &entries[Int(library)] }
    }

    /// Returns true if an index from a data file belongs to a library.
    func contains(_ library: LibraryIndex) -> Bool { Int(library) < entries.count }

    /// Returns the sum of a number over all libraries.
    func sum(_ number: (LibraryEntry) -> Int64) -> Int64 { entries.reduce(0) { $0 + number($1) } }

    // MARK: Names

    func name(of library: LibraryIndex) -> ByteString { names[library] }

    /// Returns the index of a library by its name; nil if nothing is known of it.
    func index(of name: ByteString) -> LibraryIndex? { names.index(of: name) }

    /// The index of the library that was looked up last; 0 before the first.
    var lastIndex: LibraryIndex { names.lastIndex }

    /// Returns the index of a library; adds a new one if it is unknown. nil past `libraryCountMax`.
    @inline(__always)
    mutating func admit(_ name: UnsafeRawBufferPointer) -> LibraryIndex? {
        guard let library = names.admit(name) else { return nil }
        if Int(library) == entries.count { open() }
        return library
    }

    private mutating func open() {
        entries.append(LibraryEntry(gate: SequenceGate(limits: limits), entityCount: 0, isChanged: true))
    }

    /// True if the journal lacks some names.
    var hasNewNames: Bool { names.hasNew }

    /// Returns the names that were added since the last call.
    mutating func drainNewNames() -> [(index: LibraryIndex, name: ByteString)] { names.drainNew() }

    /// Marks every library as unwritten, because the journal lost its data.
    mutating func markAllUnwritten() {
        names.markAllNew()
        for library in entries.indices {
            entries[library].written = nil
            entries[library].isChanged = true
        }
    }

    // MARK: Libraries that miss events

    /// Begins to watch a library, because it misses events.
    mutating func watch(_ library: LibraryIndex) {
        guard !self[library].isWatched else { return }
        self[library].isWatched = true
        watched.append(library)
    }

    /// Stops watching the libraries that no longer miss anything.
    mutating func endWatchingComplete() {
        for library in watched where self[library].isComplete {
            self[library].isWatched = false
            self[library].isUrgent = false
        }
        watched.removeAll { !entries[Int($0)].isWatched }
    }
}
