import Tidemark
import TidemarkModel
import TidemarkGraphQLTypes
import TidemarkStore

/// The result of a query, mutation or subscription, from the cache or the server.
///
/// - Source: Protocol/graphql.md, methods.
public struct GraphQLResult<Data: Codable & Sendable>: Sendable {
    /// Where a result came from.
    public enum Source: Hashable, Sendable {
        /// The cache.
        case cache
        /// The server.
        case server
    }

    /// The decoded data; nil if the server sent none.
    public var data: Data?
    /// Where the result came from.
    public var source = Source.cache
    /// The errors that the server sent; empty from the cache.
    public var errors: [JSONValue] = []
    /// The extensions that the server sent; nil from the cache.
    public var extensions: JSONValue?
    /// True if some of the data is older than its limit allows.
    public var isStale = false
    /// The lowest known position in the log of the entities that were read; nil if none is known.
    public var asOf: EventSequence?
    /// True if an edit that the server has not confirmed changes the data.
    public var isPending = false
    /// True if something is left out: deferred fragments that have not arrived, or missing fields in a partial read.
    public var isPartial = false
    /// The deferred fragments, in the order of the data.
    public var deferred: [GraphQLDeferred] = []
    /// Why a watched result is incomplete; nil while it is complete. Meanwhile ``data`` is the last complete one.
    public var miss: GraphQLMiss?
}

/// Decodes `data` from JSON, with the deferred fragments that failed.
typealias GraphQLDecoding<Data> = @Sendable (_ json: [UInt8], _ failures: [DeferredFailure]) throws -> Data

extension GraphQLResult {
    /// Converts a result of the engine, and decodes its data.
    ///
    /// - Throws: Any error of decoding.
    init(_ result: DocumentResult, decodedBy decode: GraphQLDecoding<Data>) throws {
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

    /// Returns the deferred fragments that failed, each with the messages of the errors at its path or below.
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

/// The state of a deferred fragment at one place in the data.
public struct GraphQLDeferred: Hashable, Sendable {
    /// How far a deferred fragment has been delivered.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The fragment has not arrived yet.
        case pending
        /// All fields of the fragment are in the data.
        case fulfilled
        /// The server could not deliver the fragment, or the delivery broke off.
        case failed
        /// The type condition of the fragment does not hold for the object.
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

    /// The path of the object from the root of `data`: names and indices.
    public var path: [JSONValue]
    /// The label of the `@defer` directive; nil if it has none.
    public var label: String?
    /// How far the fragment has been delivered.
    public var state: State
}

/// What a watched result lacks: the first missing or outdated field.
public struct GraphQLMiss: Hashable, Sendable {
    /// The path of the field from the root of `data`: names and indices.
    public var path: [JSONValue]
    /// Why the field is missing: `absent`, `expired`, `evicted`, `deleted` or `stale`.
    public var reason: String
    /// The entity that lacks the field, as `Type:id`.
    public var key: String?
    /// Why fetching it again failed; nil if nothing was fetched.
    public var error: String?
    /// The number of fetches that left the field missing.
    public var fetchCount: Int
}

/// Reads the results and notifications of a document back from the form in which a session writes them.
struct ResultReader {
    /// `data` as JSON; null if there is none.
    var data = JSONValue.null
    private var members = JSONValue.object([])
    /// The errors of all parts so far. A fragment is reported as failed only with the last part, while its errors
    /// arrive with their own. Bounded by the errors of one response.
    private var errors: [JSONValue] = []

    /// Starts with a result of `graphql.read`.
    mutating func begin(_ result: JSONValue) {
        members = result
        data = result["data"] ?? .null
        errors = result["errors"]?.elements ?? []
    }

    /// Applies a notification `graphql.changed`.
    mutating func change(_ params: JSONValue) throws(PatchError) {
        members = params
        let states = (params["deferred"]?.elements ?? []).map { $0["state"]?.string }
        errors =
            states.contains("pending") || states.contains("failed") ? errors + (params["errors"]?.elements ?? []) : []
        for operation in params["patch"]?.elements ?? [] { try JSONPatchApplier.apply(operation, to: &data) }
    }

    /// Converts the current state into a result, and decodes its data.
    ///
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
