import Tidemark
import TidemarkModel
import TidemarkStore

extension RequestReader {
    /// Reads the operations of a transaction or a layer.
    ///
    /// - Parameter name: The parameter that holds them.
    /// - Throws: ``CacheError`` `invalidParams` or `limitExceeded`.
    package func operations(_ params: Params, _ name: String = "operations") throws(CacheError)
        -> [TransactionOperation]
    {
        guard let elements = try params.elements(name, countMax: limits.batchMemberCountMax) else {
            throw params.wrong(name, "an array of operations")
        }
        var operations: [TransactionOperation] = []
        for (index, element) in elements.enumerated() {
            operations.append(try operation(Params(element, path: "\(name)[\(index)]")))
        }
        return operations
    }

    /// Reads each operation's `expected_sequence`, by index of the operation.
    package func expectations(_ params: Params) throws(CacheError) -> TransactionExpectations {
        var expectations = TransactionExpectations()
        let elements = try params.elements("operations", countMax: limits.batchMemberCountMax) ?? []
        for (index, element) in elements.enumerated() {
            let operation = try Params(element, path: "operations[\(index)]")
            guard operation.holds("expected_sequence") else { continue }
            expectations.sequences.updateValue(try operation.sequence("expected_sequence"), forKey: index)
        }
        return expectations
    }

    /// The members of each operation, without `op`.
    private static let operationMembers: [ByteString: [String]] = [
        "put": ["resource_type", "id", "resource", "expected_sequence"],
        "merge": ["resource_type", "id", "fields", "expected_sequence"],
        "patch": ["resource_type", "id", "fields", "unset", "expected_sequence"],
        "delete": ["resource_type", "id", "expected_sequence"],
        "remove_field": ["resource_type", "id", "field", "expected_sequence"],
        "remove": ["resource_type", "ids", "matching", "expected_sequence"],
    ]

    private func operation(_ params: Params) throws(CacheError) -> TransactionOperation {
        let op = try params.requiredText("op")
        guard let members = RequestReader.operationMembers[op] else {
            throw CacheError(
                .invalidParams,
                "\(params.name("op")) is '\(op.excerpt(byteCount: 60))': pass put, patch, merge, delete, remove_field or remove"
            )
        }
        try check(params, ["op"] + members, of: "the operation \(op)")
        if op == "remove" { return try removal(operation: params) }
        let type = try params.resourceType(limits: limits)
        switch op.description {
        case "put":
            guard let resource = try params.object("resource") else { throw params.wrong("resource", "an object") }
            guard params.value("id") != nil else { return .put(type: type, resource: resource) }
            return .keyedPut(type: type, id: try params.id(limits: limits), resource: resource)
        case "merge":
            guard let fields = try params.object("fields") else { throw params.wrong("fields", "an object") }
            return .merge(type: type, id: try params.id(limits: limits), fields: fields)
        case "patch":
            guard let fields = try params.object("fields") else { throw params.wrong("fields", "an object") }
            return .patch(
                type: type, id: try params.id(limits: limits), fields: fields,
                unset: try params.texts("unset", countMax: RequestReader.fieldCountMax) ?? [])
        case "delete":
            return .delete(type: type, id: try params.id(limits: limits))
        case "remove_field":
            return .removeField(
                type: type, id: try params.id(limits: limits), field: try params.requiredText("field"))
        case let other: preconditionFailure("the operation \(other) has members and no meaning")
        }
    }

    private func removal(operation params: Params) throws(CacheError) -> TransactionOperation {
        guard !params.holds("expected_sequence") else {
            throw CacheError(
                .invalidParams, "\(params.name("expected_sequence")) is given with a removal: leave it out")
        }
        return .remove(
            type: try params.optionalResourceType(limits: limits), ids: try params.ids(limits: limits),
            matching: try matching(params))
    }

    /// Reads `matching`, a part of `type:id`; nil if absent. An empty one would match every key and is refused.
    private func matching(_ params: Params) throws(CacheError) -> ByteString? {
        guard let text = try params.text("matching") else { return nil }
        guard isLenient || !text.bytes.isEmpty else {
            throw CacheError(
                .invalidParams,
                "\(params.name("matching")) is empty and would match everything: pass a part of type:id, or leave it out"
            )
        }
        return text
    }

    /// Reads what `cache.remove` removes.
    ///
    /// - Throws: ``CacheError`` `invalidParams` if nothing is selected.
    package func removal(_ params: Params) throws(CacheError) -> Removal {
        var removal = Removal(library: try library(params))
        removal.resourceType = try params.optionalResourceType(limits: limits)
        removal.ids = try params.ids(limits: limits)
        if removal.ids != nil, removal.resourceType == nil {
            throw CacheError(.invalidParams, "ids need a type: pass resource_type as well")
        }
        removal.matching = try matching(params)
        guard removal.resourceType != nil || removal.matching != nil else {
            throw CacheError(
                .invalidParams,
                "nothing says what to remove: pass resource_type, ids or matching; cache.clear removes all of a library"
            )
        }
        removal.cascades = try params.flag("cascade")
        return removal
    }

    /// Reads which queries to invalidate.
    ///
    /// - Throws: ``CacheError`` `invalidParams` if nothing is selected.
    package func invalidation(_ params: Params) throws(CacheError) -> Invalidation {
        var invalidation = Invalidation(library: try library(params))
        invalidation.method = try params.text("method")
        if let input = params.value("input") {
            invalidation.input = try CanonicalJSON.text(of: Array(input.bytes), name: "input")
        }
        invalidation.resourceType = try params.optionalResourceType(limits: limits)
        invalidation.tags = try QueryResult.tags(params)
        invalidation.hints = try params.object("hints")
        let isOfAll = try params.flag("all")
        guard isOfAll || invalidation != Invalidation(library: invalidation.library) else {
            throw CacheError(
                .invalidParams,
                "nothing says which queries: pass method, input, resource_type, tags or hints, or all: true")
        }
        return invalidation
    }
}
