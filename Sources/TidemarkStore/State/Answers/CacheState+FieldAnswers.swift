import TidemarkJSON
import TidemarkModel

/// Stores GraphQL responses, and the queries that represent their root fields.
extension CacheState {
    /// Returns the keys that a response touches and that only the journal may have.
    package func keysToLoad(for answer: FieldResponse) -> [StoredKey] {
        guard absentCount > 0 else { return [] }
        let keys = answer.entities.compactMap { keyToLoad($0.key) }
        guard !answer.realIDs.isEmpty, let library = libraries.index(of: answer.library) else { return keys }
        return keys + keysToLoad(for: answer.realIDs, in: library).filter { !keys.contains($0) }
    }

    /// Stores a GraphQL response as one unit. Its fields are merged by path and dated, unless something newer is known
    /// of their entity.
    ///
    /// - Precondition: The keys that ``keysToLoad(for:)`` returned were loaded.
    /// - Throws: ``FieldResponseError``; then nothing was stored. The layer of a refused mutation settles if its
    ///   library was cleared.
    package mutating func store(_ answer: FieldResponse, at now: Int64) throws(FieldResponseError) {
        guard let library = answer.library.bytes.withUnsafeBytes({ libraries.admit($0) }) else {
            throw .tooManyLibraries
        }
        var keys: [StoredKey] = []
        for entity in answer.entities {
            let name = types.ownName(of: entity.key.type)
            guard let type = name.bytes.withUnsafeBytes({ admitType($0) }) else { throw .tooManyTypes }
            keys.append(StoredKey(library: library, type: type, id: StoredID(entity.key.id)))
        }
        guard !isCleared(answer.library, since: answer.start) else {
            settle(answer, at: now)
            throw .cleared
        }
        let byteCount = answer.entities.reduce(0) { $0 + $1.resource.count }
        if !fitsAnywhere(byteCount), let place = firstOversized(keys, { answer.entities[$0].resource }) {
            throw .tooLarge(event: 0, index: place, byteCountMax: entityByteCountMax)
        }
        let head = comparable(answer.head)
        if !isAwaitingAnswers { forgetRecentWrites() }
        let newer = newerWrites(than: head, in: library)
        let stamp = EntityStamp(
            sequence: head.asOf ?? (head.start.map(\.cursor) ?? cursor(of: library)),
            generation: libraries[library].gate.generation, writtenAt: now, writer: .document, isPartial: true)
        var rootQueries: [RootQuery] = []
        for root in answer.roots { rootQueries += try open(root, of: answer.library, library) }
        isUnwritten = true
        libraries[library].isChanged = true
        let question = question(of: answer.start)
        if answer.isLocal || answer.isMutation { meanwhile.noteChange(in: answer.library) }
        beginUnit(isMulti: true)
        for id in answer.realIDs {
            rename(id, in: library, at: now)
        }
        for (key, entity) in zip(keys, answer.entities) {
            write(
                entity.resource, key, stamp: stamp, newer: newer, isPlaceKnown: head.asOf != nil,
                keeping: newerFields(of: key, for: answer, newer, stamp.sequence), answer, question)
        }
        var isOutdated = false
        for root in rootQueries {
            guard !isListNewer(root.query, than: head, question) else {
                isOutdated = true
                continue
            }
            var head = head
            head.tags = root.tags
            head.membership = root.list?.membership
            head.membershipText = root.list?.text ?? []
            let cause = queries[root.query].isStored ? staleCause(of: root.query, head) : nil
            refile(root.query, head, type: root.type, question, at: now)
            defer { if followMeanwhile(root.query, head, cause, at: now) { isOutdated = true } }
            guard let own = root.list else { continue }
            list(listed(own.elements, newer, stamp), in: root.query, answered: own.elements.count, at: now)
            complete(root.query, newer, generation: stamp.generation, at: now)
            if newer.isUnsure { markStale(root.query, because: .answer, at: now) }
            if !layers.isEmpty { refoldAll(in: root.query) }
        }
        if let pendingID = answer.settledLayer, let layer = layers.layer(named: pendingID) {
            drop(layers.group(of: layer), at: now)
        }
        if !layers.isEmpty { dropLayersOfEndedLog(at: now) }
        if !answer.roots.isEmpty, !isOutdated { libraries[library].gate.clearStale() }
        endUnit(at: now)
        noteStatus(of: library, at: now)
    }

