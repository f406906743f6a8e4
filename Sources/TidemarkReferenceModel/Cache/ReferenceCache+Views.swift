// Views: the base with every layer applied to it, computed again for each read.

extension ReferenceCache {
    /// Returns the view of a key.
    package func view(_ key: ReferenceKey) -> ReferenceView { view(key, below: nil) }

    /// Computes the view of a key.
    ///
    /// - Parameter below: The index of a layer and of a change in it; only earlier changes count. nil for all changes.
    private func view(_ key: ReferenceKey, below: (layer: Int, change: Int)?) -> ReferenceView {
        var view = ReferenceView(json: entities[key]?.json, isPending: false, isHidden: false)
        for (layer, change, value) in changes {
            if let below, (layer, change) >= (below.layer, below.change) { break }
            guard value.key == key else { continue }
            view.isPending = true
            switch value {
            case .put(_, let json):
                view.json = json
                view.isHidden = false
            case .patch(_, let fields, let unset):
                view.json = view.json.map { Self.assigned(fields, into: $0, unset: unset) }
            case .delete:
                view.json = nil
                view.isHidden = true
            }
        }
        return view
    }

    private var changes: [(layer: Int, change: Int, value: ReferenceLayerChange)] {
        layers.enumerated().flatMap { layer, value in
            value.changes.enumerated().map { (layer, $0.offset, $0.element) }
        }
    }

    /// Returns why a key shows nothing, `deleted` or `absent`; nil if it shows something.
    package func miss(_ key: ReferenceKey) -> String? {
        let view = view(key)
        if view.json != nil { return nil }
        return view.isHidden || tombstones[key] != nil ? "deleted" : "absent"
    }

    /// Returns the visible keys of a type, in key order.
    package func visibleKeys(library: [UInt8], type: [UInt8]) -> [ReferenceKey] {
        let all = Set(entities.keys).union(changes.map(\.value.key))
        return all.filter { $0.library == library && $0.type == type && view($0).json != nil }.sorted()
    }

    /// Returns the layers that have not settled, oldest first.
    package func pendingLayers(library: [UInt8]? = nil) -> [ReferencePendingLayer] {
        layers.enumerated().filter { library == nil || $0.element.library == library }.map { place, layer in
            let isOrphaned = layer.changes.enumerated().contains { number, change in
                guard case .patch(let key, _, _) = change, tombstones[key] != nil else { return false }
                return view(key, below: (place, number)).json == nil
            }
            return ReferencePendingLayer(
                pendingID: layer.pendingID, library: layer.library,
                state: isOrphaned ? "orphaned" : layer.isConfirmed ? "confirmed" : "pending",
                keys: layer.changes.map(\.key), dependsOn: layer.dependsOn)
        }
    }

    // MARK: Lists

    /// Returns the list that a read returns; nil if the query is not stored.
    package func list(_ name: ReferenceQueryName) -> ReferenceList? {
        guard let query = queries[name] else { return nil }
        var list = ReferenceList(ids: [], resources: [], isStale: isStale(name), isPartial: false, asOf: query.asOf)
        for id in visibleIDs(of: query, name, isLimited: true) {
            let view = view(ReferenceKey(library: name.library, type: query.type, id: id))
            if view.isPending { list.isPending = true }
            guard let json = view.json else {
                if !view.isHidden { list.isPartial = true }
                continue
            }
            list.ids.append(id)
            list.resources.append(json.written)
        }
        // An element that only the base shows makes the list pending too.
        if ids(of: query, name).contains(where: { isLayered($0, query, name) }) { list.isPending = true }
        return list
    }

    /// Returns the visible ids of a list. A rule is evaluated again over everything known: the server's result and
    /// later writes. Entities that layers change are added by their views, as far as the list is known.
    private func visibleIDs(
        of query: ReferenceQuery, _ name: ReferenceQueryName, isLimited: Bool
    ) -> [[UInt8]] {
        guard let rule = query.rule else { return query.members }
        var shown: [(id: [UInt8], resource: ReferenceJSON)] = []
        for (id, json) in baseMembers(of: query, name) where !isLayered(id, query, name) { shown.append((id, json)) }
        for id in Set(changes.map(\.value.key).filter { $0.library == name.library && $0.type == query.type }.map(\.id))
        {
            guard let json = view(ReferenceKey(library: name.library, type: query.type, id: id)).json,
                rule.matches(json), isKnown(id, json, query, rule)
            else { continue }
            shown.append((id, json))
        }
        let sorted = shown.sorted { rule.precedes($0, $1) }.map(\.id)
        guard isLimited, let limit = rule.limit else { return sorted }
        return Array(sorted.prefix(limit))
    }

    /// Returns the ids that the list shows without layers.
    private func ids(of query: ReferenceQuery, _ name: ReferenceQueryName) -> [[UInt8]] {
        guard let rule = query.rule else { return query.members }
        return rule.list(of: baseMembers(of: query, name))
    }

    private func baseMembers(
        of query: ReferenceQuery, _ name: ReferenceQueryName
    ) -> [(id: [UInt8], resource: ReferenceJSON)] {
        entities.filter { key, entity in
            key.library == name.library && key.type == query.type
                && (query.isLocal ? query.rule?.matches(entity.json) ?? false : query.members.contains(key.id))
        }.map { ($0.id, $1.json) }
    }

    private func isLayered(_ id: [UInt8], _ query: ReferenceQuery, _ name: ReferenceQueryName) -> Bool {
        changes.contains { $0.value.key == ReferenceKey(library: name.library, type: query.type, id: id) }
    }

    /// True if a query is not stored, has expired, was made stale, or misses elements.
    package func isStale(_ name: ReferenceQueryName) -> Bool {
        guard let query = queries[name] else { return true }
        if let timeToLive = query.timeToLive, now - query.storedAt >= timeToLive { return true }
        if query.isMarkedStale { return true }
        guard let rule = query.rule else {
            return query.members.contains { id in
                let view = view(ReferenceKey(library: name.library, type: query.type, id: id))
                return view.json == nil && !view.isHidden
            }
        }
        if case .whole = query.horizon { return false }
        return visibleIDs(of: query, name, isLimited: false).count < rule.limit ?? .max
    }
}
