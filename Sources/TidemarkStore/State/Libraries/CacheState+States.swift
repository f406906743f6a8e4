import TidemarkModel

/// A row of an entity that only the journal has, with the generation of the log that wrote it.
package struct SweptRow: Hashable, Sendable {
    package var stored: StoredRow
    package var generation: UInt32

    /// Creates the row of a stored entity.
    package init(_ entity: StoredEntity) {
        stored = StoredRow(key: entity.key, row: entity.row)
        generation =
            EntityStamp(sequence: nil, packedGeneration: entity.generation, writtenAt: 0).generation
    }

    /// Creates a row whose entity cannot be read. It counts as written by an older log.
    package init(damaged row: StoredRow) {
        stored = row
        generation = .max
    }
}

/// States: a reset begins one, everything that the library has follows, and a heartbeat ends it. What was not written
/// since the reset is then removed.
///
/// A reset begins a new generation, and each write carries the generation of its log. So the entities to remove are
/// those of older generations, and no set of keys is kept.
///
/// - Source: Protocol/events.md, states.
extension CacheState {
    /// Returns what the ends of states among some events may remove, ascending by library; empty if all entities are in
    /// memory.
    ///
    /// - Complexity: O(events + waiting events).
    package func sweeps(with batches: [EventBatch]) -> [Sweep] {
        guard residency.hasAbsent else { return [] }
        var ending: Set<LibraryIndex> = []
        var begun: Set<LibraryIndex> = []
        for library in libraries.watched where libraries[library].gate.isInState {
            if libraries[library].gate.waiting.contains(where: { $0.event.mayEndState }) { ending.insert(library) }
        }
        for batch in batches where batch.events.contains(where: { $0.mayEndState }) {
            forEachView(of: batch) { view in
                guard view.event.mayEndState || view.event.beginsState, let library = existingLibrary(of: view)
                else { return }
                if view.event.beginsState { begun.insert(library) } else { ending.insert(library) }
            }
        }
        return ending.sorted().compactMap { library in
            if begun.contains(library) { return Sweep(library: library, generation: nil) }
            guard libraries[library].gate.isInState else { return nil }
            return Sweep(library: library, generation: libraries[library].gate.generation)
        }
    }

    /// Passes the rows of the sweeps that ``sweeps(with:)`` returned, for the events that are applied
    /// next in the same step.
    package mutating func beginSweep(_ rows: [SweptRow]) { sweptRows = rows }

    /// Ends the step of ``beginSweep(_:)``.
    package mutating func endSweep() { sweptRows = nil }

    /// Ends a library's state: removes the entities that were not written since it began.
    ///
    /// A state of which a number is lost ends nothing: its entity would be removed although the source has it. Then the
    /// library stays stale until the next state.
    mutating func endState(of library: LibraryIndex, at now: Int64) {
        let gate = libraries[library].gate
        guard gate.isInState, gate.lost.isEmpty, sweptRows != nil || !residency.hasAbsent else { return }
        var old: [StoredKey] = []
        entities.forEachIndex { index in
            guard entities.library(of: index) == library, entities.stamp(of: index).generation != gate.generation
            else { return }
            old.append(entities.key(of: index))
        }
        for key in old { _ = forget(key, at: now) }
        for row in sweptRows ?? []
        where row.stored.key.library == library && row.generation != gate.generation && residency.hasAbsent
            && !isKnown(row.stored.key)
        {
            forget(row.stored, at: now)
        }
        libraries[library].gate.endState()
        libraries[library].isChanged = true
        isUnwritten = true
    }
}