    /// Settles the layer of a mutation whose response is not stored.
    private mutating func settle(_ answer: FieldResponse, at now: Int64) {
        guard let pendingID = answer.settledLayer, let layer = layers.layer(named: pendingID) else { return }
        isUnwritten = true
        beginUnit(isMulti: true)
        drop(layers.group(of: layer), at: now)
        endUnit(at: now)
    }

    /// Returns the fields of an entity that keep their values when a response is stored.
    ///
    /// - Parameter place: The position in the log of the response; nil if unknown.
    /// - Returns: nil if the entity is compared as a whole.
    private func newerFields(
        of key: StoredKey, for answer: FieldResponse, _ newer: NewerWrites, _ place: EventSequence?
    ) -> Set<ByteString>? {
        // A position in an ended log says nothing. The order of requests then decides, as without a position.
        guard !newer.isUnsure, let start = answer.start,
            answer.asOf == nil || start.generation != generation(of: answer.library)
        else {
            return nil
        }
        // If an event wrote the entity, that value is newer as a whole. So is another response with a higher position,
        // except against a mutation, which wins field by field.
        let isWhole =
            newer.keys.contains(key)
            && newer.writes.contains { write in
                write.key == key && write.extent == .whole && !(write.isAnswer && answer.isMutation)
            }
        guard !isWhole else { return nil }
        return newerFields(of: key, since: start, place, isMutation: answer.isMutation)
    }

    private mutating func write(
        _ resource: [UInt8], _ key: StoredKey, stamp: EntityStamp, newer: NewerWrites, isPlaceKnown: Bool,
        keeping kept: Set<ByteString>?, _ answer: FieldResponse, _ question: Int64
    ) {
        key.withIdentity(seed: entities.seed) { identity in
            if let index = entities.find(identity) {
                let stored = entities.stamp(of: index)
                if kept == nil, isNewer(stored, key, than: newer, generation: stamp.generation) { return }
                // A response without a position was requested after the value that it replaces was stored, so it is no
                // older.
                let whole = isPlaceKnown ? stamp : stamp.raised(to: stored)
                if whole == stamp, kept?.isEmpty ?? true, entities.completeness(of: index) == .whole,
                    resource.withUnsafeBytes({ Merge.covers($0, entities.payload(of: index)) })
                {
                    resource.withUnsafeBytes { overwrite(index, $0, stamp: stamp) }
                    return note(answer, index, resource, fields: nil, stamp, question)
                }
                let merged = resource.withUnsafeBytes {
                    Merge.byPath($0, into: entities.payload(of: index), keeping: kept ?? [])
                }
                if !isPlaceKnown, isOvertaken(answer, key, stamp) {
                    var stamps = entities.fieldStamps[index] ?? FieldStamps(rest: stored, named: [:])
                    stamps.date(merged.written, as: stamp)
                    merged.resource.withUnsafeBytes { _ = overwrite(index, $0, around: stamps, at: stamp) }
                    return note(answer, index, resource, fields: merged.written.wholes, stamp, question)
                }
                merged.resource.withUnsafeBytes { overwrite(index, $0, fields: merged.written, stamp: whole) }
                return note(answer, index, resource, fields: merged.written.wholes, whole, question)
            }
            if residency.wasEvicted(identity), mayBePast(key, newer) { return }
            if !tombstones.isEmpty, let tombstone = tombstones[key] {
                let deleted = EntityStamp(
                    sequence: tombstone.sequence, generation: tombstone.generation, writtenAt: tombstone.deletedAt)
                if isNewer(deleted, key, than: newer, generation: stamp.generation) { return }
                removeTombstone(of: key)
            }
            let index = resource.withUnsafeBytes { insert(identity, $0, stamp: stamp) }
            note(answer, index, resource, fields: nil, stamp, question)
        }
    }

    /// Returns true if a mutation's response must keep its own position. It wins over responses to later requests,
    /// whose position may be past the mutation's; the events in between then show which of the two is newer.
    private func isOvertaken(_ answer: FieldResponse, _ key: StoredKey, _ stamp: EntityStamp) -> Bool {
        guard answer.isMutation, let start = answer.start, let place = stamp.sequence else { return false }
        return fieldWrites.hasQuestion(of: key, after: start.question, past: place)
    }

