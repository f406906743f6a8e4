import TidemarkModel
import TidemarkStore

/// The entities of a type that fulfil the fixed part of a source's `where`, with hash indexes. Views share it.
struct Relation: Sendable {
    let type: ByteString
    /// The fixed condition; nil for all entities of the type.
    let filter: ViewPredicate?
    /// The condition as text, by which sources that may share the relation are recognized.
    let filterText: [UInt8]
    private(set) var members = NumberSet()
    private(set) var indexes: [JoinIndex] = []
    /// False until the relation has every entity.
    var isFilled = false
    /// The plans that use the relation.
    var userCount = 0

    init(type: ByteString, filter: ViewPredicate?) {
        self.type = type
        self.filter = filter
        filterText = filter?.text ?? []
    }

    /// Returns the number of the index with an extractor, which is added if there is none.
    mutating func index(_ extractor: KeyExtractor) -> Int {
        if let index = indexes.firstIndex(where: { $0.extractor == extractor }) { return index }
        indexes.append(JoinIndex(extractor))
        return indexes.count - 1
    }

    /// Returns true if a resource fulfils the fixed condition.
    func admits(_ resource: OutlinedResource) -> Bool {
        guard let filter else { return true }
        return filter.holds(nil) { reference in
            if case .source(let path) = reference { ValueSlice(resource, at: path.pointer) } else { nil }
        }
    }

    /// Removes every entity, and keeps the indexes.
    mutating func restart() {
        members = NumberSet()
        indexes = indexes.map { JoinIndex($0.extractor) }
        isFilled = false
    }

    mutating func insert(_ number: EntityNumber) -> Bool { members.insert(number) }

    mutating func remove(_ number: EntityNumber) -> Bool { members.remove(number) }

    /// Files an entity under its new keys in place of its old ones.
    mutating func file(_ number: EntityNumber, in index: Int, from old: JoinKeys, to new: JoinKeys) {
        guard old != new else { return }
        indexes[index].remove(number, old)
        indexes[index].insert(number, new)
    }

    mutating func markFilled() {
        isFilled = true
        for index in indexes.indices { indexes[index].isFilled = true }
    }

    /// True if the relation or one of its indexes still lacks entities.
    var needsFilling: Bool { !isFilled || indexes.contains { !$0.isFilled } }

    /// An estimate of the bytes that the relation takes.
    var byteCount: Int { members.byteCount + indexes.reduce(0) { $0 + $1.byteCount } }
}
