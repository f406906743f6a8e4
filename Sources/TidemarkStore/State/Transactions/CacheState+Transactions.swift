import TidemarkJSON
import TidemarkModel

/// One step of a transaction, with the parts that the wire has checked.
package enum TransactionStep: Sendable {
    /// Stores a whole resource, which contains its id.
    case put(PutResource)
    /// Replaces and removes top-level fields of an entity, which must exist. `fields` is a compact JSON object, empty
    /// for none.
    case patch(type: ByteString, id: ByteString, fields: [UInt8], unset: [ByteString])
    /// Stores a whole resource under an id beside it.
    case keyedPut(type: ByteString, id: ByteString, resource: [UInt8])
    /// Merges fields by path into an entity, which must exist. `fields` is a compact JSON object.
    case merge(type: ByteString, id: ByteString, fields: [UInt8])
    /// Removes one top-level field of an entity, which must exist.
    case removeField(type: ByteString, id: ByteString, ByteString)
    /// Deletes an entity, and cascades as the policy demands.
    case delete(type: ByteString, id: ByteString)
    /// Removes the entities that match every given part. `ids` need a type.
    case remove(type: ByteString?, ids: [ByteString]?, matching: ByteString?)
}

/// Why a transaction was refused. Nothing of it was applied.
package enum TransactionError: Error, Hashable, Sendable {
    /// The entity that a step patches does not exist.
    case absent(step: Int, type: ByteString, id: ByteString)
    /// A resource is unusable: its step, and the reason.
    case badResource(step: Int, reason: QuarantineReason)
    /// A patch would give the entity another id.
    case changesIdentity(step: Int)
    /// A value that the transaction read, or that an operation expects, has changed. `step` is nil for one that was
    /// read.
    case conflict(step: Int?, type: ByteString, id: ByteString)
    /// There are `libraryCountMax` libraries.
    case tooManyLibraries
    /// There are `typeCountMax` types.
    case tooManyTypes
    /// The entity of a step would be too large.
    case tooLarge(step: Int, type: ByteString, id: ByteString, byteCountMax: Int)
}

/// What a caller knows of entities, and what must still be true when a transaction is applied.
package struct TransactionExpectations: Sendable {
    /// The stored resources as they were read; inner nil if none was stored.
    package var resources: [EntityKey: [UInt8]?] = [:]
    /// The sequences of the stored entities that operations change, by the operation's index; inner nil if no entity is
    /// stored.
    package var sequences: [Int: EventSequence?] = [:]

    /// Creates expectations that always hold.
    package init() {}
}

extension CacheState {
    private enum Outcome {
        case written([UInt8], fields: WrittenFields?)
        case deleted
        case forgotten

        /// The resource after the step; nil if there is none.
        var resource: [UInt8]? {
            if case .written(let resource, _) = self { resource } else { nil }
        }

        /// How much of the entity this write protects from responses that are on their way.
        var extent: RecentWrites.Extent {
            if case .written = self { .fieldsOfDocuments } else { .whole }
        }
    }

    /// Returns the keys that a transaction's steps touch and that only the journal may have.
    package func keysToLoad(for steps: [TransactionStep], in library: ByteString) -> [StoredKey] {
        guard residency.hasAbsent else { return [] }
        var keys: Set<StoredKey> = []
        // Consecutive puts share a batch.
        var lastBatch: EventBatch?
        for step in steps {
            switch step {
            case .put(let given):
                if given.batch !== lastBatch { keys.formUnion(keysToLoad(for: given.batch)) }
                lastBatch = given.batch
            case .remove(let type?, let ids?, _):
                let all = ids.map { EntityKey(library: library, type: type, id: $0) }
                keys.formUnion(all.compactMap { storedKey(of: $0) }.filter { !isKnown($0) })
            // Rows name all other matches.
            case .remove: continue
            case .patch(let type, let id, _, _), .removeField(let type, let id, _), .delete(let type, let id),
                .merge(let type, let id, _), .keyedPut(let type, let id, _):
                guard let key = storedKey(of: EntityKey(library: library, type: type, id: id)), !isKnown(key) else {
                    continue
                }
                keys.insert(key)
            }
        }
        return Array(keys.union(cascadeKeysToLoad(for: steps, in: library)))
    }

