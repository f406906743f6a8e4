import TidemarkModel
import TidemarkStore

/// Changes that are made together, or not at all, and the reads that they depend on. The changes are collected first,
/// then applied in order.
///
/// A read returns the server's state with the transaction's own changes over it; pending edits are not included. When
/// an entity that was read is changed by another writer before the transaction is applied, the transaction fails:
/// ``CacheError`` `.conflict`.
///
/// The changes of a transaction modify the server's state in the cache; those of an optimistic edit lie over it. In an
/// edit, a patch of an absent entity is no error and shows nothing until the entity exists, and a delete leaves no
/// tombstone.
public struct CacheTransaction: Sendable {
    /// The limit of changes in one transaction: 100,000.
    public static let operationCountMax = 100_000

    private(set) var operations: [TransactionOperation] = []
    /// The indexes in `operations`, by the entity that they change.
    private var places: [EntityKey: [Int]] = [:]
    /// The entities that were read, as they were stored; an inner nil: there was none. At most `operationCountMax`.
    private(set) var reads: [EntityKey: [UInt8]?] = [:]
    private var hasDeletes = false
    /// Whether some change applies to every entity that it matches.
    private var matchesAny = false
    /// The cache that is read; nil for an optimistic edit.
    let cache: SyncCache?
    let library: ByteString

    /// Makes a transaction for an optimistic edit, or for changes that read nothing.
    init() {
        cache = nil
        library = ""
    }

    init(of cache: SyncCache, library: ByteString) {
        self.cache = cache
        self.library = library
    }

    /// Replaces the whole entity, including fields that its Swift type does not name.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` when the value has no JSON form, `.limitExceeded`.
    public mutating func put<R: Resource>(_ resource: R) throws(CacheError) {
        try add(
            .put(type: ByteString(R.resourceType), resource: try ResourceCoder().encode(resource)),
            key(R.resourceType, resource.id.keyText))
    }

    /// Replaces the named top-level fields and keeps the others.
    ///
    /// ```swift
    /// try transaction.patch(Photo.self, id: "1", ["name": "Sea", "rating": 5], unset: ["draft"])
    /// ```
    ///
    /// - Parameters:
    ///   - fields: An object, or a value that is encoded as one by the type's conventions. `null` is a value.
    ///   - unset: The names on the wire of the fields to remove.
    /// - Throws: ``CacheError`` `.invalidParams` when the value has no JSON form, `.limitExceeded`. The transaction
    ///   fails with `.invalidParams` when there is no such entity.
    public mutating func patch<R: Resource>(
        _ type: R.Type, id: R.ID, _ fields: some Encodable, unset: [String] = []
    ) throws(CacheError) {
        try add(
            .patch(
                type: ByteString(R.resourceType), id: ByteString(id.keyText),
                fields: try ResourceCoder().encode(fields, R.conventions),
                unset: unset.map { ByteString($0) }), key(R.resourceType, id.keyText))
    }

    /// Replaces the named top-level fields and keeps the others.
    ///
    /// - Throws: ``CacheError`` `.limitExceeded`. The transaction fails with `.invalidParams` when there is no such
    ///   entity.
    public mutating func patch<R: Resource>(
        _ type: R.Type, id: R.ID, _ fields: JSONValue, unset: [String] = []
    ) throws(CacheError) {
        try add(
            .patch(
                type: ByteString(R.resourceType), id: ByteString(id.keyText), fields: fields.bytes,
                unset: unset.map { ByteString($0) }), key(R.resourceType, id.keyText))
    }

    /// Sets and removes the fields that key paths name, and keeps the others.
    ///
    /// ```swift
    /// try transaction.patch(Photo.self, id: "1") {
    ///     $0.set(\.name, to: "Sea")
    ///     $0.unset(\.rating)
    /// }
    /// ```
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for a key path without a name or a value without a JSON form,
    ///   `.limitExceeded`. The transaction fails with `.invalidParams` when there is no such entity.
    public mutating func patch<R: PatchableResource>(
        _ type: R.Type, id: R.ID, _ body: (inout FieldPatch<R>) -> Void
    ) throws(CacheError) {
        var patch = FieldPatch<R>()
        body(&patch)
        try add(try patch.operation(id: id), key(R.resourceType, id.keyText))
    }

