import TidemarkJSON
import TidemarkModel

/// What was known when a request to a server was made. Its response is checked against what happened since.
///
/// - Source: Protocol/queries.md, while an answer is on its way.
package struct FetchStart: Sendable {
    /// The ordinal of the last write in ``RecentWrites``.
    var write: Int64
    /// The ordinal of the last write in ``FieldWrites``.
    var fieldWrite: Int64
    /// The cursor of the library; nil if it had none.
    var cursor: EventSequence?
    /// The generation of `cursor`. The cursor can be compared only within it.
    var generation: UInt32
    /// The number of the request. Later requests have higher numbers.
    var question: Int64
    /// The ordinal of the last record in ``MeanwhileLog``.
    var happened: Int64

    init(
        write: Int64, fieldWrite: Int64, cursor: EventSequence?, generation: UInt32, question: Int64 = 0,
        happened: Int64 = 0
    ) {
        self.write = write
        self.fieldWrite = fieldWrite
        self.cursor = cursor
        self.generation = generation
        self.question = question
        self.happened = happened
    }
}

/// Everything that a response says about its query, except its resources.
package struct QueryResultHead: Sendable {
    /// The query that was answered.
    package var key: QueryKey
    /// How long the answer stays fresh, in milliseconds; nil if it never expires.
    package var timeToLive: Int64?
    /// The position in the log at which the response is valid; nil if the server named none.
    package var asOf: EventSequence?
    /// The rule that maintains the list; nil if there is none.
    package var membership: Membership?
    /// The rule as compact JSON; empty if there is none.
    package var membershipText: [UInt8]
    /// The tags as compact JSON; empty if there are none.
    package var tags: [UInt8]
    /// True if the query is evaluated over the store; false if a server answered it.
    package var isLocal: Bool
    /// What was known when the request was made; nil if the response was not requested and counts as made now.
    package var start: FetchStart?

    /// Creates a head from its parts.
    package init(
        key: QueryKey, timeToLive: Int64?, asOf: EventSequence?, membership: Membership?, membershipText: [UInt8],
        tags: [UInt8], isLocal: Bool, start: FetchStart?
    ) {
        self.key = key
        self.timeToLive = timeToLive
        self.asOf = asOf
        self.membership = membership
        self.membershipText = membershipText
        self.tags = tags
        self.isLocal = isLocal
        self.start = start
    }
}

/// Why a response was refused. Nothing of it was stored.
package enum FieldResponseError: Error, Hashable, Sendable {
    /// A resource is unusable: its event, its index among all resources of that event, and the reason.
    case badResource(event: Int, index: Int, reason: QuarantineReason)
    /// A whole event is unusable.
    case badAnswer(event: Int, reason: QuarantineReason)
    /// The list has this id twice; `index` is that of the second one.
    case duplicate(id: ByteString, index: Int)
    /// The rule is for one type, and the response has resources of another.
    case otherType(membership: ByteString, answer: ByteString)
    /// There are `libraryCountMax` libraries.
    case tooManyLibraries
    /// There are `typeCountMax` types.
    case tooManyTypes
    /// There are `queryCountMax` queries, all of them observed.
    case tooManyQueries
    /// The library was cleared after the request was made.
    case cleared
    /// A resource would make its entity larger than the limit.
    case tooLarge(event: Int, index: Int, byteCountMax: Int)
}

