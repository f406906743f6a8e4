import TidemarkModel
import TidemarkJSON

/// Which fields of a resource to set and to remove, named by key paths. The last change of a field counts.
///
/// A patch is made with ``CacheTransaction/patch(_:id:_:)``.
public struct FieldPatch<R: PatchableResource> {
    /// The fields in the order in which they were first named; nil removes a field. Bounded by the fields of the type.
    private var fields: [(name: String, value: [UInt8]?)] = []
    /// The first error; nil while there is none.
    private var failure: CacheError?

    init() {}

    /// Sets a field to a value. nil is written as null, which is not the same as removing the field.
    ///
    /// If the key path has no name in ``PatchableResource/fieldNames``, or the value no JSON form, the patch as a whole
    /// fails.
    public mutating func set<Value: Encodable>(_ field: KeyPath<R, Value>, to value: Value) {
        guard failure == nil, let name = name(field) else { return }
        do throws(CacheError) {
            put(name, try ResourceCoder().encode(value, R.conventions))
        } catch {
            failure = CacheError(error.code, "\(R.self).\(name): \(error.message)")
        }
    }

    /// Removes a field.
    ///
    /// If the key path has no name in ``PatchableResource/fieldNames``, the patch as a whole fails.
    public mutating func unset<Value>(_ field: KeyPath<R, Value>) {
        guard failure == nil, let name = name(field) else { return }
        put(name, nil)
    }

    /// Returns the patch as an operation.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for a key path without a name, and for a value without a JSON form.
    func operation(id: R.ID) throws(CacheError) -> TransactionOperation {
        if let failure { throw failure }
        var line = JSONLine()
        line.object { line in
            for (name, value) in fields where value != nil { line.member(ByteString(name), json: value) }
        }
        return .patch(
            type: ByteString(R.resourceType), id: ByteString(id.keyText), fields: line.bytes,
            unset: fields.filter { $0.value == nil }.map { ByteString($0.name) })
    }

    private mutating func name(_ field: PartialKeyPath<R>) -> String? {
        do throws(CacheError) {
            return try R.fieldName(field)
        } catch {
            failure = error
            return nil
        }
    }

    private mutating func put(_ name: String, _ value: [UInt8]?) {
        if let index = fields.firstIndex(where: { $0.name == name }) {
            fields[index].value = value
        } else {
            fields.append((name, value))
        }
    }
}
