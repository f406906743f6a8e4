import TidemarkModel

/// The temporary ids that were renamed, with their real ids. A later edit that still names a temporary id is changed to
/// name the real one.
///
/// ``countMax`` and ``byteCountMax`` bound it: the oldest renaming is forgotten first. Pending layers are changed as
/// soon as a renaming is known, so only later edits need this.
/// - Source: Protocol/optimistic.md, temporary ids.
package struct Renamings {
    /// One temporary id of a library.
    private struct Name: Hashable {
        var library: LibraryIndex
        var temporary: ByteString
    }

    /// The most renamings: 10,000.
    package static let countMax = 10_000
    /// The most bytes of all renamings: 4 MiB.
    static let byteCountMax = 4 << 20

    /// The renamings by number, in the order in which they became known.
    private var renamings: [Int64: RenamingRecord] = [:]
    /// The numbers of each temporary id's renamings, at most one for each type.
    private var numbers: [Name: [Int64]] = [:]
    private var byteCount = 0
    /// The renamings that changed since the last flush. The number of renamings bounds it.
    private var dirty: Set<Int64> = []
    /// The renamings that the journal has and that were removed since the last flush.
    private var removed: [Int64] = []
    private var written: Set<Int64> = []

    var isEmpty: Bool { renamings.isEmpty }
    /// How many records the next flush writes or removes.
    var changeCount: Int { dirty.count + removed.count }

    // MARK: Lookup

    /// Returns the renaming of an entity's temporary id; nil if the id is not a temporary one, or names a newer entity.
    ///
    /// - Parameter type: The entity's type; nil for a type that no entity has had yet.
    func renaming(of temporary: ByteString, type: TypeIndex?, in library: LibraryIndex) -> RenamingRecord? {
        let all = all(of: temporary, in: library)
        let found = all.first { $0.type == type } ?? all.first { $0.type == nil }
        return found.flatMap { $0.isEnded ? nil : $0 }
    }

    /// Returns the renaming of a temporary id in a request's input; nil if it must not be replaced.
    ///
    /// - Parameter types: The types under which the edit itself names the id. If there are none, the id is replaced
    ///   only if a single entity had it: naming a wrong entity would be worse than keeping the temporary id.
    func renaming(
        of temporary: ByteString, namedAs types: Set<TypeIndex>, in library: LibraryIndex
    ) -> RenamingRecord? {
        let all = all(of: temporary, in: library).filter { renaming in
            types.isEmpty || renaming.type.map { types.contains($0) } ?? true
        }
        guard let first = all.first, all.allSatisfy({ $0.real == first.real && !$0.isEnded }) else { return nil }
        return first
    }

    /// Returns true if a renaming is known, and a newer entity has used its temporary id since.
    func isEnded(_ temporary: ByteString, to real: ByteString, type: TypeIndex?, in library: LibraryIndex) -> Bool {
        all(of: temporary, in: library).contains {
            ($0.type == nil || $0.type == type) && $0.real == real && $0.isEnded
        }
    }

    /// Returns true if a temporary id is known to have become a real id, under any type.
    func isKnown(_ temporary: ByteString, to real: ByteString, in library: LibraryIndex) -> Bool {
        all(of: temporary, in: library).contains { $0.real == real }
    }

    private func all(of temporary: ByteString, in library: LibraryIndex) -> [RenamingRecord] {
        guard !renamings.isEmpty else { return [] }
        return (numbers[Name(library: library, temporary: temporary)] ?? []).compactMap { renamings[$0] }
    }

    // MARK: Changes

    /// Adds a renaming. It replaces one of the same id and type.
    ///
    /// - Parameter record: Its number must be above that of every other renaming.
    mutating func learn(_ record: RenamingRecord) {
        for known in all(of: record.temporary, in: record.library) where known.type == record.type {
            if known.real == record.real, known.json == record.json { return }
            remove(known.number)
        }
        insert(record)
        dirty.insert(record.number)
        while renamings.count > Renamings.countMax || byteCount > Renamings.byteCountMax,
            let oldest = renamings.keys.min()
        {
            remove(oldest)
        }
    }

    /// Ends the renamings of a temporary id, because an edit adds a new entity under it.
    mutating func end(_ temporary: ByteString, type: TypeIndex, in library: LibraryIndex) {
        for known in all(of: temporary, in: library)
        where !known.isEnded && (known.type == type || known.type == nil) {
            renamings[known.number]?.isEnded = true
            dirty.insert(known.number)
        }
    }

    private mutating func insert(_ record: RenamingRecord) {
        renamings[record.number] = record
        numbers[Name(library: record.library, temporary: record.temporary), default: []].append(record.number)
        byteCount += record.byteCount
    }

    private mutating func remove(_ number: Int64) {
        guard let record = renamings.removeValue(forKey: number) else { return }
        let name = Name(library: record.library, temporary: record.temporary)
        numbers[name]?.removeAll { $0 == number }
        if numbers[name]?.isEmpty == true { numbers[name] = nil }
        byteCount -= record.byteCount
        dirty.remove(number)
        if written.remove(number) != nil { removed.append(number) }
    }

    // MARK: The journal

    /// Adds a renaming that the journal has.
    mutating func restore(_ record: RenamingRecord) {
        insert(record)
        written.insert(record.number)
    }

    /// Moves every renaming that changed since the last flush, and every removal, into a flush.
    mutating func drain(into flush: inout FlushBatch) {
        flush.renamings = dirty.sorted().compactMap { renamings[$0] }
        written.formUnion(dirty)
        dirty = []
        flush.removedLayers += removed
        removed = []
    }

    /// Marks every renaming as unwritten, because the journal lost its data.
    mutating func markAllDirty() {
        removed = []
        written = []
        dirty = Set(renamings.keys)
    }
}
