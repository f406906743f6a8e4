import TidemarkModel

/// Following types: every change of an entity of a followed type is logged with both of its states.
///
/// All entities of a followed type that a unit changes must be in memory before it, or in neither tier.
extension CacheState {
    /// Begins to log the changes of a type in a library, stored or not.
    ///
    /// - Parameters:
    ///   - type: The type's name or an alias.
    ///   - keepsInMemory: True if the type's entities are not evicted from memory meanwhile.
    /// - Returns: What ``unfollow(_:)`` needs; nil if there are too many libraries or types.
    package mutating func follow(
        type: ByteString, in library: ByteString, keepsInMemory: Bool
    ) -> LibraryType? {
        let name = types.ownName(of: type)
        guard let library = library.bytes.withUnsafeBytes({ libraries.admit($0) }),
            let type = name.bytes.withUnsafeBytes({ admitType($0) })
        else { return nil }
        // The name of the library or type may be new.
        noteUnwritten()
        let followed = LibraryType(library: library, type: type)
        followedTypes.add(followed, keepsInMemory: keepsInMemory)
        return followed
    }

    /// Keeps the entities of a followed type from being evicted from both tiers, as often as
    /// ``endKeepingWhole(_:)`` is not called.
    package mutating func keepWhole(_ type: LibraryType) { followedTypes.keepWhole(type) }

    /// Ends one ``keepWhole(_:)``.
    package mutating func endKeepingWhole(_ type: LibraryType) { followedTypes.endKeepingWhole(type) }

    /// True if some type is followed.
    package var followsTypes: Bool { !followedTypes.isEmpty }

    /// Ends one ``follow(type:in:keepsInMemory:)``.
    package mutating func unfollow(_ type: LibraryType) { followedTypes.remove(type) }

    /// Keeps what the cache has of an entity before the unit changes it. Does nothing for other types, and from the
    /// second call in a unit on.
    @inline(__always)
    mutating func noteBefore(_ key: StoredKey) {
        if !followedTypes.isEmpty { keepView(of: key) }
    }

    /// Does the same for an entity in memory.
    @inline(__always)
    mutating func noteBefore(at index: SlotIndex) {
        if !followedTypes.isEmpty { keepView(of: entities.key(of: index)) }
    }

    private mutating func keepView(of key: StoredKey) {
        guard followedTypes.contains(key), !queries.recorder.hasView(of: key) else { return }
        queries.recorder.keep(view(of: key), before: key)
    }

    /// Records that the oldest tombstones were removed to make room, so that their entities are unknown now.
    mutating func noteForgotten(tombstonesOf keys: [StoredKey]) {
        for key in keys {
            noteForgotten(in: key.library)
            guard followedTypes.contains(key), !queries.recorder.hasView(of: key), !isLayered(key) else { continue }
            queries.recorder.keep(FollowedView(visible: .deleted, base: .deleted), before: key)
        }
    }

    /// Records that an entity which only the journal had is gone. Its last value is not known.
    mutating func noteLost(_ key: StoredKey) {
        if followedTypes.contains(key) {
            queries.recorder.append(.lost(type: types.name(of: key.type), library: libraries.name(of: key.library)))
        }
    }

    /// Records that entities of a library which only the journal had are gone.
    mutating func noteLost(allOf library: LibraryIndex) {
        for followed in followedTypes.all.filter({ $0.library == library }).sorted(by: { $0.type < $1.type }) {
            queries.recorder.append(
                .lost(type: types.name(of: followed.type), library: libraries.name(of: library)))
        }
    }

    /// Records that an entity, or some of its fields, was evicted from both tiers.
    mutating func noteLeft(_ key: StoredKey) {
        leftTypes.insert(LibraryType(library: key.library, type: key.type))
        if followedTypes.contains(key) {
            queries.recorder.append(.evicted(type: types.name(of: key.type), library: libraries.name(of: key.library)))
        }
    }

    /// Logs the entities of followed types that the unit changed, in the order of their first change.
    mutating func logFollowed() {
        for (key, old) in queries.recorder.takeViews() {
            let new = view(of: key)
            guard new != old else { continue }
            queries.recorder.append(.followed(FollowedChange(key: entityKey(of: key), old: old, new: new)))
        }
    }

    /// Returns true if an entity of a type was evicted from both tiers since the opening.
    package func hasLeft(type: ByteString, library: ByteString) -> Bool {
        guard !leftTypes.isEmpty, let library = libraries.index(of: library), let type = types.index(of: type) else {
            return false
        }
        return leftTypes.contains(LibraryType(library: library, type: type))
    }

