import TidemarkModel
import TidemarkStore

/// Changes that are made together, or not at all, and what they were decided by. Collected first, then applied in order.
///
/// What it reads is what the server says with its own changes over it; pending edits are not seen. When something that it read was
/// changed by somebody else before it is applied, it is not applied: ``CacheError`` `.conflict`.
///
/// Of a transaction they change what the server says; of an optimistic edit they lie over it. There a patch of an absent
/// entity is no error and shows nothing until the entity is there, and a delete leaves no tombstone.
public struct CacheTransaction: Sendable {
    /// Changes in one transaction: 100,000.
    public static let operationCountMax = 100_000

    private(set) var operations: [TransactionOperation] = []
    /// Places among `operations`, by what they change.
    private var places: [EntityKey: [Int]] = [:]
    /// Entities that were read, as they were stored; nil inside: there was none. At most `operationCountMax`.
    private(set) var reads: [EntityKey: [UInt8]?] = [:]
    private var hasDeletes = false
    /// Some change is of whatever it matches.
    private var matchesAny = false
    /// What is read; nil for an optimistic edit.
    let cache: SyncCache?
    let library: ByteString

    /// For an optimistic edit, or for one that reads nothing.
    init() {
        cache = nil
        library = ""
    }

    init(of cache: SyncCache, library: ByteString) {
        self.cache = cache
        self.library = library
    }

    /// Replaces the whole entity, fields that its Swift type does not name included.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` when the value has no JSON form, `.limitExceeded`.
    public mutating func put<R: Resource>(_ resource: R) throws(CacheError) {
        try add(
            .put(type: ByteString(R.resourceType), resource: try ResourceCoder().encode(resource)),
            key(R.resourceType, resource.id.keyText))
    }

    /// Replaces the named top-level fields and leaves the others as they are.
    ///
    /// ```swift
    /// try transaction.patch(Photo.self, id: "1", ["name": "Sea", "rating": 5], unset: ["draft"])
    /// ```
    ///
    /// - Parameters:
    ///   - fields: An object, or a value that is written as one, by the type's conventions. `null` is a value.
    ///   - unset: Fields to remove, by their names on the wire.
    /// - Throws: ``CacheError`` `.invalidParams` when the value has no JSON form, `.limitExceeded`. The transaction fails
    ///   with `.invalidParams` when there is no such entity.
    public mutating func patch<R: Resource>(
        _ type: R.Type, id: R.ID, _ fields: some Encodable, unset: [String] = []
    ) throws(CacheError) {
        try add(
            .patch(
                type: ByteString(R.resourceType), id: ByteString(id.keyText),
                fields: try ResourceCoder().encode(fields, R.conventions),
                unset: unset.map { ByteString($0) }), key(R.resourceType, id.keyText))
    }

    /// Replaces the named top-level fields and leaves the others as they are.
    ///
    /// - Throws: As the other one.
    public mutating func patch<R: Resource>(
        _ type: R.Type, id: R.ID, _ fields: JSONValue, unset: [String] = []
    ) throws(CacheError) {
        try add(
            .patch(
                type: ByteString(R.resourceType), id: ByteString(id.keyText), fields: fields.bytes,
                unset: unset.map { ByteString($0) }), key(R.resourceType, id.keyText))
    }

    /// Sets and removes fields that key paths name, and leaves the others as they are.
    ///
    /// ```swift
    /// try transaction.patch(Photo.self, id: "1") {
    ///     $0.set(\.name, to: "Sea")
    ///     $0.unset(\.rating)
    /// }
    /// ```
    ///
    /// - Throws: As the other ones; ``CacheError`` `.invalidParams` for a key path that has no name.
    public mutating func patch<R: PatchableResource>(
        _ type: R.Type, id: R.ID, _ body: (inout FieldPatch<R>) -> Void
    ) throws(CacheError) {
        var patch = FieldPatch<R>()
        body(&patch)
        try add(try patch.operation(id: id), key(R.resourceType, id.keyText))
    }

    /// Deletes the entity and leaves a tombstone; nothing happens when there is none.
    ///
    /// - Throws: ``CacheError`` `.limitExceeded`.
    public mutating func delete<R: Resource>(_ type: R.Type, id: R.ID) throws(CacheError) {
        try add(
            .delete(type: ByteString(R.resourceType), id: ByteString(id.keyText)), key(R.resourceType, id.keyText))
    }

