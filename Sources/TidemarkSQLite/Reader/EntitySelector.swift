import Tidemark
import TidemarkModel
import TidemarkStore

/// Finds the entities of one type that match a rule, in its order, with pending layers applied.
///
/// An entity that an index names is read by its key and tested against the rule itself. So an index can miss an entity,
/// but never add one that does not match. Owner: one call on one snapshot.
final class EntitySelector {
    let names: ReadNames
    let overlay: LayerOverlay
    let groups: FieldGroupReader?
    let entities: any EntityReads
    private let rule: Membership
    let type: TypeIndex
    /// The most matches that are kept for sorting, of one value or of all.
    private let countMax: Int
    /// Called with each row that fails its check.
    private let onDamage: (DamagedRow) throws -> Void
    /// The number of stored entities that were read.
    private(set) var readCount: Int64 = 0

    /// The position in the order after which a page begins.
    struct Place {
        var id: ByteString
        var sortKey: [UInt8]
        /// The index code of the order's first field; nil without an order.
        var leadingCode: [UInt8]?
    }

    init(
        _ entities: any EntityReads, names: ReadNames, overlay: LayerOverlay, groups: FieldGroupReader?,
        rule: Membership, type: TypeIndex, countMax: Int, onDamage: @escaping (DamagedRow) throws -> Void
    ) {
        self.names = names
        self.overlay = overlay
        self.groups = groups
        self.rule = rule
        self.type = type
        self.countMax = countMax
        self.onDamage = onDamage
        self.entities = entities
    }

    /// Visits the matches of one library, in order.
    ///
    /// - Parameters:
    ///   - source: Where the candidates are read from.
    ///   - place: The position after which to begin; nil to begin with the first match.
    ///   - visit: Called with each match; returns false to stop.
    /// - Returns: False when `visit` stopped the scan.
    func forEach(
        _ library: LibraryIndex, from source: CandidateSource, behind place: Place?,
        _ visit: (EntitySnapshot) throws -> Bool
    ) throws -> Bool {
        var covered = try coveredMatches(library, behind: place)[...]
        let goesOn = try withoutActuallyEscaping(visit) { visit in
            try forEachStored(library, from: source, behind: place) { match in
                while let next = covered.first, next.sortKey.lexicographicallyPrecedes(match.sortKey) {
                    covered.removeFirst()
                    guard try visit(next.entity) else { return false }
                }
                return try visit(match.entity)
            }
        }
        guard goesOn else { return false }
        for next in covered { guard try visit(next.entity) else { return false } }
        return true
    }

    // MARK: Layers