extension CacheState {
    /// Stores the resources of a response as entities and, unless the query is evaluated over the store, its order as
    /// the query's list.
    ///
    /// - Parameters:
    ///   - batch: One event for the listed resources, then one for each included type, all of one library.
    ///   - asked: Everything else that the response says.
    ///   - now: The time, in milliseconds since 1970.
    /// - Precondition: The keys that ``keysToLoad(for:_:)`` returned were loaded.
    /// - Throws: ``FieldResponseError``; then nothing was stored.
    /// - Returns: The query's number in memory.
    package mutating func store(
        _ batch: EventBatch, _ asked: QueryResultHead, at now: Int64
    ) throws(FieldResponseError) -> QueryID {
        try check(batch, asked)
        guard !isCleared(asked.key.library, since: asked.start) else { throw .cleared }
        let head = comparable(asked)
        guard let library = head.key.library.bytes.withUnsafeBytes({ libraries.admit($0) }) else {
            throw .tooManyLibraries
        }
        guard let query = queries.open(head.key, library: library) else { throw .tooManyQueries }
        if !isAwaitingAnswers { forgetRecentWrites() }
        // The response of a fetch is compared with what was written since the fetch began.
        let newer = newerWrites(than: head, in: library)
        let question = question(of: head.start)
        let keepsList = isListNewer(query, than: head, question)
        let cause = queries[query].isStored ? staleCause(of: query, head) : nil
        let stamp = EntityStamp(
            sequence: head.asOf ?? (head.start.map(\.cursor) ?? cursor(of: library)),
            generation: libraries[library].gate.generation, writtenAt: now, writer: .answer, isPartial: true)
        isUnwritten = true
        libraries[library].isChanged = true
        beginUnit(isMulti: true)
        var listed: [Listed] = []
        batch.withBytes { bytes in
            batch.members.withUnsafeBufferPointer { members in
                for (number, event) in batch.events.enumerated() {
                    let view = EventView(
                        event: event, members: members, bytes: bytes, source: .upstream, offset: 0, byteCount: 0)
                    guard let type = admitType(bytes[event.type]) else { continue }
                    if number == 0, !head.isLocal, !keepsList { refile(query, head, type: type, question, at: now) }
                    for member in view.ownMembers {
                        let identity = identity(of: member, in: view, library: library, type: type)
                        let written = write(
                            identity, bytes[member.resource], stamp: stamp, newer: newer,
                            isPlaceKnown: head.asOf != nil, since: head.start, question)
                        if number == 0, let written { listed.append(written) }
                    }
                    if number == 0, head.isLocal { refile(query, head, type: type, question, at: now) }
                }
            }
        }
        if head.isLocal {
            evaluate(query, at: now)
        } else if !keepsList {
            list(listed, in: query, answered: batch.events.first.map { Int($0.memberCount) } ?? 0, at: now)
            complete(query, newer, generation: stamp.generation, at: now)
            if newer.isUnsure { markStale(query, because: .answer, at: now) }
        }
        let isOutdated = keepsList || followMeanwhile(query, head, cause, at: now)
        if !layers.isEmpty {
            refoldAll(in: query)
            dropLayersOfEndedLog(at: now)
        }
        // A local evaluation adds nothing new from the server, nor does a response from before the loss.
        if !head.isLocal, !isOutdated { libraries[library].gate.clearStale() }
        endUnit(at: now)
        noteStatus(of: library, at: now)
        return query
    }

    /// Checks everything that can be refused, before anything changes.
    private mutating func check(_ batch: EventBatch, _ head: QueryResultHead) throws(FieldResponseError) {
        for (number, event) in batch.events.enumerated() {
            guard event.kind == .batchChanged else {
                throw .badAnswer(event: number, reason: event.reason ?? .badShape)
            }
            let members = batch.members[Int(event.firstMember)..<Int(event.firstMember + event.memberCount)]
            for (index, member) in members.enumerated() {
                guard let reason = member.reason else { continue }
                throw .badResource(event: number, index: index, reason: reason)
            }
        }
        guard let first = batch.events.first else { throw .badAnswer(event: 0, reason: .badShape) }
        let (typeName, duplicate) = batch.withBytes { bytes in
            var seen: Set<StoredID> = []
            let members = batch.members[Int(first.firstMember)..<Int(first.firstMember + first.memberCount)]
            let duplicate = members.enumerated().first { _, member in
                !seen.insert(member.isUUID ? .uuid(member.uuid) : .text(ByteString(bytes[member.id]))).inserted
            }
            return (
                ByteString(bytes[first.type]),
                duplicate.map { ($0, $1.isUUID ? ByteString($1.uuid.text) : ByteString(bytes[$1.id])) }
            )
        }
        if let duplicate { throw .duplicate(id: duplicate.1, index: duplicate.0) }
        if let membership = head.membership {
            let ownName = types.ownName(of: typeName)
            let ruleName = types.ownName(of: membership.resourceType)
            guard ruleName == ownName else { throw .otherType(membership: membership.resourceType, answer: typeName) }
        }
        let isTypeOpen = batch.withBytes { bytes in
            batch.events.allSatisfy { admitType(bytes[$0.type]) != nil }
        }
        guard isTypeOpen else { throw .tooManyTypes }
        try checkSizes(of: batch, head)
    }

    /// Refuses a response that would make an entity too large. The check includes entities that were written since,
    /// which the response would not change.
    private mutating func checkSizes(of batch: EventBatch, _ head: QueryResultHead) throws(FieldResponseError) {
        guard !fitsAnywhere(batch.block.count + batch.rewritten.count) else { return }
        guard let library = head.key.library.bytes.withUnsafeBytes({ libraries.admit($0) }) else {
            throw .tooManyLibraries
        }
        var keys: [StoredKey] = []
        var places: [(event: Int, index: Int, range: ByteRange)] = []
        batch.withBytes { bytes in
            for (number, event) in batch.events.enumerated() {
                guard let type = admitType(bytes[event.type]) else { continue }
                for index in 0..<Int(event.memberCount) {
                    let member = batch.members[Int(event.firstMember) + index]
                    let id = member.isUUID ? StoredID.uuid(member.uuid) : .text(ByteString(bytes[member.id]))
                    keys.append(StoredKey(library: library, type: type, id: id))
                    places.append((number, index, member.resource))
                }
            }
        }
        let place = firstOversized(keys) { place in batch.withBytes { Array($0[places[place].range]) } }
        if let place {
            throw .tooLarge(
                event: places[place].event, index: places[place].index, byteCountMax: entityByteCountMax)
        }
    }

