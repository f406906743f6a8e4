import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// An operation of a document with its variables.
package struct GraphQLRequest: Hashable, Sendable {
    /// The text of the document.
    package var document: ByteString
    /// The name of the operation; nil if the document has only one.
    package var operationName: ByteString?
    /// The values of the variables as one JSON object; nil counts as an empty one.
    package var variables: ByteString?
    /// The library whose entities are read and written.
    package var library: ByteString

    /// Creates a request.
    package init(
        _ document: ByteString, operationName: ByteString? = nil, variables: ByteString? = nil, library: ByteString = ""
    ) {
        self.document = document
        self.operationName = operationName
        self.variables = variables
        self.library = library
    }
}

extension GraphQLRequest {
    /// Hashes the document with a fast checksum, eight bytes at a time, because documents are long. Colliding documents
    /// gain an attacker nothing, because the tables of requests are short.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(document.bytes.withUnsafeBytes { Checksum.xxh64($0, seed: 0) })
        hasher.combine(operationName)
        hasher.combine(variables)
        hasher.combine(library)
    }
}

/// A request to read a query, or to watch it.
///
/// - Source: Protocol/graphql.md, reading.
package struct GraphQLReadRequest: Sendable {
    /// The query.
    package var operation: GraphQLRequest
    /// Which of cache and server are used, and in which order.
    package var policy = FetchPolicy.cacheFirst
    /// If true, stale data of any age is accepted, unless ``maxStale`` sets a bound.
    package var allowsStale = false
    /// How long past its limit data is accepted, in milliseconds; if nil, ``allowsStale`` decides.
    package var maxStale: Int64?
    /// If true, a read under `cacheOnly` leaves out what is missing.
    package var isPartial = false
    /// If true, a watcher's data is fetched again or reported as stale when it becomes too old.
    package var refreshes = false
    /// If true, a watcher's data is fetched again when it becomes incomplete.
    package var refetches = true
    /// Cancels the read; nil if it cannot be cancelled.
    package var token: GraphQLReadToken?

    /// Creates a read with the policy `cacheFirst`.
    package init(_ operation: GraphQLRequest) { self.operation = operation }

    /// How a read of the cache handles missing fields.
    var completeness: GraphQLCompleteness {
        guard policy == .cacheOnly else { return .whole }
        return isPartial ? .partial : .deferred
    }
}

/// The result of a read or a mutation.
package struct DocumentResult: Sendable {
    /// `data` as JSON; null if a server sent none.
    package var data: [UInt8]
    /// Where the result came from.
    package var source: QueryAnswer.Source
    /// True if some of the data is older than its limit allows.
    package var isStale = false
    /// The lowest known position in the log of what was read; nil if none is known.
    package var asOf: EventSequence?
    /// True if an edit that the server has not confirmed changes the data.
    package var isPending = false
    /// The server's errors as JSON; nil from the cache.
    package var errors: [UInt8]?
    /// The server's extensions as JSON; nil from the cache.
    package var extensions: [UInt8]?
    /// True if something is left out: deferred fragments that have not arrived, or missing fields of a partial read.
    package var isPartial = false
    /// The deferred fragments, in the order of the data.
    package var deferred: [DeferredState] = []

    init(_ reading: GraphQLReading, source: QueryAnswer.Source) {
        data = reading.data
        self.source = source
        isStale = reading.isStale
        asOf = reading.asOf
        isPending = reading.isPending
        isPartial = reading.isPartial
        deferred = reading.deferred
    }

    init(data: [UInt8], source: QueryAnswer.Source) {
        self.data = data
        self.source = source
    }

    /// Returns the result with the server's errors and extensions.
    func with(_ parts: ResponseParts) -> DocumentResult {
        var result = self
        result.errors = parts.errors.map { Array($0.bytes) }
        result.extensions = parts.extensions.map { Array($0.bytes) }
        result.deferred = result.deferred.failing(parts.failedFragments)
        // Nothing more will arrive of a failed fragment, so only pending ones make the result partial.
        if !result.deferred.isEmpty { result.isPartial = result.deferred.contains { $0.state == .pending } }
        return result
    }
}

/// A result, and the watcher that was created in the same step.
package struct GraphQLReply: Sendable {
    /// The result.
    package var result: DocumentResult
    /// The number of the watcher; nil if the read was not observed.
    package var subscription: SubscriptionID?
}
