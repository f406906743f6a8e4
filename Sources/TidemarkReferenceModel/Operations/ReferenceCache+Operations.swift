// Operations as text, which the model reads with its own parser.

extension ReferenceCache {
    /// Performs an operation.
    ///
    /// - Throws: ``ReferenceJSONError`` if the text of an operation is not JSON.
    package mutating func perform(_ operation: CacheOperation) throws -> CacheOutcome {
        switch operation {
        case .event(let event): try hear(event)
        case .eventBehindGap(let event):
            if case .change(let library, _, _, let sequence, _, _) = event {
                loseGap(bytes(library))
                if let sequence { advance(bytes(library), to: sequence - 1) }
                mark()
            }
            try hear(event)
        case .put(let name, let answer):
            return store(try parsed(answer), for: name) ? .done : .refused
        case .beginFetch(let name): beginFetch(name)
        case .answer(let name, let answer):
            // Writes are compared until the result is stored.
            guard let fetch = fetches[name] else { preconditionFailure("nothing was asked") }
            defer { endFetch(name) }
            return store(try parsed(answer), for: name, fetch: fetch) ? .done : .refused
        case .transact(let library, let steps):
            let steps = try steps.map { try step($0, library) }
            return transact(steps, in: bytes(library)) ? .done : .refused
        case .remove(let library, let type, let ids):
            return .count(remove(ids.map { key(library, type, bytes($0)) }))
        case .clear(let library): clear(library.map(bytes))
        case .invalidate(let library, let name, let type, let hints):
            return .count(
                invalidate(
                    bytes(library), name: name, type: type.map(bytes),
                    hints: try hints.map { try ReferenceJSONParser.parse(bytes($0)) }))
        case .wait(let milliseconds): wait(milliseconds: milliseconds)
        case .echo(let event, let mutationID): try hear(event, mutationID: mutationID)
        case .update(let layer):
            let changes = try layer.steps.map { (given) -> ReferenceLayerChange in
                switch try step(given, layer.library) {
                case .put(let key, let json): return .put(key, json)
                case .patch(let key, let fields, let unset): return .patch(key, fields: fields, unset: unset)
                case .delete(let key): return .delete(key)
                }
            }
            let made = ReferenceLayer(
                pendingID: bytes(layer.pendingID), library: bytes(layer.library), changes: changes,
                dependsOn: layer.dependsOn.map { bytes($0) })
            return outcome { model throws(ReferenceRequestError) in try model.update(made) }
        case .commit(let given):
            var commit = ReferenceCommit(pendingID: bytes(given.pendingID))
            commit.library = given.library.map { bytes($0) }
            commit.confirmed = try given.confirmed?.map { try resource($0) }
            commit.type = given.type.map { bytes($0) }
            commit.sequence = given.sequence
            for (temporary, real) in given.realIDs { commit.realIDs[bytes(temporary)] = bytes(real) }
            return outcome { [commit] model throws(ReferenceRequestError) in try model.commit(commit) }
        case .rollBack(let pendingID, let library):
            let (pendingID, library) = (bytes(pendingID), library.map { bytes($0) })
            return outcome { model throws(ReferenceRequestError) in try model.rollBack(pendingID, library: library) }
        }
        return .done
    }

    private mutating func outcome(
        _ body: (inout ReferenceCache) throws(ReferenceRequestError) -> Void
    ) -> CacheOutcome {
        do throws(ReferenceRequestError) {
            try body(&self)
            return .done
        } catch {
            return .failed(error.rawValue)
        }
    }

    private func step(_ step: CacheStep, _ library: String) throws -> Step {
        switch step {
        case .put(let type, let text):
            let resource = try resource(text)
            return Step.put(key(library, type, resource.id), resource.json)
        case .patch(let type, let id, let fields, let unset):
            return Step.patch(
                key(library, type, bytes(id)), fields: try ReferenceJSONParser.parse(bytes(fields)),
                unset: unset.map(bytes))
        case .removeField(let type, let id, let field):
            return Step.patch(key(library, type, bytes(id)), fields: .object([]), unset: [bytes(field)])
        case .delete(let type, let id): return Step.delete(key(library, type, bytes(id)))
        }
    }

    /// Applies an event and, in the same step, settles what waits for it.
    private mutating func hear(_ event: CacheEvent, mutationID: String? = nil) throws {
        if let library = event.library, let sequence = event.sequence,
            let cursor = libraries[bytes(library)]?.cursor, sequence <= cursor
        {
            return
        }
        var implied: (from: ReferenceKey, to: ReferenceKey)?
        if let mutationID, case .change(let library, let type, let resources, _, _, _) = event {
            implied = impliedRenaming(
                bytes(mutationID), in: bytes(library), type: bytes(type), try resources.map { try resource($0) })
        }
        try admit(event)
        if let mutationID, let library = event.library {
            settle(bytes(mutationID), in: bytes(library), implied: implied)
        }
    }

    private mutating func admit(_ event: CacheEvent) throws {
        switch event {
        case .change(let library, let type, let resources, let sequence, let merges, let isIndex):
            change(
                bytes(library), type: bytes(type), resources: try resources.map { try resource($0) },
                sequence: sequence, merges: merges)
            if isIndex { bulk(bytes(library), type: bytes(type), hints: nil, sequence: sequence) }
            if let sequence { advance(bytes(library), to: sequence) }
        case .delete(let library, let type, let id, let sequence):
            delete(key(library, type, bytes(id)), sequence: sequence)
            if let sequence { advance(bytes(library), to: sequence) }
        case .bulk(let library, let type, let hints, let sequence):
            bulk(
                bytes(library), type: bytes(type), hints: try hints.map { try ReferenceJSONParser.parse(bytes($0)) },
                sequence: sequence)
            if let sequence { advance(bytes(library), to: sequence) }
        case .refresh(let library): refresh(library.map(bytes))
        case .reset(let library, _): beginEpoch(bytes(library))
        }
    }

    private func parsed(_ answer: CacheAnswer) throws -> ReferenceAnswer {
        var parsed = ReferenceAnswer(type: bytes(answer.type), resources: try answer.resources.map { try resource($0) })
        parsed.included = try answer.included.map { (bytes($0.type), try $0.resources.map { try resource($0) }) }
        parsed.timeToLive = answer.timeToLive
        parsed.asOf = answer.asOf
        parsed.rule = try answer.rule.map { try ReferenceJSONParser.parse(bytes($0)) }
        parsed.tags = try answer.tags.map { try ReferenceJSONParser.parse(bytes($0)) }
        parsed.isLocal = answer.isLocal
        return parsed
    }

    private func resource(_ text: String) throws -> ReferenceResource {
        let json = try ReferenceJSONParser.parse(bytes(text))
        guard let id = json.member("id").flatMap({ ReferenceIdentity.id(from: $0) }) else {
            preconditionFailure("no id in \(text)")
        }
        return ReferenceResource(id: id, json: json, isKeyedByUUID: false)
    }

    private func key(_ library: String, _ type: String, _ id: [UInt8]) -> ReferenceKey {
        ReferenceKey(library: bytes(library), type: bytes(type), id: id)
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