    // MARK: Writing

    /// One entity in the list of a response.
    struct Listed {
        var key: StoredKey
        /// The entity's slot; nil if it is evicted and may have changed since, so that the response's value may be
        /// outdated.
        var index: SlotIndex?
        /// True if the entity changed after the response was made. Its place in the server's list is then unknown.
        var isNewer: Bool
    }

    /// Writes one resource of a response to the store, unless a newer value is known.
    ///
    /// - Parameters:
    ///   - isPlaceKnown: True if the server named the response's position in the log.
    ///   - start: What was known when the request was made; nil for a response that nobody requested.
    ///   - question: The number of the request.
    /// - Returns: The entity as an element of the list; nil if it was deleted since.
    private mutating func write(
        _ identity: EntityIdentity, _ resource: UnsafeRawBufferPointer, stamp: EntityStamp, newer: NewerWrites,
        isPlaceKnown: Bool, since start: FetchStart?, _ question: Int64
    ) -> Listed? {
        if let index = entities.find(identity) {
            let stored = entities.stamp(of: index)
            if isNewer(stored, identity.storedKey, than: newer, generation: stamp.generation) {
                return Listed(key: identity.storedKey, index: index, isNewer: true)
            }
            var fields = JSONObject.fieldNames(of: resource)
            let merged: [UInt8]
            var isNewer = false
            if let kept = start.flatMap({ newerFields(of: identity.storedKey, since: $0, stamp.sequence) }),
                !kept.isEmpty
            {
                // The paths of documents lead into fields, but a response to a query replaces whole fields.
                let names = Set(kept.map { ByteString(Array($0.bytes.prefix { $0 != 0 })) })
                merged = Merge.assigned(resource, into: entities.payload(of: index), keeping: Set(names.map(\.bytes)))
                fields.removeAll { names.contains($0) }
                isNewer = true
            } else {
                merged = Merge.assigned(resource, into: entities.payload(of: index))
            }
            noteAnsweredFields(of: identity.storedKey, fields, start, question, stamp.sequence)
            var stamp = stamp
            // A response without a position must not lower the entity's own sequence.
            if !isPlaceKnown, stored.generation == stamp.generation, let sequence = stored.sequence {
                stamp.sequence = max(stamp.sequence ?? sequence, sequence)
            }
            merged.withUnsafeBytes { overwrite(index, $0, fields: WrittenFields(fields), stamp: stamp) }
            noteAnswer(of: index, stamp)
            return Listed(key: identity.storedKey, index: index, isNewer: isNewer)
        }
        if residency.wasEvicted(identity), mayBePast(identity.storedKey, newer) {
            return Listed(key: identity.storedKey, index: nil, isNewer: true)
        }
        if !tombstones.isEmpty {
            let key = identity.storedKey
            if let tombstone = tombstones[key] {
                let deleted = EntityStamp(
                    sequence: tombstone.sequence, generation: tombstone.generation, writtenAt: tombstone.deletedAt)
                if isNewer(deleted, key, than: newer, generation: stamp.generation) { return nil }
                removeTombstone(of: key)
            }
        }
        let index = insert(identity, resource, stamp: stamp)
        noteAnsweredFields(
            of: identity.storedKey, JSONObject.fieldNames(of: resource), start, question, stamp.sequence)
        noteAnswer(of: index, stamp)
        return Listed(key: identity.storedKey, index: index, isNewer: false)
    }

    /// Returns true if an evicted entity may have been written after a response was made.
    ///
    /// - Complexity: O(writes since the response).
    func mayBePast(_ key: StoredKey, _ newer: NewerWrites) -> Bool {
        newer.isPartial || newer.isUnsure || newer.keys.contains(key) || newer.writes.contains { $0.key == key }
    }

    /// Remembers a response's write for other responses that are on their way.
    mutating func noteAnswer(
        of index: SlotIndex, _ stamp: EntityStamp, extent: RecentWrites.Extent = .whole
    ) {
        noteAnswered(index, stamp)
        if let sequence = stamp.sequence, isAwaitingAnswers {
            recentWrites.append(entities.key(of: index), sequence: sequence, isAnswer: true, extent: extent)
        }
    }

    /// Records the position in the log of a stored response.
    mutating func noteAnswered(_ index: SlotIndex, _ stamp: EntityStamp) {
        guard let sequence = stamp.sequence else { return }
        let library = entities.library(of: index)
        libraries[library].answeredThrough = max(libraries[library].answeredThrough ?? sequence, sequence)
    }
}
