import TidemarkModel

/// Changes that are made together, or not at all. Collected first, then applied in order.
///
/// Of a transaction they change what the server says; of an optimistic edit they lie over it. There a patch of an absent
/// entity is no error and shows nothing until the entity is there, and a delete leaves no tombstone.
public struct CacheTransaction: Sendable {
    /// Changes in one transaction: 100,000.
    public static let operationCountMax = 100_000

    private(set) var operations: [TransactionOperation] = []

    init() {}

    /// Replaces the whole entity, fields that its Swift type does not name included.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` when the value has no JSON form, `.limitExceeded`.
    public mutating func put<R: Resource>(_ resource: R) throws(CacheError) {
        try add(.put(type: ByteString(R.resourceType), resource: try ResourceCoder().encode(resource)))
    }

    /// Replaces the named top-level fields and leaves the others as they are.
    ///
    /// ```swift
    /// try transaction.patch(Photo.self, id: "1", ["name": "Sea", "rating": 5], unset: ["draft"])
    /// ```
    ///
    /// - Parameters:
    ///   - fields: An object, or a value that is written as one. `null` is a value.
    ///   - unset: Fields to remove.
    /// - Throws: ``CacheError`` `.invalidParams` when the value has no JSON form, `.limitExceeded`. The transaction fails
    ///   with `.invalidParams` when there is no such entity.
    public mutating func patch<R: Resource>(
        _ type: R.Type, id: R.ID, _ fields: some Encodable, unset: [String] = []
    ) throws(CacheError) {
        try add(
            .patch(
                type: ByteString(R.resourceType), id: ByteString(id.keyText),
                fields: try ResourceCoder().encode(fields),
                unset: unset.map { ByteString($0) }))
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
                unset: unset.map { ByteString($0) }))
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
        try add(try patch.operation(id: id))
    }

    /// Deletes the entity and leaves a tombstone; nothing happens when there is none.
    ///
    /// - Throws: ``CacheError`` `.limitExceeded`.
    public mutating func delete<R: Resource>(_ type: R.Type, id: R.ID) throws(CacheError) {
        try add(.delete(type: ByteString(R.resourceType), id: ByteString(id.keyText)))
    }

    /// Removes one top-level field.
    ///
    /// - Throws: ``CacheError`` `.limitExceeded`.
    public mutating func removeField<R: Resource>(_ type: R.Type, id: R.ID, _ field: String) throws(CacheError) {
        try add(
            .removeField(type: ByteString(R.resourceType), id: ByteString(id.keyText), field: ByteString(field)))
    }

    private mutating func add(_ operation: TransactionOperation) throws(CacheError) {
        guard operations.count < CacheTransaction.operationCountMax else {
            throw CacheError(
                .limitExceeded,
                "a transaction holds \(CacheTransaction.operationCountMax) changes at most; make several of them")
        }
        operations.append(operation)
    }
}
