import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkViews

extension RequestReader {
    /// The largest offset and limit of a window: 2^53 − 1, which every host can write.
    private static let windowMax: Int64 = 1 << 53 - 1

    /// Reads the parameters of `view.read` and `view.observe`.
    func viewRequest(_ params: Params) throws(CacheError) -> ViewRequest {
        var request = ViewRequest(library: try library(params), view: try view(params))
        if let values = params.value("params") {
            guard values.kind == .object else { throw params.wrong("params", "an object with the view's parameters") }
            request.params = Array(values.bytes)
        }
        (request.offset, request.limit) = try window(params)
        request.wantsKeys = try params.flag("keys")
        return request
    }

    /// Reads `offset` and `limit`.
    func window(_ params: Params) throws(CacheError) -> (offset: Int?, limit: Int?) {
        let offset = try params.integer("offset", in: 0...RequestReader.windowMax)
        let limit = try params.integer("limit", in: 1...RequestReader.windowMax)
        return (offset.map { Int($0) }, limit.map { Int($0) })
    }

    /// Reads `view`: a rule, or the name of a defined view.
    private func view(_ params: Params) throws(CacheError) -> RequestedView {
        guard let view = params.value("view") else {
            throw params.wrong("view", "a rule, or the name of a defined view")
        }
        if let name = view.text { return .name(ByteString(name)) }
        return .rule(try viewRule(params))
    }

    /// Reads `view` as a rule.
    func viewRule(_ params: Params) throws(CacheError) -> ViewRule {
        guard let view = params.value("view"), view.kind == .object else { throw params.wrong("view", "a rule") }
        do throws(ViewRuleError) {
            return try ViewRule(json: Array(view.bytes))
        } catch {
            throw CacheError(error)
        }
    }

    /// Reads `name`, the name of a defined view.
    func viewName(_ params: Params) throws(CacheError) -> ByteString {
        let name = try params.requiredText("name")
        guard name.bytes.count <= ViewEngine.nameByteCountMax else {
            throw CacheError(
                .invalidParams, "name has \(name.bytes.count) bytes: pass one of 1 to \(ViewEngine.nameByteCountMax)")
        }
        return name
    }

    /// Reads `row` or `entity` of `view.explain`.
    func explainedPart(_ params: Params) throws(CacheError) -> ExplainedPart {
        let row = params.value("row")
        guard let entity = params.value("entity") else {
            guard let row else { return .plan }
            guard row.kind == .array else { throw params.wrong("row", "a key as view.read returns it with keys") }
            return .row(Array(row.bytes))
        }
        guard row == nil else { throw CacheError(.invalidParams, "row and entity are both there: pass one of them") }
        guard entity.kind == .object else { throw params.wrong("entity", "an object with resource_type and id") }
        let members = try Params(entity, path: "entity.")
        try check(members, ["resource_type", "id"], of: "entity of view.explain")
        let key = try key(members)
        return .entity(type: key.type, id: key.id)
    }
}
