// The content of lists, and the effect of writes on them.

extension ReferenceCache {
    /// Reads a query's list, which counts as a use for the LRU order. nil if the query is not stored.
    package mutating func read(_ name: ReferenceQueryName) -> ReferenceList? {
        guard let list = list(name) else { return nil }
        touch(name)
        return list
    }

    // MARK: Staleness

    /// Marks queries as stale.
    ///
    /// - Returns: The number of queries that were not stale before.
    @discardableResult
    mutating func markStale(_ concerned: (ReferenceQueryName, ReferenceQuery) -> Bool) -> Int {
        var count = 0
        for (name, query) in queries where !query.isLocal && !query.isMarkedStale && concerned(name, query) {
            queries[name]?.isMarkedStale = true
            count += 1
        }
        return count
    }

    /// Makes the queries stale that a bulk or index operation concerns.
    package mutating func bulk(_ library: [UInt8], type: [UInt8], hints: ReferenceJSON?, sequence: Int64?) {
        makeStale(in: library, event: sequence) { name, query in
            query.type == type && Self.isConcerned(name, query, by: hints)
        }
    }

    /// Makes all queries of a library stale, or of every library if `library` is nil.
    package mutating func refresh(_ library: [UInt8]?) {
        makeStale(in: library, event: nil) { _, _ in true }
    }

    /// Makes queries stale on request.
    ///
    /// - Parameters:
    ///   - name: The query; nil for all queries.
    ///   - type: The resource type; nil for all types.
    ///   - hints: Values that the queries must not contradict; nil for none.
    /// - Returns: The number of queries that were not stale before.
    package mutating func invalidate(
        _ library: [UInt8], name: ReferenceQueryName?, type: [UInt8]?, hints: ReferenceJSON?
    ) -> Int {
        makeStale(in: library, event: nil) { own, query in
            name.map { $0 == own } ?? true && type.map { $0 == query.type } ?? true
                && Self.isConcerned(own, query, by: hints)
        }
    }

    /// Returns false if one of the hints occurs in the query only with other values.
    private static func isConcerned(
        _ name: ReferenceQueryName, _ query: ReferenceQuery, by hints: ReferenceJSON?
    ) -> Bool {
        var input: ReferenceJSON = .null
        do { input = try ReferenceJSONParser.parse(name.input) } catch { preconditionFailure("\(error)") }
        for hint in hints?.members ?? [] {
            let found =
                values(of: hint.key.unescaped, in: input)
                + (query.tags.map { values(of: hint.key.unescaped, in: $0) } ?? [])
            if !found.isEmpty, !found.contains(hint.value) { return false }
        }
        return true
    }

    private static func values(of name: [UInt8], in value: ReferenceJSON) -> [ReferenceJSON] {
        if let elements = value.elements { return elements.flatMap { values(of: name, in: $0) } }
        return (value.members ?? []).flatMap { member in
            (member.key.unescaped == name ? [member.value] : []) + values(of: name, in: member.value)
        }
    }

    // MARK: Writes

    func concerns(_ name: ReferenceQueryName, _ query: ReferenceQuery, _ key: ReferenceKey) -> Bool {
        !query.isLocal && name.library == key.library && query.type == key.type
    }

    /// Updates all lists after an entity changed.
    mutating func follow(_ key: ReferenceKey) {
        for (name, query) in queries where concerns(name, query, key) { enterOrLeave(key.id, name) }
    }

    /// Inserts an element into a list if its rule matches, or removes it.
    mutating func enterOrLeave(_ id: [UInt8], _ name: ReferenceQueryName) {
        guard let query = queries[name], let rule = query.rule,
            let json = entities[ReferenceKey(library: name.library, type: query.type, id: id)]?.json
        else { return }
        queries[name]?.members.removeAll { $0 == id }
        if rule.matches(json), isKnown(id, json, query, rule) {
            queries[name]?.members.append(id)
            trim(name)
        }
        checkLength(of: name)
    }

    func isKnown(
        _ id: [UInt8], _ json: ReferenceJSON, _ query: ReferenceQuery, _ rule: ReferenceMembership
    ) -> Bool {
        switch query.horizon {
        case .whole: true
        case .nothing: false
        case .element(let lastID, let last): !rule.precedes((lastID, last), (id, json))
        }
    }

    mutating func followDelete(_ key: ReferenceKey) {
        for (name, query) in queries where concerns(name, query, key) {
            queries[name]?.members.removeAll { $0 == key.id }
            checkLength(of: name)
        }
    }

