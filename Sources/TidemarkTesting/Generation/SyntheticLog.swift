import TidemarkModel

/// The clean log: every event once, in order, without a missing number.
///
/// Every entity is written once before the updates follow. An entity's index determines its library and type, so a
/// batch consists of every `groupCount`-th entity.
struct SyntheticLog {
    /// The library and sequence of the line that ``next(into:counts:)`` wrote.
    struct Position {
        var library: Int
        var sequence: Int
    }

    let settings: SyntheticSettings
    let libraryIDs: [[UInt8]]
    private let typeNames: [[UInt8]]
    private let resource: SyntheticResource
    private let ranks: ZipfRanks
    /// The number of libraries times the number of types. Entities of one group have the same library and type.
    private let groupCount: Int
    /// A number coprime to the entity count, which spreads the ranks over the entities.
    private let rankStride: Int

    private var random: SeededGenerator
    /// The last sequence of each library, 0 before the first.
    private(set) var sequences: [Int]
    /// How many entities of each group were written.
    private var seenCounts: [Int]
    private var group = 0
    private var seenCount = 0
    private var updateCountLeft: Int

    /// - Parameter settings: Settings whose ``SyntheticSettings/problem`` is nil.
    init(_ settings: SyntheticSettings) {
        self.settings = settings
        random = SeededGenerator(seed: settings.seed, index: .max)
        var libraryIDs: [[UInt8]] = []
        for _ in 0..<settings.libraryCount {
            var id: [UInt8] = []
            id.append(uuid: random.next(), random.next())
            libraryIDs.append(id)
        }
        self.libraryIDs = libraryIDs
        typeNames = (0..<settings.typeCount).map(SyntheticWords.type)
        resource = SyntheticResource(seed: settings.seed, byteCountWanted: settings.resourceByteCount)
        ranks = ZipfRanks(rankCount: settings.entityCount)
        groupCount = settings.libraryCount * settings.typeCount
        rankStride = SyntheticLog.stride(over: settings.entityCount)
        sequences = Array(repeating: 0, count: settings.libraryCount)
        seenCounts = Array(repeating: 0, count: groupCount)
        updateCountLeft = settings.entityCount * settings.updatesPerEntity
    }

    /// Appends the next event's line with its LF.
    ///
    /// - Returns: nil at the end of the log, when nothing was appended.
    mutating func next(into bytes: inout [UInt8], counts: inout SyntheticCounts) -> Position? {
        if seenCount < settings.entityCount { return appendFirstSight(into: &bytes, &counts) }
        guard updateCountLeft > 0 else { return nil }
        return appendUpdate(into: &bytes, &counts)
    }

    /// Returns the key of an entity in a cache.
    func key(of entity: Int) -> EntityKey {
        var id: [UInt8] = []
        resource.appendID(of: entity, to: &id)
        return EntityKey(
            library: ByteString(libraryIDs[entity % settings.libraryCount]),
            type: ByteString(typeNames[typeIndex(of: entity)]), id: ByteString(id))
    }

    private mutating func appendFirstSight(into bytes: inout [UInt8], _ counts: inout SyntheticCounts) -> Position {
        while group + seenCounts[group] * groupCount >= settings.entityCount {
            group = (group + 1) % groupCount
        }
        let first = group + seenCounts[group] * groupCount
        let leftCount = (settings.entityCount - first - 1) / groupCount + 1
        let isBatch = random.below(Share.whole) < settings.batchShare.partsPerMillion
        let count = isBatch ? min(settings.batchMemberCount, leftCount) : 1
        seenCounts[group] += count
        seenCount += count
        group = (group + 1) % groupCount
        let position = appendHead(of: first, into: &bytes)
        if isBatch {
            appendBatch(from: first, count: count, update: 0, into: &bytes, &counts)
        } else {
            appendChange(of: first, update: 0, into: &bytes, &counts)
        }
        counts.events += 1
        return position
    }

    private mutating func appendUpdate(into bytes: inout [UInt8], _ counts: inout SyntheticCounts) -> Position {
        let entity = drawEntity()
        let choice = random.below(Share.whole)
        let update = random.next() | 1
        let mergeLimit = settings.deleteShare.partsPerMillion + settings.mergeShare.partsPerMillion
        let position = appendHead(of: entity, into: &bytes)
        var count = 1
        if choice < settings.deleteShare.partsPerMillion {
            appendDelete(of: entity, into: &bytes)
            counts.deletes += 1
        } else if choice < mergeLimit {
            appendMerge(of: entity, update: update, into: &bytes, &counts)
        } else if choice < mergeLimit + settings.batchShare.partsPerMillion {
            let groupSize = (settings.entityCount - entity % groupCount - 1) / groupCount + 1
            count = min(settings.batchMemberCount, groupSize, updateCountLeft)
            appendBatch(from: entity, count: count, update: update, into: &bytes, &counts)
        } else {
            appendChange(of: entity, update: update, into: &bytes, &counts)
        }
        updateCountLeft -= count
        counts.events += 1
        return position
    }

