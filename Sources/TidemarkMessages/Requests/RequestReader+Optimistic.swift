import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads the parameters of the methods for optimistic edits.
///
/// - Source: Protocol/optimistic.md, methods.
extension RequestReader {
    /// Reads the parameters of `optimistic.update`.
    ///
    /// - Throws: ``CacheError`` `invalidParams` for a wrong or missing parameter, and for empty `changes`.
    package func update(_ params: Params) throws(CacheError) -> OptimisticUpdate {
        let pendingID = try params.requiredText("pending_id")
        let changes = try operations(params, "changes")
        guard !changes.isEmpty else { throw CacheError(.invalidParams, "changes is empty: pass at least one change") }
        return OptimisticUpdate(
            pendingID: pendingID, library: try library(params), operations: changes,
            dependsOn: try dependencies(params), send: try mutationRequest(params))
    }

    /// Reads the parameters of `optimistic.commit`.
    package func commit(_ params: Params) throws(CacheError) -> OptimisticCommit {
        try commit(params, pendingID: try params.requiredText("pending_id"))
    }

    /// Reads a confirmation in the form of `optimistic.commit` without its `pending_id`.
    package func commit(_ params: Params, pendingID: ByteString) throws(CacheError) -> OptimisticCommit {
        var commit = OptimisticCommit(
            pendingID: pendingID, library: try optionalLibrary(params),
            confirmed: try confirmed(params), resourceType: try params.optionalResourceType(limits: limits),
            sequence: try params.sequence("sequence"), realIDs: try realIDs(params))
        commit.integerIDs = integerIDs(params)
        return commit
    }

    /// Reads `depends_on`: one pending id, or several.
    private func dependencies(_ params: Params) throws(CacheError) -> [ByteString] {
        guard let value = params.value("depends_on") else { return [] }
        if value.kind == .string { return [try params.requiredText("depends_on")] }
        guard value.kind == .array else { throw params.wrong("depends_on", "a pending id, or an array of them") }
        return try params.texts("depends_on", countMax: limits.layerCountMax) ?? []
    }

    /// Reads `confirmed`: one resource, or several. nil if absent, which differs from an empty array.
    private func confirmed(_ params: Params) throws(CacheError) -> [[UInt8]]? {
        guard let value = params.value("confirmed") else { return nil }
        if value.kind == .object { return [Array(value.bytes)] }
        guard value.kind == .array else { throw params.wrong("confirmed", "a resource, or an array of them") }
        var resources: [[UInt8]] = []
        let elements = try params.elements("confirmed", countMax: limits.batchMemberCountMax) ?? []
        for (index, element) in elements.enumerated() {
            guard element.kind == .object else {
                throw CacheError(
                    .invalidParams, "\(params.name("confirmed"))[\(index)] is \(element.kind.rawValue): pass an object")
            }
            resources.append(Array(element.bytes))
        }
        return resources
    }

    /// Reads `id_map`: real ids, as strings or integers, by temporary id. Empty if absent.
    package func realIDs(_ params: Params) throws(CacheError) -> [ByteString: ByteString] {
        guard let value = params.value("id_map") else { return [:] }
        guard let members = value.members else { throw params.wrong("id_map", "an object of ids by temporary ids") }
        guard members.count <= limits.batchMemberCountMax else {
            throw CacheError(
                .limitExceeded, "id_map names \(members.count) ids: name at most \(limits.batchMemberCountMax)")
        }
        var realIDs: [ByteString: ByteString] = [:]
        for (temporary, real) in members {
            let name = ByteString(temporary)
            guard !temporary.isEmpty, temporary.count <= limits.idByteCountMax else {
                throw CacheError(
                    .invalidParams, "id_map names an id of \(temporary.count) bytes: name 1 to \(limits.idByteCountMax)"
                )
            }
            realIDs[name] = try Params.id(real, name: "id_map.\(name)", limits: limits)
        }
        return realIDs
    }

    /// Returns the temporary ids in `id_map` whose real ids are integers.
    package func integerIDs(_ params: Params) -> Set<ByteString> {
        let integers = (params.value("id_map")?.members ?? [:]).filter { $0.value.kind == .number }
        return Set(integers.keys.map { ByteString($0) })
    }
}