    /// Keeps twice the limit, and at least 32 more than it; the list after them is then unknown.
    mutating func trim(_ name: ReferenceQueryName) {
        guard let query = queries[name], let rule = query.rule else { return }
        var countMax = elementCountMax
        if let limit = rule.limit { countMax = min(countMax, limit + max(limit, 32)) }
        guard query.members.count > countMax else { return }
        let sorted = query.members.map { id in
            (id, entities[ReferenceKey(library: name.library, type: query.type, id: id)]?.json ?? .null)
        }.sorted { rule.precedes($0, $1) }
        queries[name]?.members = sorted[..<countMax].map(\.0)
        queries[name]?.horizon = .element(id: sorted[countMax - 1].0, json: sorted[countMax - 1].1)
    }

    /// Marks a list as stale if fewer elements are known than its limit; missing ones are never filled in from the
    /// store.
    mutating func checkLength(of name: ReferenceQueryName) {
        guard let query = queries[name], let rule = query.rule else { return }
        if case .whole = query.horizon { return }
        if query.members.count < rule.limit ?? .max { queries[name]?.isMarkedStale = true }
    }

    /// Writes an entity and updates the lists.
    ///
    /// - Parameter fields: The written fields as members; nil if all were written.
    mutating func write(
        _ json: ReferenceJSON, _ key: ReferenceKey, fields: ReferenceJSON? = nil, sequence: Int64?, isAnswer: Bool
    ) {
        let before = entities[key]
        let generation = libraries[key.library]?.generation ?? 0
        var places = fields == nil ? [:] : before?.places ?? [:]
        for member in (fields ?? json).members ?? [] {
            places[member.key.unescaped] = ReferenceFieldPlace(
                sequence: sequence, generation: generation, isAnswer: isAnswer)
        }
        entities[key] = ReferenceCacheEntity(
            json: json, sequence: sequence, generation: generation, isAnswer: isAnswer, places: places)
        tombstones[key] = nil
        if before?.json.written != json.written { follow(key) }
    }

    /// Applies an event to an entity that is newer, but only to the fields for which nothing newer is known, because a
    /// result wrote the others.
    ///
    /// - Parameters:
    ///   - json: The resource of the event; nil for a delete.
    ///   - merges: True if the event keeps fields that it does not name.
    /// - Returns: False if the entity was not written by a result, so that it stays as a whole.
    mutating func writeEarlierFields(
        _ json: ReferenceJSON?, _ key: ReferenceKey, sequence: Int64?, merges: Bool
    ) -> Bool {
        guard let entity = entities[key], entity.isAnswer, let sequence else { return false }
        let isKept = { (name: [UInt8]) in
            entity.places[name]?.isLater(than: sequence, entity.generation) ?? false
        }
        let kept = ReferenceJSON.object((entity.json.members ?? []).filter { isKept($0.key.unescaped) })
        var base = json ?? .object([])
        if merges, let known = entity.json.members, let incoming = base.members {
            base = .object(ReferenceMerge(noMergeFields: []).merge(known, with: incoming))
        }
        let place = ReferenceFieldPlace(sequence: sequence, generation: entity.generation, isAnswer: false)
        let written = (json?.members ?? []).map(\.key.unescaped).filter { !isKept($0) }
        entities[key]?.json = Self.assigned(kept, into: base, unset: [])
        entities[key]?.places = entity.places.filter { isKept($0.key) || merges }
            .merging(written.map { ($0, place) }) { $1 }
        if entities[key]?.json.written != entity.json.written { follow(key) }
        return true
    }

    mutating func erase(_ key: ReferenceKey, sequence: Int64?) {
        entities[key] = nil
        tombstones[key] = ReferenceTombstone(
            sequence: sequence, generation: libraries[key.library]?.generation ?? 0)
        followDelete(key)
    }

    /// True if an event is too old to change an entity.
    func isOutdated(_ key: ReferenceKey, _ sequence: Int64?) -> Bool {
        guard let sequence else { return false }
        let generation = libraries[key.library]?.generation ?? 0
        if let entity = entities[key], entity.generation == generation, let known = entity.sequence {
            return entity.isAnswer ? sequence <= known : sequence < known
        }
        if let tombstone = tombstones[key], tombstone.generation == generation, let known = tombstone.sequence {
            return sequence < known
        }
        return false
    }
}
