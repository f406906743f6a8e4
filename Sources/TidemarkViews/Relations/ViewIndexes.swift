import TidemarkModel
import TidemarkStore

/// The relations of all views of one library, with the numbers of their entities.
struct ViewIndexes: Sendable {
    /// The cache's own names of types, by their other names.
    let types: [ByteString: ByteString]
    private(set) var table = EntityTable()
    private(set) var relations: [Relation] = []
    /// The relations by type.
    private(set) var relationsByType: [ByteString: [Int]] = [:]

    init(types: [ByteString: ByteString]) {
        self.types = types
    }

    /// Returns the relation of a source, which is added if there is none.
    mutating func relation(type: ByteString, filter: ViewPredicate?) -> Int {
        let text = filter?.text ?? []
        if let found = relationsByType[type]?.first(where: { relations[$0].filterText == text }) { return found }
        relations.append(Relation(type: type, filter: filter))
        relationsByType[type, default: []].append(relations.count - 1)
        return relations.count - 1
    }

    /// Returns an index of a relation, which is added if there is none.
    mutating func index(_ extractor: KeyExtractor, of relation: Int) -> Int {
        relations[relation].index(extractor)
    }

    func keys(_ extractor: KeyExtractor, _ key: ViewKey, _ resource: OutlinedResource) -> JoinKeys {
        extractor.keys(id: key.id, resource: resource, types: types)
    }

    // MARK: Changes

    /// Applies the change of an entity to the relations of its type.
    ///
    /// - Parameters:
    ///   - touch: Receives each bucket that the entity was in or is in now; nil if nobody asks for them.
    /// - Complexity: O(relations and indexes of the type), each with the entity's keys.
    mutating func apply(_ change: ChangedEntity, touch: ((BucketID) -> Void)?) {
        for relation in relationsByType[change.key.type] ?? [] where relations[relation].userCount > 0 {
            apply(change, to: relation, touch: touch)
        }
    }

    private mutating func apply(
        _ change: ChangedEntity, to relation: Int, touch: ((BucketID) -> Void)?
    ) {
        let admitted = change.newResource.flatMap { relations[relation].admits($0) ? $0 : nil }
        var number = table.number(of: change.key).flatMap { relations[relation].members.contains($0) ? $0 : nil }
        let former = number == nil ? nil : change.oldResource
        if number == nil, admitted != nil { number = table.retain(change.key) }
        guard let number else { return }
        for index in relations[relation].indexes.indices {
            let extractor = relations[relation].indexes[index].extractor
            if let former, admitted != nil, !extractor.mayDiffer(change.difference) {
                guard let touch else { continue }
                for key in keys(extractor, change.key, former) {
                    touch(BucketID(relation: relation, index: index, key: key))
                }
                continue
            }
            let old = former.map { keys(extractor, change.key, $0) } ?? JoinKeys()
            let new = admitted.map { keys(extractor, change.key, $0) } ?? JoinKeys()
            if let touch {
                for key in old { touch(BucketID(relation: relation, index: index, key: key)) }
                for key in new { touch(BucketID(relation: relation, index: index, key: key)) }
            }
            relations[relation].file(number, in: index, from: old, to: new)
        }
        if admitted != nil {
            _ = relations[relation].insert(number)
        } else if relations[relation].remove(number) {
            table.release(number)
        }
    }

    /// Adds a stored entity to the relations of its type that still lack entities.
    mutating func fill(_ key: ViewKey, _ resource: OutlinedResource) {
        for relation in relationsByType[key.type] ?? []
        where relations[relation].userCount > 0 && relations[relation].needsFilling {
            guard relations[relation].admits(resource) else { continue }
            let known = table.number(of: key)
            let isMember = known.map { relations[relation].members.contains($0) } ?? false
            let number = isMember ? known ?? EntityTable.none : table.retain(key)
            _ = relations[relation].insert(number)
            for index in relations[relation].indexes.indices where !relations[relation].indexes[index].isFilled {
                let extractor = relations[relation].indexes[index].extractor
                relations[relation].file(number, in: index, from: JoinKeys(), to: keys(extractor, key, resource))
            }
        }
    }

    /// Notes that every stored entity of a type was given to ``fill(_:_:)``.
    mutating func endFilling(of type: ByteString) {
        for relation in relationsByType[type] ?? [] where relations[relation].userCount > 0 {
            relations[relation].markFilled()
        }
    }

    /// The types with relations that lack entities, each once.
    var typesToFill: [ByteString] {
        relationsByType.keys.filter { type in
            (relationsByType[type] ?? []).contains { relations[$0].userCount > 0 && relations[$0].needsFilling }
        }.sorted()
    }

    /// Empties every relation, and keeps those that plans use, with their indexes.
    mutating func restart() {
        for relation in relations.indices {
            relations[relation].members.forEach { table.release($0) }
            relations[relation].restart()
        }
        table.endChange()
    }

    mutating func endChange() { table.endChange() }

    /// Counts the plans that use a relation. One that no plan uses any more is emptied.
    mutating func use(_ relation: Int, by difference: Int) {
        relations[relation].userCount += difference
        guard relations[relation].userCount == 0 else { return }
        relations[relation].members.forEach { table.release($0) }
        relations[relation] = Relation(type: relations[relation].type, filter: relations[relation].filter)
    }

    /// An estimate of the bytes that all relations take.
    var byteCount: Int { table.byteCount + relations.reduce(0) { $0 + $1.byteCount } }
}

/// One bucket of a hash index: what a lookup reads.
struct BucketID {
    let relation: Int
    let index: Int
    let key: ByteString

    /// A number that identifies the bucket. Two buckets may share one: then a row is rendered once too often.
    var fingerprint: UInt64 {
        var hasher = Hasher()
        hasher.combine(relation)
        hasher.combine(index)
        hasher.combine(key)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1 << 63
    }

    /// Returns true if a number is that of a bucket, and not that of an entity.
    static func isBucket(_ read: UInt64) -> Bool { read >> 63 == 1 }

    /// A number that identifies what an evaluation read of one entity, whether the cache has it or not.
    static func entity(_ key: ViewKey) -> UInt64 {
        UInt64(bitPattern: Int64(key.hashValue)) & ~(1 << 63)
    }
}
