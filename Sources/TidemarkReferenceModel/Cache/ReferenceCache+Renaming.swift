// Temporary ids, which a host made up, and the real ones that replace them.

/// A temporary id and the real id that replaced it.
package struct ReferenceRenaming: Equatable, Sendable {
    /// The library of the entity.
    package var library: [UInt8]
    /// The type of the entity; nil for every type.
    package var type: [UInt8]?
    /// The id that the host made up.
    package var temporary: [UInt8]
    /// The id that the server assigned.
    package var real: [UInt8]
    /// True once a newer entity has the temporary id.
    package var isEnded = false
}

extension ReferenceCache {
    /// Replaces temporary ids by real ones, for every type with which layers use them.
    mutating func rename(_ realIDs: [[UInt8]: [UInt8]], in library: [UInt8]) {
        let own = layers.filter { $0.library == library }.flatMap(\.changes).map(\.key)
        let pairs = realIDs.sorted { $0.key.lexicographicallyPrecedes($1.key) }.filter { $0.key != $0.value }
        for (temporary, real) in pairs {
            let types = Set(own.filter { $0.id == temporary }.map(\.type))
            let isKnown = renamings.contains {
                $0.library == library && $0.temporary == temporary && $0.real == real
            }
            if types.isEmpty, !isKnown {
                learn(ReferenceRenaming(library: library, type: nil, temporary: temporary, real: real))
            }
            rename(
                types.sorted { $0.lexicographicallyPrecedes($1) }.map { type in
                    (
                        ReferenceKey(library: library, type: type, id: temporary),
                        ReferenceKey(library: library, type: type, id: real)
                    )
                })
        }
    }

    /// Replaces temporary ids in layers, lists and the base, and for later edits.
    mutating func rename(_ given: [(from: ReferenceKey, to: ReferenceKey)]) {
        let pairs = given.filter { pair in
            !renamings.contains { $0.isEnded && $0.concerns(pair.from) && $0.real == pair.to.id }
        }
        for index in layers.indices {
            layers[index].changes = layers[index].changes.map { change in
                guard let to = pairs.first(where: { $0.from == change.key })?.to else { return change }
                switch change {
                case .put(_, let json): return .put(to, Self.named(json, to.id))
                case .patch(_, let fields, let unset): return .patch(to, fields: fields, unset: unset)
                case .delete: return .delete(to)
                }
            }
        }
        for (from, to) in pairs {
            renameBase(from, to)
            learn(ReferenceRenaming(library: from.library, type: from.type, temporary: from.id, real: to.id))
        }
        renamed += pairs
    }

    private mutating func learn(_ renaming: ReferenceRenaming) {
        let same = renamings.first {
            $0.library == renaming.library && $0.type == renaming.type && $0.temporary == renaming.temporary
        }
        if same?.real == renaming.real { return }
        renamings.removeAll { $0 == same }
        renamings.append(renaming)
    }

    mutating func endRenamings(of key: ReferenceKey) {
        for index in renamings.indices where renamings[index].concerns(key) { renamings[index].isEnded = true }
    }

    /// Returns the layer with known real ids in place of temporary ones.
    func renamed(_ layer: ReferenceLayer) -> ReferenceLayer {
        var layer = layer
        var added: [ReferenceKey] = []
        layer.changes = layer.changes.map { change in
            if case .put(let key, _) = change { added.append(key) }
            let own = renamings.filter { $0.concerns(change.key) }
            guard !added.contains(change.key), let known = own.first(where: { $0.type != nil }) ?? own.first,
                !known.isEnded
            else { return change }
            let to = ReferenceKey(library: layer.library, type: change.key.type, id: known.real)
            switch change {
            case .put: return change
            case .patch(_, let fields, let unset): return .patch(to, fields: fields, unset: unset)
            case .delete: return .delete(to)
            }
        }
        return layer
    }

    /// Returns the renaming that a mutation's event implies, if the edit added one entity and the event has one of its
    /// type.
    ///
    /// Call it before the event is applied.
    package func impliedRenaming(
        _ mutationID: [UInt8], in library: [UInt8], type: [UInt8], _ resources: [ReferenceResource]
    ) -> (from: ReferenceKey, to: ReferenceKey)? {
        guard let place = layers.firstIndex(where: { $0.pendingID == mutationID && $0.library == library }) else {
            return nil
        }
        let changes = layers[place].changes
        let added = Set(changes.map(\.key)).filter { key in
            guard case .put? = changes.last(where: { if case .patch = $0 { false } else { $0.key == key } }) else {
                return false
            }
            return entities[key] == nil && tombstones[key] == nil
        }
        let ids = Set(resources.map(\.id))
        guard added.count == 1, let from = added.first, from.type == type, ids.count == 1, let resource = resources.last
        else { return nil }
        let to = ReferenceKey(library: library, type: type, id: resource.id)
        guard to != from, !layers[...place].contains(where: { $0.changes.contains { $0.key == to } }),
            tombstones[to] == nil, entities[to] == nil || agrees(resource.json, with: from, changes)
        else { return nil }
        return (from, to)
    }

    /// True if the event's resource agrees with the put fields that it contains, and contains at least one.
    private func agrees(
        _ json: ReferenceJSON, with key: ReferenceKey, _ changes: [ReferenceLayerChange]
    ) -> Bool {
        var put: ReferenceJSON?
        for case .put(key, let json) in changes { put = json }
        let names = (put?.members ?? []).map(\.key.unescaped).filter { name in
            name != Array("id".utf8) && name != Array("uuid".utf8) && json.member(name) != nil
        }
        return !names.isEmpty && names.allSatisfy { put?.member($0)?.written == json.member($0)?.written }
    }

    private mutating func renameBase(_ from: ReferenceKey, _ to: ReferenceKey) {
        for (name, query) in queries where concerns(name, query, from) && query.rule == nil {
            guard let place = query.members.firstIndex(of: from.id) else { continue }
            if query.members.contains(to.id) {
                queries[name]?.members.remove(at: place)
            } else {
                queries[name]?.members[place] = to.id
            }
        }
        guard let entity = entities[from] else { return }
        entities[from] = nil
        for (name, query) in queries where concerns(name, query, from) && query.rule != nil {
            queries[name]?.members.removeAll { $0 == from.id }
        }
        if entities[to] == nil {
            var own = entity
            own.json = Self.named(own.json, to.id)
            entities[to] = own
            tombstones[to] = nil
            follow(to)
        }
        for (name, query) in queries where concerns(name, query, from) { checkLength(of: name) }
    }

    /// Returns the resource with another id.
    private static func named(_ json: ReferenceJSON, _ id: [UInt8]) -> ReferenceJSON {
        let members = json.members ?? []
        let field = Array((members.contains { $0.key.unescaped == Array("id".utf8) } ? "id" : "uuid").utf8)
        return .object(
            members.map { member in
                guard member.key.unescaped == field else { return member }
                return ReferenceMember(key: member.key, value: .string(ReferenceString(id)))
            })
    }
}

extension ReferenceRenaming {
    /// True if an entity has the temporary id.
    fileprivate func concerns(_ key: ReferenceKey) -> Bool {
        key.library == library && key.id == temporary && type ?? key.type == key.type
    }
}
