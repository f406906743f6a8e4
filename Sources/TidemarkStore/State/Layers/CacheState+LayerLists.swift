import TidemarkModel

/// How layers change lists: the base list stays as it is, and marks and extra elements determine what is shown.
extension CacheState {
    /// Recomputes an entity after its base or its layers changed, and updates every list.
    ///
    /// - Complexity: O(base + changes over it), plus O(log n) for each list.
    mutating func refold(_ handle: ListHandle, at now: Int64) {
        let key = queries.keys.key(of: handle)
        let index = withIdentity(key) { entities.find($0) }
        if let index { entities.setTracked(index, true) }
        if queries.keys.isLayered(handle) {
            layers.fold(handle, over: index.map { Array(entities.payload(of: $0)) })
        }
        var places = ListPlaces()
        for place in 0..<queries.keys.holderCount(of: handle) {
            let holder = queries.keys.holder(of: handle, at: place)
            places.insert(holder, isExtra: queries.isExtra(holder))
        }
        if let visible = layers.overlays[handle]?.visible, completeness(of: handle).isEvaluable {
            let candidates = visible.withUnsafeBytes {
                queries.candidates(library: key.library, type: key.type, resource: $0)
            }
            for query in candidates { places.insert(query) }
        }
        for place in places.all { show(handle, key, place) }
    }

    /// Applies all layers to a list that was just made.
    ///
    /// - Complexity: O(layered entities).
    mutating func refoldAll(in query: QueryID) {
        for handle in layers.overlays.keys.sorted() {
            let key = queries.keys.key(of: handle)
            guard key.library == queries[query].library, key.type == queries[query].type else { continue }
            var places = ListPlaces()
            places.insert(query)
            for place in 0..<queries.keys.holderCount(of: handle) {
                let holder = queries.keys.holder(of: handle, at: place)
                if holder.query == query { places.insert(holder, isExtra: queries.isExtra(holder)) }
            }
            for place in places.all { show(handle, key, place) }
        }
    }

    /// Shows an entity at its place in one list, and removes or covers it elsewhere in that list.
    private mutating func show(_ handle: ListHandle, _ key: StoredKey, _ place: ListPlaces.Place) {
        let query = place.query
        guard queries[query].isStored || place.own != nil || place.extra != nil else { return }
        let overlay = queries.keys.isLayered(handle) ? layers.overlays[handle] : nil
        var extra = place.extra
        var ownMarks: ElementMarks = overlay == nil ? [] : [.isLayered]
        if let membership = queries[query].membership {
            var sortKey: [UInt8]?
            if let visible = overlay?.visible, completeness(of: handle).isEvaluable {
                sortKey = visible.withUnsafeBytes { visible in
                    membership.matches(visible) ? membership.sortKey(of: visible, id: key.id.text) : nil
                }
            }
            // Beyond the horizon there may be unknown elements before it.
            if let horizon = queries[query].horizon, let wanted = sortKey,
                horizon.lexicographicallyPrecedes(wanted)
            {
                sortKey = nil
            }
            let isInPlace = place.own.map { queries[query].list.sortKey(of: $0) == sortKey } ?? false
            let isExtra = sortKey != nil && overlay != nil && !isInPlace
            // Removals precede insertions, so that the entity is never shown twice. Observers get one step, or none if
            // the list's own element takes the place of the extra one.
            if let gone = extra, !isExtra {
                queries.remove(gone, of: query)
                extra = nil
            }
            if overlay != nil, !isInPlace { ownMarks.insert(.isCovered) }
            if let own = place.own { queries.setMarks(of: own, ownMarks, in: query) }
            if let sortKey, isExtra {
                if let extra {
                    if queries[query].list.sortKey(of: extra) != sortKey { queries.resort(extra, sortKey, in: query) }
                } else {
                    extra = queries.insert(
                        handle, sortKey: sortKey, marks: [.isLayered, .isExtra],
                        at: queries[query].list.lowerBound(sortKey, among: .all), in: query)
                }
            }
        } else if let own = place.own {
            if queries[query].list.marks(of: own).contains(.isMissing) { ownMarks.insert(.isMissing) }
            if let overlay {
                if overlay.visible != nil {
                    ownMarks.insert(.isSupplied)
                } else if overlay.isDeleted {
                    ownMarks.insert(.isCovered)
                }
            }
            queries.setMarks(of: own, ownMarks, in: query)
        }
        queries.recorder.becomeUncertain()
        for node in [place.own, extra] {
            if let node, queries[query].list.isShown(node) { queries.replace(node, in: query) }
        }
    }
}

/// Where one entity is in each list: as the list's own element, as an extra one, or both.
private struct ListPlaces {
    struct Place {
        var query: QueryID
        var own: ListNode?
        var extra: ListNode?
    }

    /// The places, in the order in which the lists were first inserted.
    private(set) var all: [Place] = []
    private var indexes: [QueryID: Int] = [:]

    mutating func insert(_ query: QueryID) { _ = index(of: query) }

    mutating func insert(_ holder: ListedKeys.Holder, isExtra: Bool) {
        let index = index(of: holder.query)
        if isExtra { all[index].extra = holder.node } else { all[index].own = holder.node }
    }

    private mutating func index(of query: QueryID) -> Int {
        if let index = indexes[query] { return index }
        indexes[query] = all.count
        all.append(Place(query: query))
        return all.count - 1
    }
}