    /// A number that changes with the layers.
    package var pendingVersion: PendingVersion {
        PendingVersion(count: layers.count, nextNumber: layers.nextNumber, keyCount: layers.overlays.count)
    }

    /// Returns the entities of a library that layers cover, in no order.
    package func layeredKeys(in library: ByteString) -> [EntityKey] {
        guard !layers.isEmpty, let library = libraries.index(of: library) else { return [] }
        return layers.overlays.keys.map { queries.keys.key(of: $0) }.filter { $0.library == library }
            .map { entityKey(of: $0) }
    }

    // MARK: Reading

    /// Returns what readers see of an entity, without counting it as a read; nil if only the journal may know.
    ///
    /// - Complexity: O(resource).
    package func presence(of key: StoredKey) -> EntityPresence? {
        let view = view(of: key)
        return view.visible == .unknown && absentCount > 0 && !isKnown(key) ? nil : view.visible
    }

    /// Returns the server's data of an entity, without layers; nil if only the journal may know.
    ///
    /// - Complexity: O(resource).
    package func basePresence(of key: StoredKey) -> EntityPresence? {
        let view = view(of: key)
        return view.base == .unknown && absentCount > 0 && !isKnown(key) ? nil : view.base
    }

    /// Returns what the cache has of an entity that is in memory, or in neither tier. An entity of which only some
    /// fields are left is unknown, because nobody can tell what it lacks.
    private func view(of key: StoredKey) -> FollowedView {
        let index = withIdentity(key) { entities.find($0) }
        let isDeleted = index == nil && tombstones[key] != nil
        var base: EntityPresence = isDeleted ? .deleted : .unknown
        if let index, entities.completeness(of: index).isEvaluable {
            base = .present(Array(entities.payload(of: index)))
        }
        guard isLayered(key), let handle = queries.keys.handle(of: key), let overlay = layers.overlays[handle] else {
            return FollowedView(visible: base, base: base)
        }
        var visible: EntityPresence = overlay.isDeleted || isDeleted ? .deleted : .unknown
        if let resource = overlay.visible, completeness(of: handle).isEvaluable { visible = .present(resource) }
        return FollowedView(visible: visible, base: base)
    }

    /// Merges a page of the journal's entities of a followed type with those in memory.
    ///
    /// - Parameters:
    ///   - id: The id after which the page begins; nil for the first one.
    ///   - stored: Entities after `id` as of the last commit: `storedCountMax` of them, or all.
    ///   - countMax: The most entities of the page.
    ///   - isOfBases: True for the server's data without layers.
    /// - Returns: The visible entities or bases, ascending by the bytes of their ids, and whether others follow.
    /// - Complexity: O(entities in memory + m log m) for m entities of the type.
    package func page(
        of type: LibraryType, after id: ByteString?, stored: LoadedEntities, storedCountMax: Int, countMax: Int,
        isOfBases: Bool = false
    ) -> (entities: [(id: ByteString, resource: [UInt8])], isLast: Bool) {
        // After the last stored entity of the page the journal may have others that are not in memory.
        let isCut = stored.entities.count + stored.damaged.count >= storedCountMax
        let end = isCut ? stored.last?.text : nil
        var found: [(id: ByteString, stored: Int?)] = []
        func add(_ own: ByteString, _ place: Int?) {
            if let id, own <= id { return }
            if let end, own > end { return }
            found.append((own, place))
        }
        entities.forEachIndex { index in
            guard entities.type(of: index) == type.type, entities.library(of: index) == type.library else { return }
            let key = entities.key(of: index)
            if entities.completeness(of: index).isEvaluable, isOfBases || !isLayered(key) { add(key.id.text, nil) }
        }
        for (handle, overlay) in layers.overlays where overlay.visible != nil && !isOfBases {
            let key = queries.keys.key(of: handle)
            if key.type == type.type, key.library == type.library { add(key.id.text, nil) }
        }
        for (place, entity) in stored.entities.enumerated()
        where !isKnown(entity.key) && Completeness(fields: entity.fields).isEvaluable {
            add(entity.key.id.text, place)
        }
        found.sort { $0.id < $1.id }
        var page: [(id: ByteString, resource: [UInt8])] = []
        for (id, place) in found.prefix(countMax) {
            if let place {
                page.append((id, stored.entities[place].payload))
            } else {
                let key = StoredKey(library: type.library, type: type.type, id: StoredID(id))
                let view = view(of: key)
                if case .present(let resource) = isOfBases ? view.base : view.visible { page.append((id, resource)) }
            }
        }
        return (page, !isCut && found.count <= countMax)
    }
}