    /// Deletes the entity and leaves a tombstone; does nothing when there is no such entity.
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

    /// Returns the key under which an entity is stored: an alias is replaced by the type's own name.
    func key(_ type: String, _ id: ByteString) -> EntityKey {
        let type = ByteString(type)
        return EntityKey(library: library, type: cache?.configuration.typeAliases[type] ?? type, id: id)
    }

    private func key(_ type: String, _ id: String) -> EntityKey { key(type, ByteString(id)) }

    mutating func add(_ operation: TransactionOperation, _ key: EntityKey) throws(CacheError) {
        try add(operation, [key])
    }

    /// - Parameter keys: The entities that the operation changes; nil: every entity that it matches.
    mutating func add(_ operation: TransactionOperation, _ keys: [EntityKey]?) throws(CacheError) {
        guard operations.count < CacheTransaction.operationCountMax else {
            throw CacheError(
                .limitExceeded,
                "a transaction holds \(CacheTransaction.operationCountMax) changes at most; split it")
        }
        for key in keys ?? [] { places[key, default: []].append(operations.count) }
        operations.append(operation)
        if case .delete = operation { hasDeletes = true }
        if keys == nil { matchesAny = true }
    }

    // MARK: Reading

    /// Reads an entity as it is stored, with this transaction's changes.
    ///
    /// - Returns: nil when there is none, or when this transaction deletes it.
    /// - Throws: ``CacheError``: `.conflict` when the entity was changed since an earlier read of it, `.invalidParams`
    ///   in an optimistic edit and after a patch of an absent entity, `.limitExceeded`, `.storageFailed`;
    ///   ``ResourceDecodingError``.
    public mutating func read<R: Resource>(_ type: R.Type, id: R.ID) async throws -> R? {
        guard let bytes = try await bytes(of: key(R.resourceType, id.keyText)) else { return nil }
        return try ResourceCoder().decode(type, bytes)
    }

    /// Reads an entity, or its named fields, as JSON.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - fields: The names of the fields to return; nil: all fields.
    /// - Returns: The same as ``read(_:id:)``.
    /// - Throws: The same as ``read(_:id:)``, except for decoding errors of the type.
    public mutating func read(type: String, id: String, fields: [String]? = nil) async throws -> JSONValue? {
        guard let bytes = try await bytes(of: key(type, id)) else { return nil }
        return try JSONValue(
            parsing: FieldSelection.resource(bytes, fields: fields.map { Set($0.map { Array($0.utf8) }) }))
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
            // Only the store can tell whether a cascade deletes the entity, or a removal matches it.
            (base, seen) = try await cache.preview(operations, of: key)
        } else {
            base = try await cache.base(of: key)
            seen = base
            for place in places[key] ?? [] { seen = try CacheTransaction.apply(operations[place], to: seen, key) }
        }
        if let before = reads[key], before != base {
            throw CacheError(
                .conflict, "\(key.text) was changed since it was read: start the transaction again, nothing changed")
        }
        reads.updateValue(base, forKey: key)
        return seen
    }

    private static func apply(
        _ operation: TransactionOperation, to value: [UInt8]?, _ key: EntityKey
    ) throws(CacheError) -> [UInt8]? {
        // Folding does not use the key of a change.
        let any = StoredKey(library: 0, type: 0, id: .text(""))
        let change: LayerChange
        switch operation {
        case .put(_, let resource), .keyedPut(_, _, let resource): return resource
        case .delete, .remove: return nil
        case .patch(_, _, let fields, let unset): change = .patch(any, fields: fields, unset: unset)
        case .merge(_, _, let fields): change = .merge(any, fields: fields)
        case .removeField(_, _, let field): change = .removeField(any, field)
        }
        guard value != nil else {
            throw CacheError(
                .invalidParams, "the transaction patches \(key.text), which does not exist: put it, nothing changed")
        }
        return LayerFold.apply(change, to: value)
    }
}
