import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// An operation of a document with its variables.
package struct GraphRequest: Hashable, Sendable {
    /// The text of the document.
    package var document: ByteString
    /// The name of the operation; nil when the document has one operation.
    package var operationName: ByteString?
    /// One JSON object; nil counts as an empty one.
    package var variables: ByteString?
    package var library: ByteString

    package init(
        _ document: ByteString, operationName: ByteString? = nil, variables: ByteString? = nil, library: ByteString = ""
    ) {
        self.document = document
        self.operationName = operationName
        self.variables = variables
        self.library = library
    }
}

extension GraphRequest {
    /// Documents are long: their bytes are hashed once, eight at a time. Whoever makes documents that collide gains
    /// nothing, because the tables of requests are short.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(document.bytes.withUnsafeBytes { Checksum.xxh64($0, seed: 0) })
        hasher.combine(operationName)
        hasher.combine(variables)
        hasher.combine(library)
    }
}

/// A read of a document, or the beginning of watching it.
///
/// - Source: Protocol/graphql.md, reading.
package struct GraphReadRequest: Sendable {
    package var operation: GraphRequest
    package var policy = FetchPolicy.cacheFirst
    package var allowsStale = false
    /// The time for which stale data is accepted, in milliseconds.
    package var maxStale: Int64?
    /// Whether a read leaves out what is missing, under `cacheOnly`.
    package var isPartial = false
    /// A watcher is notified when something that it sees becomes too old.
    package var refreshes = false
    /// A watcher whose answer became incomplete has it fetched again.
    package var refetches = true
    /// Gives the read up when it is cancelled; nil for one that nobody gives up.
    package var token: GraphReadToken?

    package init(_ operation: GraphRequest) { self.operation = operation }

    /// The treatment of missing fields by a read of the cache.
    var completeness: GraphCompleteness {
        guard policy == .cacheOnly else { return .whole }
        return isPartial ? .partial : .deferred
    }
}

/// The answer to a read.
package struct GraphResult: Sendable {
    /// `data` as JSON; null when a server answered without.
    package var data: [UInt8]
    package var source: QueryAnswer.Source
    package var isStale = false
    package var asOf: EventSequence?
    package var isPending = false
    /// The server's errors as JSON; nil from the cache.
    package var errors: [UInt8]?
    package var extensions: [UInt8]?
    package var isPartial = false
    package var deferred: [DeferredState] = []

    init(_ reading: GraphReading, source: QueryAnswer.Source) {
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

    /// Takes the server's errors and extensions.
    func with(_ parts: AnswerParts) -> GraphResult {
        var result = self
        result.errors = parts.errors.map { Array($0.bytes) }
        result.extensions = parts.extensions.map { Array($0.bytes) }
        result.deferred = result.deferred.failing(parts.failedFragments)
        // A fragment that failed is all that there will be of it.
        if !result.deferred.isEmpty { result.isPartial = result.deferred.contains { $0.state == .pending } }
        return result
    }
}

/// A result, and the watcher that was made in the same step.
package struct GraphReply: Sendable {
    package var result: GraphResult
    package var subscription: SubscriptionID?
}
