import Tidemark
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkOperations
import TidemarkStore

/// The answer to a document, from the cache or the server.
///
/// - Source: Protocol/graphql.md, methods.
public struct GraphQLResult<Data: Codable & Sendable>: Sendable {
    /// The source of an answer.
    public enum Source: Hashable, Sendable {
        case cache
        case server
    }

    /// The data; nil when a server answered without data.
    public var data: Data?
    public var source = Source.cache
    /// The server's errors; empty from the cache.
    public var errors: [JSONValue] = []
    /// The server's extensions; nil from the cache.
    public var extensions: JSONValue?
    /// Whether something in it is older than its limit allows.
    public var isStale = false
    /// The least place in the log that is known of what was read; nil when none is.
    public var asOf: EventSequence?
    /// Whether an edit that the server has not confirmed changes it.
    public var isPending = false
    /// Whether something is left out: deferred fragments that are still to come, or fields that a partial read lacks.
    public var isPartial = false
    /// The deferred fragments, in the order of the answer.
    public var deferred: [GraphQLDeferred] = []
    /// The reason why a watched answer is incomplete; nil while it is whole. `data` is the last whole answer.
    public var miss: GraphQLMiss?
}

/// Decodes `data` from its JSON, told of the deferred fragments that failed.
typealias GraphQLDecoding<Data> = @Sendable (_ json: [UInt8], _ failures: [DeferredFailure]) throws -> Data

extension GraphQLResult {
    /// Takes a result of the engine; `data` is decoded from the bytes that the reader wrote.
    ///
    /// - Throws: Any error of decoding.
    init(_ result: GraphResult, decodedBy decode: GraphQLDecoding<Data>) throws {
        source = result.source == .upstream ? .server : .cache
        errors = try result.errors.map { try JSONValue(parsing: $0).elements ?? [] } ?? []
        let extensions = try result.extensions.map { try JSONValue(parsing: $0) }
        self.extensions = extensions?.isNull == true ? nil : extensions
        isStale = result.isStale
        asOf = result.asOf
        isPending = result.isPending
        isPartial = result.isPartial
        deferred = result.deferred.map { fragment in
            GraphQLDeferred(
                path: fragment.path.map { step in
                    switch step {
                    case .name(let name): .string(name.description)
                    case .index(let index): .number(JSONNumber(index))
                    }
                }, label: fragment.label?.description, state: GraphQLDeferred.State(fragment.state))
        }
        if result.data != Array("null".utf8) { data = try decode(result.data, failures(among: errors)) }
    }

    /// Returns the deferred fragments that failed, each with the messages of the errors at its place or below.
    func failures(among errors: [JSONValue]) -> [DeferredFailure] {
        deferred.filter { $0.state == .failed }.map { fragment in
            let messages = errors.filter { $0["path"]?.elements?.starts(with: fragment.path) ?? false }
            return DeferredFailure(
                path: fragment.path.map { step in
                    step.int.map(SelectionPathElement.index) ?? .name(step.string ?? "")
                }, label: fragment.label, messages: messages.compactMap { $0["message"]?.string })
        }
    }
}

/// The state of a deferred fragment at one place of an answer.
public struct GraphQLDeferred: Hashable, Sendable {
    /// The states of a deferred fragment.
    public enum State: String, Hashable, Sendable, CaseIterable {
        case pending
        case fulfilled
        case failed
        case notExecuted = "not_executed"

        init(_ state: DeferredState.State) {
            self =
                switch state {
                case .pending: .pending
                case .fulfilled: .fulfilled
                case .failed: .failed
                case .notExecuted: .notExecuted
                }
        }
    }

    /// Names and indices from the root of `data`.
    public var path: [JSONValue]
    public var label: String?
    public var state: State
}

/// The first thing that a watched answer lacks.
public struct GraphQLMiss: Hashable, Sendable {
    /// Names and indices from the root of `data`.
    public var path: [JSONValue]
    /// `absent`, `expired`, `evicted`, `deleted` or `stale`.
    public var reason: String
    /// The entity that lacks it, as `Type:id`.
    public var key: String?
    /// The reason why asking the server again failed; nil when nobody was asked.
    public var error: String?
    /// The fetches that did not help.
    public var fetchCount: Int
}

/// Results and notifications as a session writes them, read back.
struct ResultReader {
    /// `data` as JSON; null when there is none.
    var data = JSONValue.null
    private var members = JSONValue.object([])
    /// The errors of the answer's parts so far: a fragment is told as failed with the last part, its errors with their
    /// own. Bound: the errors of one answer.
    private var errors: [JSONValue] = []

    /// Takes a result of `graphql.read`.
    mutating func begin(_ result: JSONValue) {
        members = result
        data = result["data"] ?? .null
        errors = result["errors"]?.elements ?? []
    }

    /// Takes a notification `graphql.changed`.
    mutating func change(_ params: JSONValue) throws(PatchFault) {
        members = params
        let states = (params["deferred"]?.elements ?? []).map { $0["state"]?.string }
        errors =
            states.contains("pending") || states.contains("failed") ? errors + (params["errors"]?.elements ?? []) : []
        for operation in params["patch"]?.elements ?? [] { try JSONPatchApplier.apply(operation, to: &data) }
    }

    /// - Throws: Any error of decoding.
    func result<Data>(decodedBy decode: GraphQLDecoding<Data>) throws -> GraphQLResult<Data> {
        var result = GraphQLResult<Data>()
        if members["source"]?.string == "upstream" { result.source = .server }
        result.errors = members["errors"]?.elements ?? []
        if let extensions = members["extensions"], !extensions.isNull { result.extensions = extensions }
        result.isStale = members["stale"]?.bool ?? false
        result.asOf = members["as_of"]?.int64.flatMap { EventSequence($0) }
        result.isPending = members["pending"]?.bool ?? false
        result.isPartial = members["response"]?.string == "partial"
        result.deferred = (members["deferred"]?.elements ?? []).map { state in
            GraphQLDeferred(
                path: state["path"]?.elements ?? [], label: state["label"]?.string,
                state: state["state"]?.string.flatMap { GraphQLDeferred.State(rawValue: $0) } ?? .pending)
        }
        if let miss = members["miss"], !miss.isNull {
            result.miss = GraphQLMiss(
                path: miss["path"]?.elements ?? [], reason: miss["reason"]?.string ?? "absent",
                key: miss["key"]?.string, error: miss["error"]?["message"]?.string,
                fetchCount: miss["fetches"]?.int ?? 0)
        }
        if !data.isNull { result.data = try decode(data.bytes, result.failures(among: errors)) }
        return result
    }
}
