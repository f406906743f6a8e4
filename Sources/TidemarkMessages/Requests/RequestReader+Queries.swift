import Tidemark
import TidemarkModel
import TidemarkStore

extension RequestReader {
    /// Returns the query that a request names; an absent input is null.
    package func query(_ params: Params) throws(CacheError) -> QueryKey {
        try QueryKey(
            library: library(params), method: params.requiredText("method"),
            input: params.value("input").map { Array($0.bytes) } ?? Message.nullID)
    }

    /// Refuses unknown members in the groups of `included` in `query.put`. Results of `query.fetch` may have unknown
    /// members.
    package func checkIncluded(_ params: Params) throws(CacheError) {
        for (index, element) in (try params.elements("included", countMax: limits.batchMemberCountMax) ?? [])
            .enumerated()
        {
            let group = try Params(element, path: "included[\(index)]")
            try check(group, ["resource_type", "resources"], of: "query.put")
        }
    }

    /// Reads the parameters of `query.read` and `query.observe`.
    package func queryRequest(_ params: Params) throws(CacheError) -> QueryRequest {
        var request = QueryRequest(try query(params))
        if let policy = try fetchPolicy(params) { request.policy = policy }
        request.allowsStale = try params.flag("allow_stale")
        request.maxStale = try params.milliseconds("max_stale").map { .milliseconds($0) }
        request.select = try selection(params)
        request.maxAges = try maxAges(params)
        request.refreshes = try params.flag("refresh")
        return request
    }

    /// Reads `fields`, the names of the requested fields; nil means all.
    package func fields(_ params: Params) throws(CacheError) -> [ByteString]? {
        try params.texts("fields", countMax: RequestReader.fieldCountMax)
    }

    /// Reads the parameters of `entity.get` and `entity.observe`.
    package func entityRequest(_ params: Params) throws(CacheError) -> EntityRequest {
        var request = EntityRequest(
            try key(params), fields: try fields(params))
        request.maxAges = try maxAges(params)
        request.maxStale = try params.milliseconds("max_stale").map { .milliseconds($0) }
        request.refreshes = try params.flag("refresh")
        return request
    }

    /// Reads `max_ages`: age limits in whole seconds, by type, or by type and field.
    package func maxAges(_ params: Params) throws(CacheError) -> [ByteString: Int] {
        guard let value = params.value("max_ages") else { return [:] }
        guard let members = value.members else { throw params.wrong("max_ages", "an object") }
        guard members.count <= RequestReader.fieldCountMax else {
            throw CacheError(
                .limitExceeded, "max_ages names \(members.count) ages: name at most \(RequestReader.fieldCountMax)")
        }
        var ages: [ByteString: Int] = [:]
        for (name, value) in members {
            guard let seconds = value.integer, 0...Int64(Int32.max) ~= seconds else {
                throw CacheError(
                    .invalidParams,
                    "max_ages.\(ByteString(name)) is \(value.kind.rawValue): pass whole seconds from 0 to \(Int32.max)")
            }
            ages[ByteString(name)] = Int(seconds)
        }
        return ages
    }

    private func selection(_ params: Params) throws(CacheError) -> [ByteString: [ByteString]]? {
        guard let value = params.value("select") else { return nil }
        guard let types = value.members else { throw params.wrong("select", "an object of types") }
        guard types.count <= RequestReader.fieldCountMax else {
            throw CacheError(
                .limitExceeded,
                "select names \(types.count) types: name at most \(RequestReader.fieldCountMax)")
        }
        let fields = try Params(value, path: "select")
        var selection: [ByteString: [ByteString]] = [:]
        for name in types.keys {
            let type = ByteString(name)
            // A null list selects all fields of the type.
            selection[type] = try fields.texts(type.description, countMax: RequestReader.fieldCountMax)
        }
        return selection
    }
}
