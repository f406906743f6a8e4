import Tidemark
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkStore

extension MethodReader {
    /// The parameters of GraphQL methods that change something, without `library_id`.
    static let strictGraphParams: [ByteString: [String]] = [
        "graphql.write": ["document", "operation_name", "variables", "data", "errors", "as_of", "partial"],
        "graphql.write_fragment": [
            "document", "fragment", "variables", "resource_type", "id", "data", "errors", "as_of", "partial",
        ],
        "graphql.mutate": ["document", "operation_name", "variables", "pending_id", "optimistic", "send"],
        "graphql.stop": ["subscription"],
    ]

    static let graphReaders: [ByteString: @Sendable (MethodReader, Params) throws(CacheError) -> GraphMethod] = [
        "graphql.read": { (reader, params) throws(CacheError) in .read(try reader.graphReadRequest(params)) },
        "graphql.observe": { (reader, params) throws(CacheError) in .observe(try reader.graphReadRequest(params)) },
        "graphql.write": { (reader, params) throws(CacheError) in
            .write(
                try reader.graphRequest(params), try reader.parts(params), asOf: try params.sequence("as_of"),
                isPartial: try params.flag("partial"))
        },
        "graphql.read_fragment": { (reader, params) throws(CacheError) in
            .readFragment(try reader.graphFragment(params))
        },
        "graphql.write_fragment": { (reader, params) throws(CacheError) in
            .writeFragment(
                try reader.graphFragment(params), try reader.parts(params), asOf: try params.sequence("as_of"),
                isPartial: try params.flag("partial"))
        },
        "graphql.mutate": { (reader, params) throws(CacheError) in .mutate(try reader.mutation(params)) },
        "graphql.stop": { (_, params) throws(CacheError) in
            guard let number = try params.integer("subscription", in: 0...Int64.max) else {
                throw params.wrong("subscription", "the number that graphql.observe answered with")
            }
            return .stop(SubscriptionID(number))
        },
        "graphql.part": { (_, params) throws(CacheError) in
            guard let fetch = try params.integer("fetch", in: 0...Int64.max) else {
                throw params.wrong("fetch", "the number of the fetch that goes on")
            }
            return .part(fetch: UInt64(fetch), params.slice)
        },
    ]

    func graphRequest(_ params: Params) throws(CacheError) -> GraphRequest {
        GraphRequest(
            try document(params), operationName: try params.text("operation_name"), variables: try variables(params),
            library: try library(params))
    }

    func graphReadRequest(_ params: Params) throws(CacheError) -> GraphReadRequest {
        var request = GraphReadRequest(try graphRequest(params))
        if let name = try params.text("policy") {
            guard let policy = FetchPolicy(rawValue: name.description) else {
                let names = FetchPolicy.allCases.map(\.rawValue).joined(separator: ", ")
                throw CacheError(.invalidParams, "policy is '\(name)': pass one of \(names)")
            }
            request.policy = policy
        }
        request.allowsStale = try params.flag("allow_stale")
        request.maxStale = try params.milliseconds("max_stale")
        request.isPartial = try params.flag("partial")
        request.refreshes = try params.flag("refresh")
        if params.value("refetch") != nil { request.refetches = try params.flag("refetch") }
        return request
    }

    private func graphFragment(_ params: Params) throws(CacheError) -> GraphMethod.Fragment {
        GraphMethod.Fragment(
            document: try document(params), name: try params.text("fragment"), variables: try variables(params),
            key: try key(params))
    }

    private func mutation(_ params: Params) throws(CacheError) -> GraphMutation {
        let pendingID = try params.text("pending_id", byteCountMax: limits.idByteCountMax)
        var optimistic: AnswerParts?
        if let data = params.value("optimistic") {
            guard data.kind == .object else { throw params.wrong("optimistic", "the data of the mutation, an object") }
            optimistic = AnswerParts(data: Array(data.bytes), errors: nil)
        }
        return GraphMutation(
            try graphRequest(params), pendingID: pendingID ?? GraphMutation.newPendingID(), optimistic: optimistic,
            send: try graphSending(params))
    }

    private func document(_ params: Params) throws(CacheError) -> ByteString {
        guard let value = params.value("document") else { throw params.wrong("document", "the text of a document") }
        guard let text = value.text else { throw params.wrong("document", "the text of a document") }
        return ByteString(text)
    }

    private func variables(_ params: Params) throws(CacheError) -> ByteString? {
        guard let value = params.value("variables") else { return nil }
        guard value.kind == .object else { throw params.wrong("variables", "an object") }
        return ByteString(value.bytes)
    }

    private func parts(_ params: Params) throws(CacheError) -> AnswerParts {
        guard params.holds("data") else { throw params.wrong("data", "the data of the operation, an object or null") }
        if let data = params.value("data"), data.kind != .object {
            throw params.wrong("data", "the data of the operation, an object or null")
        }
        if let errors = params.value("errors"), errors.kind != .array { throw params.wrong("errors", "an array") }
        return AnswerParts(
            data: params.value("data").map { Array($0.bytes) } ?? Array("null".utf8), errors: params.value("errors"))
    }
}
