import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Changes that are applied together or not at all, and the reads that they depend on.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var stars: Int
/// }
/// try await cache.transaction(retrying: 3) { transaction in
///     guard var photo = try await transaction.read(Photo.self, id: "1") else { return }
///     photo.stars += 1
///     try transaction.put(photo)
/// }
/// ```
///
/// The changes are collected first and then applied in order. In ``SyncCache/transaction(library:retrying:_:)`` they
/// modify the server's state in the cache. A read returns that state with the transaction's own changes, without
/// pending edits. If another writer changes an entity after it was read and before the transaction is applied, the
/// transaction fails with ``CacheError`` `.conflict`.
///
/// The changes of an optimistic edit are shown over the server's state. In an edit, a patch of an absent entity is no
/// error and shows nothing until the entity exists, and a delete leaves no tombstone. An edit cannot read or remove.
public struct CacheTransaction: Sendable {
    /// The largest number of changes in one transaction: 100,000. A transaction reads at most as many entities.
    public static let operationCountMax = 100_000

    private(set) var operations: [TransactionOperation] = []
    /// The indexes in `operations` of the changes of each entity.
    private var places: [EntityKey: [Int]] = [:]
    /// The entities that were read, as they were stored; an inner nil means that there was none. At most
    /// `operationCountMax`.
    private(set) var reads: [EntityKey: [UInt8]?] = [:]
    private var hasDeletes = false
    /// True if some change applies to every entity that it matches.
    private var matchesAny = false
    /// The cache to read from; nil in an optimistic edit.
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

    /// Replaces a whole entity. Fields that its Swift type does not have are removed.
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
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// try await cache.transaction { transaction in
    ///     try transaction.patch(Photo.self, id: "1", ["name": "Sea", "rating": 5], unset: ["draft"])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The Swift type of the entity.
    ///   - id: The id of the entity.
    ///   - fields: A value that is encoded as a JSON object, by the type's conventions. `null` is a value.
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
    /// - Parameters:
    ///   - type: The Swift type of the entity.
    ///   - id: The id of the entity.
    ///   - fields: A JSON object with names on the wire. `null` is a value.
    ///   - unset: The names on the wire of the fields to remove.
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
    /// struct Photo: PatchableResource {
    ///     static let resourceType = "photo"
    ///     static var fieldNames: [PartialKeyPath<Photo>: String] { [\.name: "name", \.rating: "rating"] }
    ///     var id: String
    ///     var name: String
    ///     var rating: Int?
    /// }
    /// try await cache.transaction { transaction in
    ///     try transaction.patch(Photo.self, id: "1") { fields in
    ///         fields.set(\.name, to: "Sea")
    ///         fields.unset(\.rating)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The Swift type of the entity.
    ///   - id: The id of the entity.
    ///   - body: Sets and removes fields.
    /// - Throws: ``CacheError`` `.invalidParams` for a key path without a name or a value without a JSON form,
    ///   `.limitExceeded`. The transaction fails with `.invalidParams` when there is no such entity.
    public mutating func patch<R: PatchableResource>(
        _ type: R.Type, id: R.ID, _ body: (inout FieldPatch<R>) -> Void
    ) throws(CacheError) {
        var patch = FieldPatch<R>()
        body(&patch)
        try add(try patch.operation(id: id), key(R.resourceType, id.keyText))
    }

    /// Deletes an entity and leaves a tombstone; does nothing when there is no such entity. Cascades of the policy
    /// apply.
    ///
    /// - Throws: ``CacheError`` `.limitExceeded`.
    public mutating func delete<R: Resource>(_ type: R.Type, id: R.ID) throws(CacheError) {
        try add(
            .delete(type: ByteString(R.resourceType), id: ByteString(id.keyText)), key(R.resourceType, id.keyText))
    }

    /// Removes one top-level field of an entity.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the entity.
    ///   - id: The id of the entity.
    ///   - field: The name of the field on the wire.
    /// - Throws: ``CacheError`` `.limitExceeded`.
    public mutating func removeField<R: Resource>(_ type: R.Type, id: R.ID, _ field: String) throws(CacheError) {
        try add(
            .removeField(type: ByteString(R.resourceType), id: ByteString(id.keyText), field: ByteString(field)),
            key(R.resourceType, id.keyText))
    }

    /// Returns the key under which an entity is stored, with the type's own name instead of an alias.
    func key(_ type: String, _ id: ByteString) -> EntityKey {
        let type = ByteString(type)
        return EntityKey(library: library, type: cache?.configuration.typeAliases[type] ?? type, id: id)
    }

    private func key(_ type: String, _ id: String) -> EntityKey { key(type, ByteString(id)) }

    mutating func add(_ operation: TransactionOperation, _ key: EntityKey) throws(CacheError) {
        try add(operation, [key])
    }

    /// Adds a change.
    ///
    /// - Parameter keys: The entities that the change affects; nil for every entity that it matches.
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
    /// - Throws: ``CacheError``: `.conflict` when another writer changed the entity since this transaction first read
    ///   it, `.invalidParams` in an optimistic edit and after a patch of an absent entity, `.limitExceeded`,
    ///   `.storageFailed`; ``ResourceDecodingError``.
    public mutating func read<R: Resource>(_ type: R.Type, id: R.ID) async throws -> R? {
        guard let bytes = try await bytes(of: key(R.resourceType, id.keyText)) else { return nil }
        return try ResourceCoder().decode(type, bytes)
    }

    /// Reads an entity, or the named fields of it, as JSON, with this transaction's changes.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - id: The id of the entity.
    ///   - fields: The names of the wanted fields; nil for all.
    /// - Returns: nil when there is none, or when this transaction deletes it.
    /// - Throws: The same as ``read(_:id:)``, except for ``ResourceDecodingError``.
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
            // Only the store knows whether a cascade deletes the entity, or a removal matches it.
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
        // Folding ignores the key of a change.
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
