import TidemarkModel
import TidemarkStore
import TidemarkWire

extension TransactionOperation {
    /// The operation as the state takes it, with its JSON checked.
    ///
    /// - Parameter name: Of the params it stands in.
    /// - Throws: ``CacheError`` `invalidParams`.
    func step(
        _ index: Int, library: ByteString, limits: Limits, name: String = "operations"
    ) throws(CacheError) -> TransactionStep {
        switch self {
        case .put(let type, let resource):
            var line = Array(#"{"library_id":"#.utf8)
            CanonicalString.append(library.bytes, to: &line)
            line.append(contentsOf: #","event":{"ResourceChanged":{"resource_type":"#.utf8)
            CanonicalString.append(type.bytes, to: &line)
            line.append(contentsOf: #","resource":"#.utf8)
            line.append(contentsOf: resource.lazy.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
            line.append(contentsOf: "}}}\n".utf8)
            return .put(try EventDecoder.answer(line, limits: limits))
        case .patch(let type, let id, let fields, let unset):
            let compact = fields.isEmpty ? [] : try CompactJSON.object(fields, name: "\(name)[\(index)].fields")
            return .patch(type: type, id: try checked(id, "\(name)[\(index)]", limits), fields: compact, unset: unset)
        case .removeField(let type, let id, let field):
            return .removeField(type: type, id: try checked(id, "\(name)[\(index)]", limits), field)
        case .delete(let type, let id):
            return .delete(type: type, id: try checked(id, "\(name)[\(index)]", limits))
        case .remove(let type, let ids, let matching):
            guard name == "operations" else {
                throw CacheError(
                    .invalidParams,
                    "\(name)[\(index)] forgets: an optimistic edit cannot, pass a delete, nothing changed")
            }
            guard ids == nil || type != nil else {
                throw CacheError(.invalidParams, "\(name)[\(index)].ids are of no type: pass resource_type as well")
            }
            guard type != nil || matching != nil else {
                throw CacheError(
                    .invalidParams, "\(name)[\(index)] does not say what to forget: pass resource_type or matching")
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

/// JSON that somebody gave as bytes, checked and without insignificant white space.
enum CompactJSON {
    /// - Throws: ``CacheError`` `invalidParams` when it is no JSON object.
    static func object(_ bytes: [UInt8], name: String) throws(CacheError) -> [UInt8] {
        // Members keep their order and spelling: only the check is wanted of the canonical form.
        _ = try CanonicalJSON.text(of: bytes, name: name)
        let value = JSONSlice(validated: bytes[...])
        guard value.kind == .object else {
            throw CacheError(.invalidParams, "\(name) is \(value.kind.rawValue): pass an object")
        }
        return Array(value.bytes)
    }
}

extension TransactionRefusal {
    var cacheError: CacheError {
        switch self {
        case .absent(let step, let type, let id):
            CacheError(
                .invalidParams, "operations[\(step)] patches \(type):\(id), which is not there: put it, nothing changed"
            )
        case .badResource(let step, let reason):
            CacheError(
                .invalidParams, "operations[\(step)] cannot be used (\(reason.code)): mend it, nothing changed")
        case .changesIdentity(let step):
            CacheError(
                .invalidParams,
                "operations[\(step)] would give the entity another id: put another entity, nothing changed")
        case .conflict(let step?, let type, let id):
            CacheError(
                .conflict,
                "operations[\(step)] expects another sequence of \(type):\(id): read it again, nothing changed")
        case .conflict(nil, let type, let id):
            CacheError(.conflict, "\(type):\(id) was changed since it was read: begin anew, nothing changed")
        case .tooManyLibraries: AnswerRefusal.tooManyLibraries.cacheError
        case .tooManyTypes: AnswerRefusal.tooManyTypes.cacheError
        }
    }
}