    /// Remembers a response's write for other responses that are on their way.
    ///
    /// - Parameter fields: The paths that were written; nil for all fields of the resource.
    private mutating func note(
        _ answer: FieldResponse, _ index: SlotIndex, _ resource: [UInt8], fields: [ByteString]?, _ stamp: EntityStamp,
        _ question: Int64
    ) {
        guard isAwaitingAnswers else { return noteAnswer(of: index, stamp) }
        let paths = fields ?? resource.withUnsafeBytes { JSONObject.fieldNames(of: $0) }
        let key = entities.key(of: index)
        guard answer.isLocal || answer.isMutation else {
            noteAnsweredFields(of: key, paths, answer.start, question, stamp.sequence)
            return noteAnswer(of: index, stamp, extent: .fields)
        }
        noteAnswered(index, stamp)
        fieldWrites.append(key, paths, answer.isMutation ? .mutation : .request, question: question)
        recentWrites.append(key, sequence: nil, extent: .fields)
    }

    // MARK: Roots

    /// The query that represents a root field, or another type that its value refers to.
    private struct RootQuery {
        var query: QueryID
        var type: TypeIndex
        var tags: [UInt8]
        var list: FieldResponse.List?
    }

    private func listed(_ elements: [EntityKey], _ newer: NewerWrites, _ stamp: EntityStamp) -> [Listed] {
        var seen: Set<StoredKey> = []
        return elements.compactMap { element in
            guard let key = storedKey(of: element), seen.insert(key).inserted,
                let index = withIdentity(key, { entities.find($0) })
            else { return nil }
            return Listed(
                key: key, index: index,
                isNewer: isNewer(entities.stamp(of: index), key, than: newer, generation: stamp.generation))
        }
    }

    /// Returns the entities of a root field whose list a rule maintains, as readers see it.
    ///
    /// - Returns: nil for a field without a rule, and for an unknown one.
    package mutating func rootList(of root: RootName, in library: ByteString) -> [EntityKey]? {
        guard let query = queries.find(root.key(in: library)), queries[query].isStored,
            queries[query].membership != nil
        else { return nil }
        buildList(of: query)
        return shownHandles(of: query).map { entityKey(of: queries.keys.key(of: $0)) }
    }

    /// Opens the queries that represent a root field: one for each type that its value refers to.
    private mutating func open(
        _ root: FieldResponse.Root, of name: ByteString, _ library: LibraryIndex
    ) throws(FieldResponseError) -> [RootQuery] {
        var found: [RootQuery] = []
        let others = root.types.dropFirst()
        var tags: [UInt8] = []
        if !others.isEmpty {
            for type in others {
                tags.append(tags.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
                CanonicalString.append(type.bytes, to: &tags)
            }
            tags.append(UInt8(ascii: "]"))
        }
        var types = root.types.isEmpty ? ["Query"] : root.types
        // An empty list under a rule is still a list of the rule's type.
        if let list = root.list { types = [list.membership.resourceType] }
        for (place, type) in types.enumerated() {
            let key = root.name.key(in: name, type: place == 0 ? nil : type)
            guard let index = type.bytes.withUnsafeBytes({ admitType($0) }) else { throw .tooManyTypes }
            guard let query = queries.open(key, library: library) else { throw .tooManyQueries }
            found.append(RootQuery(query: query, type: index, tags: place == 0 ? tags : [], list: root.list))
        }
        return found
    }

    /// Returns the queries that represent a root field; empty if nothing is known of it.
    package func rootQueries(of root: RootName, in library: ByteString) -> [QueryID] {
        guard let first = queries.find(root.key(in: library)), queries[first].isStored else { return [] }
        var found = [first]
        if !queries[first].tags.isEmpty {
            for type in JSONSlice(compact: queries[first].tags[...]).elements ?? [] {
                guard let text = type.text,
                    let query = queries.find(root.key(in: library, type: ByteString(text)))
                else { continue }
                found.append(query)
            }
        }
        return found
    }

    /// Returns when a root field became stale, in milliseconds since 1970; nil while it is fresh, 0 if nothing is known
    /// of it.
    package func staleSince(root: RootName, in library: ByteString, at now: Int64) -> Int64? {
        let found = rootQueries(of: root, in: library)
        if found.isEmpty { return 0 }
        return found.compactMap { queries[$0].staleSince(at: now) }.min()
    }

    /// Counts a read of a root field in the order in which queries are evicted.
    package mutating func touch(root: RootName, in library: ByteString) {
        for query in rootQueries(of: root, in: library) { queries.touch(query) }
    }
}
