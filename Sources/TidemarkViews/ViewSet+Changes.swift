import TidemarkModel
import TidemarkStore

extension ViewSet {
    /// Applies the changes of one unit: an event, a batch, a transaction, an answer, an edit, its commit or rollback.
    /// The views change as a whole, once.
    ///
    /// - Parameters:
    ///   - changes: The entities that changed. Of several changes of one entity, the first has the state before and the
    ///     last the state after.
    ///   - entities: Reads the state after.
    /// - Returns: The windows in which something shows, by their number.
    /// - Complexity: O(changes) if no view has one of the types; otherwise what changes in results, and the rows of an
    ///   `exists`, `absent` or aggregate of an include with a changed match.
    package mutating func apply(_ changes: [ViewChange], _ entities: any ViewEntities) -> [ViewUpdate] {
        refreshed = []
        let changes = relevant(changes).map { ChangedEntity($0) }
        guard !changes.isEmpty else { return [] }
        let concerned = concernedSources(changes)
        let after = ResourceReader(
            entities,
            overlay: changes.map { ResourceReader.Version(key: $0.key, state: $0.new, resource: $0.newResource) })
        let before = ResourceReader(
            entities, others: after,
            overlay: changes.map { ResourceReader.Version(key: $0.key, state: $0.old, resource: $0.oldResource) })
        let old = concerned.map { number, sources in
            sources.allSatisfy { $0.isPlacement }
                ? nil : shapes[number]?.emissions(of: sources, isOld: true, indexes, before)
        }
        var touched: [UInt64] = []
        for change in changes {
            touched.append(BucketID.entity(change.key))
            indexes.apply(change, touch: dependents.readsBuckets ? { touched.append($0.fingerprint) } : nil)
        }
        var dirty = dependents.rows(touched)
        var changed: [ViewUseID] = []
        for (index, (number, sources)) in concerned.enumerated() {
            let difference = difference(of: sources, number, from: old[index], before, after)
            let uses = shapes[number]?.apply(from: difference.old, to: difference.new, indexes.table) ?? [:]
            note(uses, number, &dirty)
            changed += uses.keys.map { ViewUseID(shape: number, use: $0) }
        }
        refreshed = dirty.keys.sorted()
        let updates = refreshed.filter { windows[$0]?.suspended == nil }.compactMap { number in
            refresh(number, dirty: dirty[number] ?? [], after, changes: changes)
        }
        for id in changed {
            if shapes[id.shape]?.followedCount ?? 0 > 0 { collectMoves(of: id) }
            shapes[id.shape]?.uses[id.use]?.value.endChange()
        }
        indexes.endChange()
        return updates
    }

    /// The changes of types that views have, one for each entity.
    private func relevant(_ changes: [ViewChange]) -> [ViewChange] {
        if changes.count == 1 {
            let isRelevant = indexes.relationsByType[changes[0].key.type] != nil && changes[0].old != changes[0].new
            return isRelevant ? changes : []
        }
        var positions: [ViewKey: Int] = [:]
        var merged: [ViewChange] = []
        for change in changes where indexes.relationsByType[change.key.type] != nil {
            if let position = positions[change.key] {
                merged[position] = ViewChange(change.key, from: merged[position].old, to: change.new)
            } else {
                positions[change.key] = merged.count
                merged.append(change)
            }
        }
        return merged.filter { $0.old != $0.new }
    }

    /// The rules that changes concern, each with the sources that they concern.
    private func concernedSources(_ changes: [ChangedEntity]) -> [(shape: Int, sources: [ChangedSource])] {
        var concerned: [(shape: Int, sources: [ChangedSource])] = []
        // One change concerns each rule once.
        let mayRepeat = changes.count > 1
        var positions: [Int: Int] = [:]
        for change in changes {
            for number in shapesByType[change.key.type] ?? [] {
                guard let plan = shapes[number]?.plan else { continue }
                let sources = ChangedSource.all(change, plan)
                guard !sources.isEmpty else { continue }
                if mayRepeat, let position = positions[number] {
                    concerned[position].sources += sources
                } else {
                    if mayRepeat { positions[number] = concerned.count }
                    concerned.append((number, sources))
                }
            }
        }
        return concerned
    }

    /// What changes take from the results of a rule and add to them.
    ///
    /// - Parameter old: What the state before adds; nil if rows only move.
    private func difference(
        of sources: [ChangedSource], _ shape: Int, from old: Emissions?, _ before: ResourceReader,
        _ after: ResourceReader
    ) -> (old: Emissions, new: Emissions) {
        guard let old else {
            return shapes[shape]?.moves(of: sources, indexes, before: before, after: after)
                ?? (Emissions(), Emissions())
        }
        return (old, shapes[shape]?.emissions(of: sources, isOld: false, indexes, after) ?? Emissions())
    }

    /// Notes the windows of changed uses, with the rows that may look different.
    private func note(
        _ changed: [UseNumber: Set<ResultKey>], _ shape: Int, _ dirty: inout [ViewWindowID: Set<RowNumber>]
    ) {
        for (number, groups) in changed {
            guard let use = shapes[shape]?.uses[number] else { continue }
            let rows = groups.compactMap { use.value.rows.number(of: $0) }
            for window in use.value.windows { dirty[window, default: []].formUnion(rows) }
        }
    }
}