    private mutating func drawEntity() -> Int {
        switch settings.popularity {
        case .uniform: random.below(settings.entityCount)
        case .zipf: ranks.draw(from: &random) * rankStride % settings.entityCount
        }
    }

    /// Returns a number without a common divisor with `count`, near its golden section, so that neighbours in rank are
    /// far apart.
    private static func stride(over count: Int) -> Int {
        var stride = max(1, count / 1_000 * 618 + count % 1_000 * 618 / 1_000)
        func divisor(_ left: Int, _ right: Int) -> Int { right == 0 ? left : divisor(right, left % right) }
        while divisor(count, stride) != 1 { stride += 1 }
        return stride
    }

    func typeIndex(of entity: Int) -> Int { entity / settings.libraryCount % settings.typeCount }
}

extension SyntheticLog {
    private mutating func appendHead(of entity: Int, into bytes: inout [UInt8]) -> Position {
        let library = entity % settings.libraryCount
        sequences[library] += 1
        appendLibrary(library, into: &bytes)
        bytes.append(",\"sequence\":")
        bytes.append(decimal: sequences[library])
        bytes.append(",\"event\":")
        return Position(library: library, sequence: sequences[library])
    }

    /// Appends `{"library_id":"…"`, and the epoch if there is one.
    func appendLibrary(_ library: Int, into bytes: inout [UInt8]) {
        bytes.append("{\"library_id\":\"")
        bytes.append(contentsOf: libraryIDs[library])
        bytes.append("\"")
        if !settings.epoch.isEmpty {
            bytes.append(",\"epoch\":\"")
            bytes.append(contentsOf: settings.epoch.utf8)
            bytes.append("\"")
        }
    }

    private func appendChange(
        of entity: Int, update: UInt64, into bytes: inout [UInt8], _ counts: inout SyntheticCounts
    ) {
        bytes.append("{\"ResourceChanged\":{\"resource_type\":\"")
        bytes.append(contentsOf: typeNames[typeIndex(of: entity)])
        bytes.append("\",\"resource\":")
        resource.append(entity, update: update, to: &bytes)
        bytes.append("}}}\n")
        counts.resources += 1
    }

    private func appendMerge(
        of entity: Int, update: UInt64, into bytes: inout [UInt8], _ counts: inout SyntheticCounts
    ) {
        bytes.append("{\"ResourceChanged\":{\"resource_type\":\"")
        bytes.append(contentsOf: typeNames[typeIndex(of: entity)])
        bytes.append("\",\"resource\":")
        resource.appendPart(entity, update: update, to: &bytes)
        bytes.append(",\"metadata\":{\"no_merge_fields\":[\"tags\"],\"alternate_ids\":[],\"affected_paths\":[]}}}}\n")
        counts.resources += 1
        counts.merges += 1
    }

    private func appendDelete(of entity: Int, into bytes: inout [UInt8]) {
        bytes.append("{\"ResourceDeleted\":{\"resource_type\":\"")
        bytes.append(contentsOf: typeNames[typeIndex(of: entity)])
        bytes.append("\",\"resource_id\":\"")
        resource.appendID(of: entity, to: &bytes)
        bytes.append("\"}}}\n")
    }

    private func appendBatch(
        from first: Int, count: Int, update: UInt64, into bytes: inout [UInt8], _ counts: inout SyntheticCounts
    ) {
        bytes.append("{\"ResourceBatchChanged\":{\"resource_type\":\"")
        bytes.append(contentsOf: typeNames[typeIndex(of: first)])
        bytes.append("\",\"resources\":[")
        var entity = first
        for index in 0..<count {
            if index > 0 { bytes.append(",") }
            // The members of one batch change differently, although one random number decides all changes.
            let change = update == 0 ? 0 : update &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15
            resource.append(entity, update: change, to: &bytes)
            entity += groupCount
            if entity >= settings.entityCount { entity = first % groupCount }
        }
        bytes.append("],\"operation\":\"WatcherBatch\"}}}\n")
        counts.resources += count
        counts.batches += 1
    }
}
