import TidemarkJSON
import TidemarkModel
import TidemarkStore

extension TransactionOperation {
    /// Converts operations to steps of the state, and checks their JSON.
    ///
    /// - Parameter name: The name of the parameter that has the operations, for messages.
    /// - Throws: ``CacheError`` `invalidParams`, or `limitExceeded` when memory runs out.
    /// - Complexity: O(bytes). A put takes its bytes twice, and a few hundred more.
    static func steps(
        _ operations: [TransactionOperation], library: ByteString, limits: Limits, name: String = "operations"
    ) throws(CacheError) -> [TransactionStep] {
        var reader = PutReader(library: library, limits: limits)
        for case .put(let type, let resource) in operations { try reader.add(type: type, resource) }
        var puts = try reader.finish().makeIterator()
        var steps: [TransactionStep] = []
        steps.reserveCapacity(operations.count)
        for (index, operation) in operations.enumerated() {
            if case .put = operation, let put = puts.next() {
                steps.append(.put(put))
            } else {
                steps.append(try operation.step(index, library: library, limits: limits, name: name))
            }
        }
        return steps
    }

    /// Converts any operation except a put, which a ``PutReader`` decodes.
    private func step(
        _ index: Int, library: ByteString, limits: Limits, name: String
    ) throws(CacheError) -> TransactionStep {
        switch self {
        // No input reaches this case: the reader got every put, and returns one step for each.
        case .put: preconditionFailure("a put was not read before its step \(index)")
        case .patch(let type, let id, let fields, let unset):
            let compact = fields.isEmpty ? [] : try ResourceText.object(fields, name: "\(name)[\(index)].fields")
            return .patch(type: type, id: try checked(id, "\(name)[\(index)]", limits), fields: compact, unset: unset)
        case .keyedPut(let type, let id, let resource):
            return .keyedPut(
                type: type, id: try checked(id, "\(name)[\(index)]", limits),
                resource: try ResourceText.object(resource, name: "\(name)[\(index)].resource"))
        case .merge(let type, let id, let fields):
            return .merge(
                type: type, id: try checked(id, "\(name)[\(index)]", limits),
                fields: try ResourceText.object(fields, name: "\(name)[\(index)].fields"))
        case .removeField(let type, let id, let field):
            return .removeField(type: type, id: try checked(id, "\(name)[\(index)]", limits), field)
        case .delete(let type, let id):
            return .delete(type: type, id: try checked(id, "\(name)[\(index)]", limits))
        case .remove(let type, let ids, let matching):
            guard name == "operations" else {
                throw CacheError(
                    .invalidParams,
                    "\(name)[\(index)] is a removal: an optimistic edit cannot, pass a delete, nothing changed")
            }
            guard ids == nil || type != nil else {
                throw CacheError(.invalidParams, "\(name)[\(index)].ids need a type: pass resource_type as well")
            }
            guard type != nil || matching != nil else {
                throw CacheError(
                    .invalidParams, "\(name)[\(index)] does not say what to remove: pass resource_type or matching")
            }
            for id in ids ?? [] { _ = try checked(id, "\(name)[\(index)]", limits) }
            return .remove(type: type, ids: ids, matching: matching)
        }
    }

    private func checked(_ id: ByteString, _ place: String, _ limits: Limits) throws(CacheError) -> ByteString {
        guard !id.bytes.isEmpty, id.bytes.count <= limits.idByteCountMax else {
            throw CacheError(
                .invalidParams,
                "\(place).id has \(id.bytes.count) bytes: pass 1 to \(limits.idByteCountMax)")
        }
        return id
    }
}

/// Checks JSON that a caller passed as bytes.
enum ResourceText {
    /// Returns a JSON object without insignificant white space.
    ///
    /// - Throws: ``CacheError`` `invalidParams` when the bytes are not a JSON object.
    static func object(_ bytes: [UInt8], name: String) throws(CacheError) -> [UInt8] {
        // Members keep their order and spelling. The canonical form is computed only because that checks the text.
        _ = try CanonicalJSON.text(of: bytes, name: name)
        let value = JSONSlice(validated: bytes[...])
        guard value.kind == .object else {
            throw CacheError(.invalidParams, "\(name) is \(value.kind.rawValue): pass an object")
        }
        return Array(value.bytes)
    }
}

extension TransactionError {
    var cacheError: CacheError {
        switch self {
        case .absent(let step, let type, let id):
            CacheError(
                .invalidParams,
                "operations[\(step)] patches \(type):\(id), which does not exist: put it, nothing changed")
        case .badResource(let step, let reason):
            CacheError(
                .invalidParams, "operations[\(step)] cannot be used (\(reason.code)): correct it, nothing changed")
        case .changesIdentity(let step):
            CacheError(
                .invalidParams,
                "operations[\(step)] would give the entity another id: put another entity, nothing changed")
        case .conflict(let step?, let type, let id):
            CacheError(
                .conflict,
                "operations[\(step)] expects another sequence of \(type):\(id): read it again, nothing changed")
        case .conflict(nil, let type, let id):
            CacheError(
                .conflict,
                "\(type):\(id) was changed since it was read: start the transaction again, nothing changed")
        case .tooManyLibraries: FieldResponseError.tooManyLibraries.cacheError
        case .tooManyTypes: FieldResponseError.tooManyTypes.cacheError
        case .tooLarge(let step, let type, let id, let byteCountMax):
            CacheError.tooLarge("operations[\(step)]", type: type, id: id, byteCountMax: byteCountMax)
        }
    }
}

extension CacheError {
    /// - Parameter place: The place in the parameters of the value that would make an entity too large.
    static func tooLarge(_ place: String, type: ByteString, id: ByteString, byteCountMax: Int) -> CacheError {
        CacheError(
            .limitExceeded,
            "\(place) would make \(type):\(id) larger than \(byteCountMax) bytes: store less of it, nothing changed")
    }
}
