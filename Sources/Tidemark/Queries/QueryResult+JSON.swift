import TidemarkJSON
import TidemarkModel
import TidemarkStore

extension QueryResult {
    /// Reads the result that `query.put` takes and `query.fetch` returns.
    ///
    /// Resources are not checked here; whether each has an id, and none is repeated, is checked when they get their
    /// keys.
    ///
    /// - Parameters:
    ///   - json: A valid object without insignificant white space. Unknown members are ignored.
    ///   - limits: The bounds of the cache.
    /// - Throws: ``CacheError`` `invalidParams` with the member that is missing or wrong, `limitExceeded` for too many
    ///   resources.
    /// - Source: Protocol/sessions.md, `query.put`.
    package init(json: [UInt8], limits: Limits) throws(CacheError) {
        try self.init(Params(JSONSlice(compact: json[...])), limits: limits)
    }

    /// Does the same as ``init(json:limits:)`` for members that are already parsed.
    package init(_ params: Params, limits: Limits) throws(CacheError) {
        let isLocal = try params.flag("local")
        self.init(
            resourceType: try params.resourceType(limits: limits),
            resources: try params.resources(limits: limits, isOptional: isLocal))
        self.isLocal = isLocal
        membership = try params.object("membership")
        if isLocal, membership == nil {
            throw CacheError(.invalidParams, "\(params.name("local")) is true: pass a membership to evaluate as well")
        }
        for (index, element) in (try params.elements("included", countMax: limits.batchMemberCountMax) ?? [])
            .enumerated()
        {
            let group = try Params(element, path: "\(params.name("included"))[\(index)]")
            included.append(
                Included(
                    resourceType: try group.resourceType(limits: limits),
                    resources: try group.resources(limits: limits)))
        }
        timeToLive = try params.milliseconds("ttl").map { .milliseconds($0) }
        asOf = try params.sequence("as_of")
        tags = try QueryResult.tags(params)
    }

    /// Reads an array of strings, or an object, unchanged; nil when absent.
    ///
    /// - Throws: ``CacheError`` `invalidParams` for anything else.
    package static func tags(_ params: Params) throws(CacheError) -> [UInt8]? {
        guard let value = params.value("tags") else { return nil }
        if value.kind == .object { return Array(value.bytes) }
        guard let elements = value.elements, elements.allSatisfy({ $0.text != nil }) else {
            throw params.wrong("tags", "an array of strings, or an object")
        }
        return Array(value.bytes)
    }
}