    /// Removes one top-level field.
    ///
    /// - Throws: ``CacheError`` `.limitExceeded`.
    public mutating func removeField<R: Resource>(_ type: R.Type, id: R.ID, _ field: String) throws(CacheError) {
        try add(
            .removeField(type: ByteString(R.resourceType), id: ByteString(id.keyText), field: ByteString(field)),
            key(R.resourceType, id.keyText))
    }

    /// As it is stored: a type by the name that it goes by.
    func key(_ type: String, _ id: ByteString) -> EntityKey {
        let type = ByteString(type)
        return EntityKey(library: library, type: cache?.configuration.typeAliases[type] ?? type, id: id)
    }

    private func key(_ type: String, _ id: String) -> EntityKey { key(type, ByteString(id)) }

    mutating func add(_ operation: TransactionOperation, _ key: EntityKey) throws(CacheError) {
        try add(operation, [key])
    }

    /// - Parameter keys: What it changes; nil: whatever it matches.
    mutating func add(_ operation: TransactionOperation, _ keys: [EntityKey]?) throws(CacheError) {
        guard operations.count < CacheTransaction.operationCountMax else {
            throw CacheError(
                .limitExceeded,
                "a transaction holds \(CacheTransaction.operationCountMax) changes at most; make several of them")
        }
        for key in keys ?? [] { places[key, default: []].append(operations.count) }
        operations.append(operation)
        if case .delete = operation { hasDeletes = true }
        if keys == nil { matchesAny = true }
    }

    // MARK: Reading

    /// An entity as it is stored, with what this transaction changes of it.
    ///
    /// - Returns: nil when there is none, or this transaction deletes it.
    /// - Throws: ``CacheError``: `.conflict` when it was changed since it was read before, `.invalidParams` in an optimistic
    ///   edit and behind a patch of what is absent, `.limitExceeded`, `.storageFailed`; ``ResourceDecodingError``.
    public mutating func read<R: Resource>(_ type: R.Type, id: R.ID) async throws -> R? {
        guard let bytes = try await bytes(of: key(R.resourceType, id.keyText)) else { return nil }
        return try ResourceCoder().decode(type, bytes)
    }

    /// An entity as JSON, or the fields of it that are named.
    ///
    /// - Parameters:
    ///   - type: On the wire.
    ///   - fields: Exactly those come back; nil: all.
    /// - Returns: As the other one.
    /// - Throws: As the other one.
    public mutating func read(type: String, id: String, fields: [String]? = nil) async throws -> JSONValue? {
        guard let bytes = try await bytes(of: key(type, id)) else { return nil }
        return try JSONValue(parsing: Selection.resource(bytes, fields: fields.map { Set($0.map { Array($0.utf8) }) }))
    }

    private mutating func bytes(of key: EntityKey) async throws(CacheError) -> [UInt8]? {
        guard let cache else {
            throw CacheError(.invalidParams, "an optimistic edit does not read: read from the cache before it")
        }
        guard reads[key] != nil || reads.count < CacheTransaction.operationCountMax else {
            throw CacheError(
                .limitExceeded, "a transaction reads \(CacheTransaction.operationCountMax) entities at most")
        }
        let base: [UInt8]?
        var seen: [UInt8]?
        if matchesAny || hasDeletes && cache.hasCascades {
            // Whether a delete takes it along, or a removal matches it, only the store can tell.
            (base, seen) = try await cache.preview(operations, of: key)
        } else {
            base = try await cache.base(of: key)
            seen = base
            for place in places[key] ?? [] { seen = try CacheTransaction.apply(operations[place], to: seen, key) }
        }
        if let before = reads[key], before != base {
            throw CacheError(.conflict, "\(key.text) was changed since it was read: begin anew, nothing changed")
        }
        reads.updateValue(base, forKey: key)
        return seen
    }

    private static func apply(
        _ operation: TransactionOperation, to value: [UInt8]?, _ key: EntityKey
    ) throws(CacheError) -> [UInt8]? {
        // Folding looks at no key.
        let any = StoredKey(library: 0, type: 0, id: .text(""))
        let change: LayerChange
        switch operation {
        case .put(_, let resource): return resource
        case .delete, .remove: return nil
        case .patch(_, _, let fields, let unset): change = .patch(any, fields: fields, unset: unset)
        case .removeField(_, _, let field): change = .removeField(any, field)
        }
        guard value != nil else {
            throw CacheError(
                .invalidParams, "the transaction patches \(key.text), which is not there: put it, nothing changed")
        }
        return LayerFold.apply(change, to: value)
    }
}