    /// Applies all steps in order, or none, as one unit.
    ///
    /// - Parameters:
    ///   - steps: The steps of the transaction.
    ///   - libraryName: The library of all steps.
    ///   - expecting: What must still be true.
    ///   - rows: The rows of the journal that removals among the steps may match. Rows of entities that are in memory,
    ///     or that no removal matches, are skipped.
    ///   - now: The time, in milliseconds since 1970.
    /// - Precondition: The entities that the steps touch are in memory, or in `rows`.
    /// - Throws: ``TransactionError``; then nothing was applied.
    package mutating func transact(
        _ steps: [TransactionStep], in libraryName: ByteString, expecting: TransactionExpectations = .init(),
        rows: [StoredRow] = [], at now: Int64
    ) throws(TransactionError) {
        for (key, resource) in expecting.resources where base(of: key) != resource {
            throw .conflict(step: nil, type: key.type, id: key.id)
        }
        guard !steps.isEmpty else { return }
        guard let library = libraryName.bytes.withUnsafeBytes({ libraries.admit($0) }) else {
            throw .tooManyLibraries
        }
        let own = residency.hasAbsent ? rows.filter { !isKnown($0.key) } : []
        let rows = Dictionary(own.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        let (outcomes, order) = try outcomes(
            of: steps, in: library, rows: rows.keys.sorted { $0.id.text < $1.id.text }, sequences: expecting.sequences)
        isUnwritten = true
        let generation = libraries[library].gate.generation
        let stamp = EntityStamp(sequence: nil, generation: generation, writtenAt: now, writer: .transaction)
        beginUnit(isMulti: true)
        for key in order {
            switch outcomes[key] {
            case .written(let resource, let fields):
                resource.withUnsafeBytes { write($0, key, fields: fields, stamp: stamp) }
                noteRequestedWrite(of: key, resource, fields: fields?.wholes)
            case .deleted:
                // Many deletes can displace tombstones before the journal has them.
                residency.forget(key)
                delete(key, Tombstone(sequence: nil, generation: generation, deletedAt: now))
            case .forgotten:
                if !forget(key, at: now), let row = rows[key] { forget(row, at: now) }
            case nil:
                // No input reaches it: `order` is filled together with `outcomes`.
                preconditionFailure("a transaction lost a step")
            }
            if isAwaitingAnswers { recentWrites.append(key, sequence: nil, extent: outcomes[key]?.extent ?? .whole) }
        }
        meanwhile.noteChange(in: libraryName)
        dropLayersOfEndedLog(at: now)
        endUnit(at: now)
    }

    /// Returns an entity as it is stored, without layers; nil if none is stored, or only some of its fields are left.
    ///
    /// - Precondition: The entity is in memory, or in neither tier.
    package func base(of key: EntityKey) -> [UInt8]? {
        storedKey(of: key).flatMap { isReduced($0) ? nil : storedResource($0) }
    }

    private func isReduced(_ key: StoredKey) -> Bool {
        withIdentity(key) { entities.find($0) }.map { entities.completeness(of: $0) != .whole } ?? false
    }

    /// Returns the resource that an entity would have after some steps, without changing anything.
    ///
    /// - Precondition: The entities that the steps touch are in memory.
    /// - Throws: ``TransactionError``.
    package mutating func preview(
        _ steps: [TransactionStep], of key: EntityKey
    ) throws(TransactionError) -> [UInt8]? {
        guard let library = key.library.bytes.withUnsafeBytes({ libraries.admit($0) }) else {
            throw .tooManyLibraries
        }
        let (outcomes, _) = try outcomes(of: steps, in: library, rows: [], sequences: [:])
        guard let stored = storedKey(of: key) else { return nil }
        if isReduced(stored) {
            // A patched part is still a part: only a put makes it whole.
            guard case .written(let resource, nil)? = outcomes[stored] else { return nil }
            return resource
        }
        return resource(of: stored, outcomes)
    }

    /// Returns the result for each entity, and the keys in the order of their first steps. Later steps read these
    /// results; they are written once all steps succeed.
    private mutating func outcomes(
        of steps: [TransactionStep], in library: LibraryIndex, rows: [StoredKey], sequences: [Int: EventSequence?]
    ) throws(TransactionError) -> (outcomes: [StoredKey: Outcome], order: [StoredKey]) {
        var outcomes: [StoredKey: Outcome] = [:]
        var order: [StoredKey] = []
        for (number, step) in steps.enumerated() {
            if case .remove(let type, let ids, let matching) = step {
                let own = order.filter { outcomes[$0]?.resource != nil }
                for key in removed(own, rows, in: library, type: type, ids: ids, matching: matching) {
                    // An entity that an earlier step deleted cannot be removed, and keeps its tombstone.
                    if case .deleted = outcomes[key] { continue }
                    if outcomes.updateValue(.forgotten, forKey: key) == nil { order.append(key) }
                }
                continue
            }
            let (key, outcome): (StoredKey, Outcome)
            do throws(TransactionError) {
                (key, outcome) = try self.outcome(of: step, number, in: library, outcomes)
            } catch {
                // A caller that expects a sequence of an entity that does not exist gets a conflict, whatever the step
                // would do.
                if case .absent(_, let type, let id) = error, let expected = sequences[number] {
                    try check(try self.key(type, id, in: library), number, expected)
                }
                throw error
            }
            if let expected = sequences[number] { try check(key, number, expected) }
            if let resource = outcome.resource, resource.count > entityByteCountMax {
                throw .tooLarge(
                    step: number, type: types.name(of: key.type), id: key.id.text,
                    byteCountMax: entityByteCountMax)
            }
            if case .deleted = outcome, !cascades.isEmpty {
                for other in cascade(from: key, over: { outcomes[$0].map(\.resource) }, isVisible: false) {
                    if outcomes.updateValue(.deleted, forKey: other) == nil { order.append(other) }
                }
            }
            if outcomes.updateValue(outcome, forKey: key) == nil { order.append(key) }
        }
        return (outcomes, order)
    }

    private func check(_ key: StoredKey, _ step: Int, _ expected: EventSequence?) throws(TransactionError) {
        let stamp = withIdentity(key) { entities.find($0) }.map { entities.stamp(of: $0) }
        if let stamp, let expected, stamp.sequence == expected { return }
        if stamp == nil, expected == nil { return }
        throw .conflict(step: step, type: types.name(of: key.type), id: key.id.text)
    }

    private mutating func outcome(
        of step: TransactionStep, _ number: Int, in library: LibraryIndex, _ outcomes: [StoredKey: Outcome]
    ) throws(TransactionError) -> (StoredKey, Outcome) {
        switch step {
        case .put(let given):
            if let reason = given.reason { throw .badResource(step: number, reason: reason) }
            let (type, id, resource) = given.withResource { (admitType($0), $1, Array($2)) }
            guard let type else { throw .tooManyTypes }
            return (StoredKey(library: library, type: type, id: id), .written(resource, fields: nil))
        // No input reaches it: the caller handles removals before.
        case .remove: preconditionFailure("a removal has no outcome of its own")
        case .delete(let name, let id):
            return (try key(name, id, in: library), .deleted)
        case .keyedPut(let name, let id, let resource):
            return (try key(name, id, in: library), .written(resource, fields: nil))
        case .merge(let name, let id, let fields):
            let key = try key(name, id, in: library)
            guard let base = resource(of: key, outcomes) else { throw .absent(step: number, type: name, id: id) }
            let merged = base.withUnsafeBytes { base in fields.withUnsafeBytes { Merge.byPath($0, into: base) } }
            if case .written(_, nil) = outcomes[key] { return (key, .written(merged.resource, fields: nil)) }
            let fields = written(merged.written, after: outcomes[key])
            return (key, .written(merged.resource, fields: fields))
        case .removeField(let name, let id, let field):
            let patch = TransactionStep.patch(type: name, id: id, fields: [], unset: [field])
            return try outcome(of: patch, number, in: library, outcomes)
        case .patch(let name, let id, let fields, let unset):
            let key = try key(name, id, in: library)
            guard let base = resource(of: key, outcomes) else { throw .absent(step: number, type: name, id: id) }
            let names = fields.isEmpty ? [] : fields.withUnsafeBytes { JSONObject.fieldNames(of: $0) }
            let isNamed = { (field: ByteString) in names.contains(field) || unset.contains(field) }
            let hasID = base.withUnsafeBytes { JSONObject($0, range: 0..<$0.count).value(named: "id") != nil }
            if isNamed("id") || !hasID && isNamed("uuid") { throw .changesIdentity(step: number) }
            let patched = base.withUnsafeBytes { base in
                fields.withUnsafeBytes { Merge.assigned($0, into: base, unset: Set(unset.map(\.bytes))) }
            }
            // If this transaction wrote the whole resource before, the patched field gets the same stamp.
            if case .written(_, nil) = outcomes[key] { return (key, .written(patched, fields: nil)) }
            return (key, .written(patched, fields: written(WrittenFields(names), after: outcomes[key])))
        }
    }

    /// Returns the fields that a step wrote, together with those of earlier steps.
    private func written(_ fields: WrittenFields, after outcome: Outcome?) -> WrittenFields {
        guard case .written(_, var earlier?) = outcome else { return fields }
        earlier.add(fields)
        return earlier
    }

    private mutating func key(
        _ type: ByteString, _ id: ByteString, in library: LibraryIndex
    ) throws(TransactionError) -> StoredKey {
        guard let index = type.bytes.withUnsafeBytes({ admitType($0) }) else { throw .tooManyTypes }
        return StoredKey(library: library, type: index, id: StoredID(EntityKey.canonicalID(id)))
    }

    private func resource(of key: StoredKey, _ outcomes: [StoredKey: Outcome]) -> [UInt8]? {
        switch outcomes[key] {
        case .written(let resource, _): resource
        case .deleted, .forgotten: nil
        case nil: withIdentity(key) { entities.find($0) }.map { Array(entities.payload(of: $0)) }
        }
    }

    private mutating func write(
        _ resource: UnsafeRawBufferPointer, _ key: StoredKey, fields: WrittenFields?, stamp: EntityStamp
    ) {
        if let index = withIdentity(key, { entities.find($0) }) {
            return overwrite(index, resource, fields: fields, stamp: stamp)
        }
        removeTombstone(of: key)
        key.withIdentity(seed: entities.seed) { identity in
            _ = insert(identity, resource, stamp: stamp)
        }
    }
}