    /// Returns the matches among the entities that layers cover, in order. They are few, so they are collected and
    /// sorted.
    private func coveredMatches(_ library: LibraryIndex, behind place: Place?) throws -> [EntityMatch] {
        var matches: [EntityMatch] = []
        for key in overlay.keys(library: library, type: type, after: nil) {
            guard let entity = try visible(key), let match = match(entity), isBehind(match, place) else { continue }
            matches.append(match)
        }
        return matches.sorted { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
    }

    /// Returns an entity with the layers applied; nil when nothing is visible.
    func visible(_ key: StoredKey) throws -> EntitySnapshot? {
        guard let name = names.entityKey(key) else { return nil }
        var base: EntitySnapshot?
        switch try entities.read(key, names.dictionaries) {
        case .found(let entity): base = EntitySnapshot(entity, key: name)
        case .absent: break
        case .damaged(let row, let fault): try onDamage(DamagedRow(key: name, row: row, fault: fault))
        }
        return overlay.visible(key, over: base, name: name)
    }

    /// Returns the position of a visible entity in the order, whether or not it matches the rule; nil when it is not
    /// visible.
    func place(of key: StoredKey) throws -> Place? {
        guard let entity = try visible(key) else { return nil }
        return entity.payload.withUnsafeBytes { payload in
            guard CompactJSON.isObject(payload) else { return nil }
            let view = ResourceView(payload)
            return Place(
                id: entity.key.id, sortKey: rule.sortKey(of: view, id: entity.key.id),
                leadingCode: rule.leadingCode(of: view))
        }
    }

    // MARK: Stored entities

    private func forEachStored(
        _ library: LibraryIndex, from source: CandidateSource, behind place: Place?,
        _ visit: @escaping (EntityMatch) throws -> Bool
    ) throws -> Bool {
        switch source {
        case .scan:
            return try inOrder(of: rule.orderCount == 0, behind: place, visit) { take in
                _ = try entities.forEach(
                    library: library, type: type, after: rule.orderCount == 0 ? place?.id : nil, expectedCount: 32,
                    names.dictionaries
                ) { key, answer in
                    guard !overlay.covers(key) else { return true }
                    readCount += 1
                    return try take(try match(answer, key))
                }
            }
        case .walk(let index, let ranges, let isDescending):
            return try walk(
                FieldScope(number: index.number, library: library), index.path, ranges, isDescending, place, visit)
        case .range(let index, let ranges):
            let isSorted = rule.orderCount == 0
            let candidates = try candidates(
                FieldScope(number: index.number, library: library), ranges, isSorted: isSorted, behind: place)
            return try inOrder(of: isSorted, behind: place, visit) { take in
                for candidate in candidates {
                    guard try take(try read(candidate, library, path: nil, code: [])) else { return }
                }
            }
        }
    }

    /// Visits matches directly if they are produced in the rule's order; otherwise collects and sorts them first.
    ///
    /// - Parameters:
    ///   - isSorted: True if the matches are produced in the rule's order.
    ///   - produce: Passes the matches to its closure one by one, nil for an entity that does not match; stops when the
    ///     closure returns false.
    /// - Returns: False when `visit` stopped the scan.
    private func inOrder(
        of isSorted: Bool, behind place: Place?, _ visit: @escaping (EntityMatch) throws -> Bool,
        _ produce: ((EntityMatch?) throws -> Bool) throws -> Void
    ) throws -> Bool {
        var goesOn = true
        if isSorted {
            try produce { match in
                if let match, isBehind(match, place) { goesOn = try visit(match) }
                return goesOn
            }
            return goesOn
        }
        var matches = OrderedMatches(countMax: countMax)
        try produce { match in
            if let match, isBehind(match, place) { matches.insert(match) }
            return true
        }
        for match in matches.taken() { guard try visit(match) else { return false } }
        return true
    }

    private func walk(
        _ scope: FieldScope, _ path: FieldPath, _ ranges: [CodeRange], _ isDescending: Bool, _ place: Place?,
        _ visit: @escaping (EntityMatch) throws -> Bool
    ) throws -> Bool {
        guard let groups else { return true }
        var ranges = ranges
        if let code = place?.leadingCode {
            let rest =
                isDescending ? CodeRange(lower: [], upper: code + [0]) : CodeRange(lower: code, upper: CodeRange.end)
            ranges = CodeRange.intersection(ranges, [rest])
        }
        for range in isDescending ? ranges.reversed() : ranges {
            var rest = range
            while let code = try groups.code(scope, in: rest, isDescending: isDescending) {
                let isFirst = place.map { ($0.leadingCode ?? code) == code } ?? false
                // The order of values with the same cut code is known only from the entities.
                let isSorted = rule.orderCount == 0 || rule.orderCount == 1 && FieldCode.isWhole(code)
                let goesOn = try inOrder(of: isSorted, behind: place, visit) { take in
                    _ = try groups.forEach(scope, code: code, after: isFirst && isSorted ? place?.id : nil) {
                        candidate in
                        try take(try read(candidate, scope.library, path: path, code: code))
                    }
                }
                guard goesOn else { return false }
                if isDescending { rest.upper = code } else { rest.lower = code + [0] }
            }
        }
        return true
    }

    private func candidates(
        _ scope: FieldScope, _ ranges: [CodeRange], isSorted: Bool, behind place: Place?
    ) throws -> [FieldCandidate] {
        var candidates: [(text: ByteString, candidate: FieldCandidate)] = []
        try groups?.forEach(scope, in: ranges) { candidate in
            let text = isSorted ? candidate.id.text : ""
            if isSorted, let place, text <= place.id { return }
            candidates.append((text, candidate))
        }
        if isSorted { candidates.sort { $0.text < $1.text } }
        return candidates.map(\.candidate)
    }

    // MARK: One entity

    /// Reads an entity that an index names, and tests it against the rule.
    ///
    /// - Parameter path: The field whose stored code must be `code`; nil to accept any code.
    /// - Returns: nil when the index is wrong about the entity, when it does not match the rule, or when layers cover
    ///   it.
    private func read(
        _ candidate: FieldCandidate, _ library: LibraryIndex, path: FieldPath?, code: [UInt8]
    ) throws -> EntityMatch? {
        let key = StoredKey(library: library, type: type, id: candidate.id)
        guard !overlay.covers(key) else { return nil }
        readCount += 1
        let found = try entities.read(key, names.dictionaries)
        // A key has one row, and a row has one place in an index, so no entity is selected twice.
        if case .found(let entity) = found, entity.row != candidate.row { return nil }
        return try match(found, key, path: path, code: code)
    }

    private func match(
        _ answer: EntityReader.Answer, _ key: StoredKey, path: FieldPath? = nil, code: [UInt8] = []
    ) throws -> EntityMatch? {
        let name = names.entityKey(key)
        switch answer {
        case .absent: return nil
        case .damaged(let row, let fault):
            try onDamage(DamagedRow(key: name, row: row, fault: fault))
            return nil
        case .found(let entity): return name.flatMap { match(EntitySnapshot(entity, key: $0), path: path, code: code) }
        }
    }

    private func match(_ entity: EntitySnapshot, path: FieldPath? = nil, code: [UInt8] = []) -> EntityMatch? {
        guard entity.isWhole else { return nil }
        return entity.payload.withUnsafeBytes { payload in
            let view = ResourceView(payload)
            if let path, FieldCode.kept(path.code(in: view)) != code { return nil }
            guard rule.matches(view) else { return nil }
            return EntityMatch(sortKey: rule.sortKey(of: view, id: entity.key.id), entity: entity)
        }
    }

    private func isBehind(_ match: EntityMatch, _ place: Place?) -> Bool {
        place.map { $0.sortKey.lexicographicallyPrecedes(match.sortKey) } ?? true
    }
}
