import TidemarkModel

/// Replaces temporary ids in edits that are made after their renaming became known.
///
/// An edit that adds an entity under such an id begins a new one, and the id is its temporary id from then on.
///
/// - Source: Protocol/optimistic.md, temporary ids.
extension CacheState {
    /// Returns steps with real ids in place of renamed temporary ones.
    ///
    /// - Parameter name: The library of the steps.
    package func renamed(_ steps: [TransactionStep], in name: ByteString) -> [TransactionStep] {
        guard !layers.renamings.isEmpty, let library = libraries.index(of: name) else { return steps }
        // The entities that the edit adds. Its later steps concern these.
        var added: Set<EntityKey> = []
        return steps.map { step in
            guard let (type, id, replaces) = step.target else { return step }
            let key = EntityKey(library: name, type: type, id: id)
            if replaces { added.insert(key) }
            guard !added.contains(key),
                let known = layers.renamings.renaming(of: key.id, type: types.index(of: type), in: library)
            else { return step }
            return step.renamed(to: known)
        }
    }

    /// Returns an edit with real ids in place of renamed temporary ones, in its steps and in its request.
    func renamed(_ update: LayerUpdate) -> LayerUpdate {
        guard !layers.renamings.isEmpty, let library = libraries.index(of: update.library) else { return update }
        var result = update
        result.steps = renamed(update.steps, in: update.library)
        guard let request = update.request, !request.temporaryIDs.isEmpty else { return result }
        var sending = LayerSending(request)
        for id in sending.namedIDs.sorted() {
            var own: Set<TypeIndex> = []
            var isAdded = false
            for step in update.steps {
                guard let (type, named, adds) = step.target, EntityKey.canonicalID(named) == id else { continue }
                isAdded = isAdded || adds
                if let index = types.index(of: type) { own.insert(index) }
            }
            guard !isAdded, let known = layers.renamings.renaming(of: id, namedAs: own, in: library) else { continue }
            sending.rename(id, to: known.json)
        }
        result.request = sending.request
        return result
    }

    /// Ends the renamings of the ids under which a layer adds entities.
    mutating func endRenamings(of layer: Layer) {
        guard !layers.renamings.isEmpty else { return }
        for change in layer.changes {
            guard case .put(let key, _) = change else { continue }
            layers.renamings.end(key.id.text, type: key.type, in: layer.library)
        }
    }
}

extension TransactionStep {
    /// The type and id of the entity that a step changes, and whether the step replaces the whole entity. nil for a
    /// removal, and for an unusable resource.
    fileprivate var target: (type: ByteString, id: ByteString, replaces: Bool)? {
        switch self {
        case .put(let given):
            given.key(in: "").map { ($0.type, $0.id, true) }
        case .keyedPut(let type, let id, _): (type, id, true)
        case .patch(let type, let id, _, _), .merge(let type, let id, _), .removeField(let type, let id, _),
            .delete(let type, let id):
            (type, id, false)
        case .remove: nil
        }
    }

    /// Returns the step for the entity with the real id. A step that replaces a whole entity does not change.
    fileprivate func renamed(to known: RenamingRecord) -> TransactionStep {
        switch self {
        case .patch(let type, _, let fields, let unset):
            .patch(type: type, id: known.real, fields: fields, unset: unset)
        case .merge(let type, _, let fields):
            .merge(type: type, id: known.real, fields: CacheState.renamedPart(fields, known.json))
        case .removeField(let type, _, let field): .removeField(type: type, id: known.real, field)
        case .delete(let type, _): .delete(type: type, id: known.real)
        case .put, .keyedPut, .remove: self
        }
    }
}

extension PutResource {
    /// The key of the resource; nil if the resource is unusable.
    fileprivate func key(in library: ByteString) -> EntityKey? {
        guard reason == nil else { return nil }
        return withResource { type, id, _ in EntityKey(library: library, type: ByteString(type), id: id.text) }
    }
}
