// Results of queries, and the writes made while they were fetched.

extension ReferenceCache {
    /// Begins a fetch.
    package mutating func beginFetch(_ name: ReferenceQueryName) {
        let library = libraries[name.library]
        fetches[name] = ReferenceFetch(
            writeCount: writes.count, stalingCount: stalings.count, clearCount: clears.count,
            answeredCount: answeredFields.count, question: question(of: nil), cursor: library?.cursor,
            generation: library?.generation ?? 0)
    }

    /// Ends a fetch that succeeded, failed or was cancelled.
    package mutating func endFetch(_ name: ReferenceQueryName) {
        fetches[name] = nil
    }

    /// Stores the result of a query.
    ///
    /// - Parameter fetch: The fetch that the result answers; nil for an unsolicited result.
    /// - Returns: False if there is no room for the query; nothing changed then. True, without any change, if the
    ///   library was cleared after the fetch began; the reader still gets the result.
    package mutating func store(
        _ answer: ReferenceAnswer, for name: ReferenceQueryName, fetch: ReferenceFetch? = nil
    ) -> Bool {
        if isCleared(name.library, since: fetch) { return true }
        guard let number = evict(for: name) else { return false }
        open(name.library)
        let generation = libraries[name.library]?.generation ?? 0
        // After the log began anew, its sequences cannot be compared with earlier ones.
        let isOldLog = fetch.map { $0.generation != generation } ?? false
        let asOf = isOldLog ? nil : answer.asOf
        let start = isOldLog ? nil : fetch?.cursor
        let cursor = libraries[name.library]?.cursor
        let meanwhile = fetch.map { Array(writes[$0.writeCount...]) } ?? []
        let newer = newerWrites(in: name.library, asOf: asOf, start: start, meanwhile: meanwhile)

        let sequence = asOf ?? (fetch == nil ? cursor : start)
        let question = question(of: fetch)
        let keepsList = keepsList(name, answer, asOf: asOf, start, question)
        var certain: [[UInt8]] = []
        if !keepsList {
            queries[name]?.members = []
            queries[name]?.horizon = .whole
        }
        for (index, part) in ([(answer.type, answer.resources)] + answer.included.map { ($0.type, $0.resources) })
            .enumerated()
        {
            for resource in part.1 {
                let key = ReferenceKey(library: name.library, type: part.0, id: resource.id)
                if isNewer(key, than: asOf, newer, isFetch: fetch != nil) { continue }
                let base = entities[key]
                let kept = base == nil ? [] : fieldsOfLaterAnswers(key, fetch, place: sequence, question)
                let fields = ReferenceJSON.object(
                    (resource.json.members ?? []).filter { !kept.contains($0.key.unescaped) })
                let json = base.map { Self.assigned(fields, into: $0.json, unset: []) } ?? resource.json
                answeredFields.append(
                    ReferenceAnsweredFields(
                        key: key, names: (fields.members ?? []).map(\.key.unescaped), place: sequence,
                        generation: generation, question: question))
                var own = sequence
                if asOf == nil, let base, base.generation == generation, let known = base.sequence {
                    own = max(own ?? known, known)
                }
                write(json, key, fields: fields, sequence: own, isAnswer: true)
                if own != nil { note(key, sequence: own, isAnswer: true) }
                if !isOldLog { settleOfOldLog(key) }
                if index == 0, kept.isEmpty { certain.append(resource.id) }
            }
        }
        guard !keepsList else { return true }
        var query = ReferenceQuery(
            number: number, type: answer.type, rule: answer.rule.map { ReferenceMembership(rule: $0) },
            ruleJSON: answer.rule, tags: answer.tags, isLocal: answer.isLocal, timeToLive: answer.timeToLive,
            asOf: asOf, storedAt: now)
        query.question = question
        query.listedThrough = sequence
        query.generation = generation
        let isOutdated = isOutdated(name, query, asOf: asOf, fetch)
        touch(name)
        guard !answer.isLocal else {
            queries[name] = query
            return true
        }
        func json(_ id: [UInt8]) -> ReferenceJSON? {
            entities[ReferenceKey(library: name.library, type: answer.type, id: id)]?.json
        }
        let present = answer.resources.map(\.id).filter { json($0) != nil }
        guard let rule = query.rule else {
            query.members = Array(present.prefix(elementCountMax))
            query.isMarkedStale = isOutdated || present.count > elementCountMax
            queries[name] = query
            return true
        }
        if let limit = rule.limit, answer.resources.count >= limit {
            // Where the server would place resources that are newer here is unknown, so only the others show how far it
            // read.
            let last = certain.compactMap { id in json(id).map { (id: id, resource: $0) } }
                .max { rule.precedes($0, $1) }
            query.horizon = last.map { .element(id: $0.id, json: $0.resource) } ?? .nothing
        }
        query.members = present.filter { id in
            json(id).map { rule.matches($0) && isKnown(id, $0, query, rule) } ?? false
        }
        queries[name] = query
        trim(name)
        checkLength(of: name)
        for write in newer where write.key.type == answer.type { enterOrLeave(write.key.id, name) }
        if isOutdated { queries[name]?.isMarkedStale = true }
        return true
    }

