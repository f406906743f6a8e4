import TidemarkModel
import TidemarkStore

/// Whole types for wings: their changes, their entities in order, and single entities in the middle of a step.
extension SyncCache {
    /// Begins to pass every change of a type's entities to the wings, as ``ChangeRecord/followed(_:)``.
    ///
    /// - Returns: What ``unfollow(_:)`` needs; nil when there are too many libraries or types.
    package func follow(type: ByteString, in library: ByteString) -> LibraryType? {
        state.follow(type: type, in: library, keepsInMemory: !(journal is any ImmediateReads))
    }

    /// Ends one ``follow(type:in:)``.
    package func unfollow(_ type: LibraryType) { state.unfollow(type) }

    /// Keeps the entities of a followed type from being evicted from both tiers, as often as
    /// ``endKeepingWhole(_:)`` is not called.
    package func keepWhole(_ type: LibraryType) { state.keepWhole(type) }

    /// Ends one ``keepWhole(_:)``.
    package func endKeepingWhole(_ type: LibraryType) { state.endKeepingWhole(type) }

    /// Loads all entities of a followed type into memory if they have to be there.
    ///
    /// - Throws: ``StorageError`` when the journal cannot be read.
    package func loadFollowed(_ type: LibraryType) async throws(StorageError) {
        guard !(journal is any ImmediateReads) else { return }
        var last: StoredID?
        while state.absentCount > 0 {
            await takeLoadTurn()
            turns.loads.begin()
            defer {
                endLoading()
                turns.loads.release()
            }
            let page = try await journal.page(
                library: type.library, type: type.type, after: last, countMax: SyncCache.loadedCountPerStep)
            state.install(page)
            last = page.last
            if page.entities.count + page.damaged.count < SyncCache.loadedCountPerStep { break }
        }
    }

    /// How many entities one step of ``loadFollowed(_:)`` reads: 4,096.
    private static let loadedCountPerStep = 4_096

    /// Reads a page of a followed type and uses it in the same step.
    ///
    /// - Parameters:
    ///   - id: The id after which the page begins; nil for the first one.
    ///   - isOfBases: True for the server's data, without pending edits.
    ///   - body: Receives the visible entities or bases, ascending by the bytes of their ids, and whether they are the
    ///     last.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    /// - Complexity: O(entities in memory) for each page, so pages grow with their number.
    package func withPage<Result>(
        of type: LibraryType, after id: ByteString?, isOfBases: Bool = false,
        _ body: (_ entities: [(id: ByteString, resource: [UInt8])], _ isLast: Bool) -> Result
    ) async throws(StorageError) -> Result {
        turns.loads.begin()
        defer { endLoading() }
        while true {
            let countMax = max(SyncCache.pageCountMin, state.residentCount / 16)
            let commit = flushes.commitCount
            var stored = LoadedEntities()
            if state.absentCount > 0 {
                stored = try await journal.page(
                    library: type.library, type: type.type, after: id.map { StoredID($0) }, countMax: countMax)
            }
            // A commit or an eviction during the read may have removed newer values from memory. The page may then be
            // older than these.
            guard commit == flushes.commitCount else { continue }
            let page = state.page(
                of: type, after: id, stored: stored, storedCountMax: countMax, countMax: countMax, isOfBases: isOfBases)
            return body(page.entities, page.isLast)
        }
    }

    /// The smallest page of ``withPage(of:after:_:)``: 1,024 entities.
    private static let pageCountMin = 1_024

    /// Loads entities of followed types into memory, as far as the journal has them.
    ///
    /// - Returns: The places of the entities that are in no tier then: the journal has none, or a damaged one.
    /// - Throws: ``CacheError`` `storageFailed`.
    package func load(_ entities: [(type: LibraryType, id: ByteString)]) async throws(CacheError) -> [Int] {
        let keys = entities.map { StoredKey(library: $0.type.library, type: $0.type.type, id: StoredID($0.id)) }
        do throws(StorageError) {
            return try await withLoaded({ keys.filter { state.presence(of: $0) == nil } }) {
                keys.indices.filter { state.presence(of: keys[$0]) == nil }
            }
        } catch {
            throw CacheError(error)
        }
    }

    /// Returns true if an entity of a type was evicted from both tiers since the opening.
    package func hasLeft(type: ByteString, library: ByteString) -> Bool {
        state.hasLeft(type: type, library: library)
    }

    // MARK: Pending edits

    /// A number that changes with the pending edits.
    package var pendingVersion: PendingVersion { state.pendingVersion }

    /// Returns the entities of a library that pending edits cover, in no order.
    package func pendingKeys(in library: ByteString) -> [EntityKey] { state.layeredKeys(in: library) }

    // MARK: Reading

    /// The cache's own names of types, by their other names.
    package var typeAliases: [ByteString: ByteString] { state.configuration.typeAliases }

    /// Returns what readers see of an entity, in the middle of a step and without counting it as a read.
    ///
    /// - Returns: nil if only the journal knows and cannot be read now. A journal without ``ImmediateReads`` is not
    ///   read: ``loadFollowed(_:)`` has loaded the type.
    package func presence(of id: ByteString, _ type: LibraryType) -> EntityPresence? {
        let key = StoredKey(library: type.library, type: type.type, id: StoredID(id))
        return state.presence(of: key) ?? storedPresence(of: key)
    }

    /// Returns the server's data of an entity, without pending edits, in the middle of a step and without counting it
    /// as a read.
    ///
    /// - Returns: nil if only the journal knows and cannot be read now.
    package func basePresence(of id: ByteString, _ type: LibraryType) -> EntityPresence? {
        let key = StoredKey(library: type.library, type: type.type, id: StoredID(id))
        return state.basePresence(of: key) ?? storedPresence(of: key)
    }

    private func storedPresence(of key: StoredKey) -> EntityPresence? {
        guard let journal = journal as? any ImmediateReads else { return .unknown }
        guard let read = journal.readImmediately(key) else { return nil }
        guard case .found(let entity) = read, Completeness(fields: entity.fields).isEvaluable else { return .unknown }
        return .present(entity.payload)
    }
}

extension SyncCache {
    /// Returns true if readers see an entity of any type. Not counted as a read.
    package func shows(_ key: EntityKey) -> Bool {
        switch state.look(key, asked: []) {
        case .found: return true
        case .deleted, .absent, .evicted: return false
        case .elsewhere(let stored):
            guard let read = (journal as? any ImmediateReads)?.readImmediately(stored) else { return false }
            if case .found = read { return true }
            return false
        }
    }

    /// Returns the sequence of the event that wrote an entity last, and the number of its line, as far as they are
    /// known.
    package func lastWrite(of key: EntityKey) -> (sequence: EventSequence?, line: Int64?) {
        guard case .found(let entity) = state.look(key, asked: []) else { return (nil, nil) }
        guard state.keptEvents.isOn, let sequence = entity.sequence else { return (entity.sequence, nil) }
        var selection = KeptEvents.Selection(countMax: 1)
        selection.library = key.library
        selection.sequence = sequence
        selection.key = key.text
        return (sequence, state.keptEvents.select(selection).events.first?.event.line)
    }
}
