import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Reads complete entities in key order: libraries by bytes, then `type:id` by bytes.
    ///
    /// - Parameters:
    ///   - library: The only library to read; nil for all.
    ///   - type: The only type to read; nil for all.
    ///   - after: The key after which to begin, which need not be stored; nil to begin with the first.
    ///   - limit: The most steps. Damaged layers are visited first and do not count.
    ///   - showsLayers: True to return entities with all pending layers applied; false for the server's versions.
    ///   - visit: Called with each entity and each damaged row; returns false to stop. Entities are not collected.
    /// - Throws: ``/Tidemark/StorageError``.
    /// - Complexity: O(log n) to begin, O(1) a step, whatever the number of entities; with layers, O(their bytes) more.
    public func walk(
        library: ByteString? = nil, type: ByteString? = nil, after: EntityKey? = nil, limit: Int = .max,
        showsLayers: Bool = false, _ visit: (ReadStep) throws -> Bool
    ) throws(StorageError) {
        try snapshot { connection in
            let names = try ReadNames(connection)
            let overlay = showsLayers ? try LayerOverlay(connection, names) : LayerOverlay()
            for row in overlay.damaged {
                guard try visit(.damaged(row)) else { return }
            }
            let entities = try entities(connection)
            var rest = limit
            func countdown(_ step: ReadStep) throws -> Bool {
                guard rest > 0 else { return false }
                rest -= 1
                return try visit(step)
            }
            // Keys begin with the type's name and a colon, so `a-b:` comes before `a:`.
            let types = names.types.indices.filter { type == nil || names.types[$0] == type }
                .sorted { names.types[$0].bytes + [58] < names.types[$1].bytes + [58] }
            for libraryIndex in names.libraries.indices.sorted(by: { names.libraries[$0] < names.libraries[$1] }) {
                let name = names.libraries[libraryIndex]
                if let library, name != library { continue }
                if let after, name < after.library { continue }
                for typeIndex in types {
                    var range = KeyRange(library: LibraryIndex(libraryIndex), type: TypeIndex(typeIndex))
                    if let after, after.library == name {
                        if names.types[typeIndex] == after.type {
                            range.after = after.id
                        } else if names.types[typeIndex].bytes + [58] < after.type.bytes + [58] {
                            continue
                        }
                    }
                    let goesOn = try walk(range, entities, overlay, names, countdown)
                    guard goesOn, rest > 0 else { return }
                }
            }
            // Entities of damaged blocks were left out, or returned in an older version.
            for number in try blocks(connection)?.snapshot().index.damagedBlocks ?? [] {
                guard try countdown(.damaged(DamagedRow(row: number, kind: .block, fault: .checksumMismatch))) else {
                    return
                }
            }
        }
    }

    /// The entities of one type in one library, after an id.
    private struct KeyRange {
        var library: LibraryIndex
        var type: TypeIndex
        var after: ByteString?
    }

    /// Visits the entities of one range.
    ///
    /// - Returns: False when `visit` stopped the scan.
    private func walk(
        _ range: KeyRange, _ entities: any EntityReads, _ overlay: LayerOverlay, _ names: ReadNames,
        _ visit: (ReadStep) throws -> Bool
    ) throws -> Bool {
        // The covered entities that are still to be visited; some belong between stored entities.
        var covered = overlay.keys(library: range.library, type: range.type, after: range.after)[...]
        func visitCovered(before key: StoredKey?) throws -> Bool {
            while let next = covered.first, key.map({ next.id.text < $0.id.text }) ?? true {
                covered.removeFirst()
                guard let name = names.entityKey(next),
                    let entity = overlay.visible(next, over: nil, name: name)
                else { continue }
                guard try visit(.entity(entity)) else { return false }
            }
            return true
        }
        let goesOn = try entities.forEach(
            library: range.library, type: range.type, after: range.after, expectedCount: 32, names.dictionaries
        ) { key, answer in
            guard try visitCovered(before: key) else { return false }
            let step = step(key, answer, names)
            guard covered.first == key else {
                if case .entity(let entity) = step, !entity.isWhole { return true }
                return try visit(step)
            }
            covered.removeFirst()
            var base: EntitySnapshot?
            if case .entity(let entity) = step { base = entity } else if try !visit(step) { return false }
            guard let name = names.entityKey(key), let entity = overlay.visible(key, over: base, name: name),
                entity.isWhole
            else {
                return true
            }
            return try visit(.entity(entity))
        }
        return goesOn ? try visitCovered(before: nil) : false
    }

    private func step(_ key: StoredKey, _ answer: EntityReader.Answer, _ names: ReadNames) -> ReadStep {
        let name = names.entityKey(key)
        switch answer {
        case .found(let entity):
            if let name { return .entity(EntitySnapshot(entity, key: name)) }
            return .damaged(DamagedRow(key: nil, row: entity.row, fault: .rowMissing))
        case .damaged(let row, let fault): return .damaged(DamagedRow(key: name, row: row, fault: fault))
        case .absent: return .damaged(DamagedRow(key: name, row: 0, fault: .rowMissing))
        }
    }
}

extension [UInt8] {
    fileprivate static func < (left: [UInt8], right: [UInt8]) -> Bool {
        left.lexicographicallyPrecedes(right)
    }
}