    /// Returns the writes that are newer than a result.
    private func newerWrites(
        in library: [UInt8], asOf: Int64?, start: Int64?, meanwhile: [ReferenceWrite]
    ) -> [ReferenceWrite] {
        let generation = libraries[library]?.generation ?? 0
        let own = meanwhile.filter { $0.key.library == library && !$0.isAnswer }
        guard let asOf else {
            // It is unknown whether another result is older, so one with a higher position stays.
            let answers = meanwhile.filter { write in
                write.key.library == library && write.isAnswer && write.generation == generation
                    && write.sequence.map { sequence in start.map { sequence > $0 } ?? true } ?? false
            }
            return own + answers
        }
        // A sequence decides before the time of arrival; a sequence of a log that ended decides nothing.
        let since = entities.filter { key, entity in
            key.library == library && entity.generation == generation && entity.sequence.map { $0 > asOf } ?? false
        }
        return since.map {
            ReferenceWrite(key: $0, sequence: $1.sequence, generation: $1.generation, isAnswer: $1.isAnswer)
        }
            + own.filter { $0.sequence == nil || $0.generation != generation }
    }

    private func isNewer(
        _ key: ReferenceKey, than asOf: Int64?, _ newer: [ReferenceWrite], isFetch: Bool
    ) -> Bool {
        guard entities[key] != nil || tombstones[key] != nil else { return false }
        let generation = libraries[key.library]?.generation ?? 0
        if let asOf {
            if isFetch, newer.contains(where: { $0.key == key && ($0.sequence == nil || $0.generation != generation) })
            {
                return true
            }
            if let entity = entities[key] {
                return entity.generation == generation && entity.sequence.map { $0 > asOf } ?? false
            }
            guard let tombstone = tombstones[key] else { return false }
            return tombstone.generation == generation && tombstone.sequence.map { $0 > asOf } ?? false
        }
        return newer.contains { $0.key == key }
    }

    mutating func forgetQuery(_ name: ReferenceQueryName) { queries[name] = nil }

    mutating func note(_ key: ReferenceKey, sequence: Int64?, isAnswer: Bool = false) {
        writes.append(
            ReferenceWrite(
                key: key, sequence: sequence, generation: libraries[key.library]?.generation ?? 0, isAnswer: isAnswer))
    }

    /// Replaces the named top-level members and keeps the others.
    static func assigned(_ fields: ReferenceJSON, into base: ReferenceJSON, unset: [[UInt8]]) -> ReferenceJSON {
        var members = base.members ?? []
        for field in fields.members ?? [] {
            if let index = members.firstIndex(where: { $0.key.unescaped == field.key.unescaped }) {
                members[index].value = field.value
            } else {
                members.append(field)
            }
        }
        members.removeAll { unset.contains($0.key.unescaped) }
        return .object(members)
    }
}
