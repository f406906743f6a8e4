/// One operation on a cache, as text and names, so that a cache and a model can both perform it.
package enum CacheOperation: Sendable {
    /// An event.
    case event(CacheEvent)
    /// An event after a gap that cannot be filled.
    case eventBehindGap(CacheEvent)
    /// Stores an unsolicited result of a query.
    case put(ReferenceQueryName, CacheAnswer)
    /// Begins to fetch a query.
    case beginFetch(ReferenceQueryName)
    /// Answers the fetch in progress.
    case answer(ReferenceQueryName, CacheAnswer)
    /// Performs a transaction.
    case transact(library: String, [CacheStep])
    /// Removes entities.
    case remove(library: String, type: String, ids: [String])
    /// Clears a library, or all of them.
    case clear(library: String?)
    /// Makes queries stale.
    case invalidate(library: String, ReferenceQueryName?, type: String?, hints: String?)
    /// Lets time pass.
    case wait(milliseconds: Int64)
    /// The event of a mutation.
    case echo(CacheEvent, mutationID: String)
    /// Adds an optimistic mutation.
    case update(CacheLayer)
    /// Confirms an optimistic mutation.
    case commit(CacheCommit)
    /// Rolls an optimistic mutation back.
    case rollBack(pendingID: String, library: String?)
}

/// An event before it is written as a line.
package enum CacheEvent: Sendable {
    /// Writes resources; with `isIndex` as an index operation.
    case change(
        library: String, type: String, resources: [String], sequence: Int64?, merges: Bool, isIndex: Bool)
    /// Deletes a resource.
    case delete(library: String, type: String, id: String, sequence: Int64?)
    /// Reports a bulk operation.
    case bulk(library: String, type: String, hints: String?, sequence: Int64?)
    /// Reports that everything may have changed.
    case refresh(library: String?)
    /// Begins the log anew.
    case reset(library: String, epoch: String)

    /// The event as a line of a stream.
    package var line: String { line(mutationID: nil) }

    /// The library of the event; nil for an event of all libraries.
    package var library: String? {
        switch self {
        case .change(let library, _, _, _, _, _), .delete(let library, _, _, _), .bulk(let library, _, _, _),
            .reset(let library, _):
            library
        case .refresh(let library): library
        }
    }

    /// The sequence of the event; nil if it has none.
    package var sequence: Int64? {
        switch self {
        case .change(_, _, _, let sequence, _, _), .delete(_, _, _, let sequence), .bulk(_, _, _, let sequence):
            sequence
        case .refresh, .reset: nil
        }
    }

    /// Returns the event as a line of a stream, with the id of the mutation that caused it.
    package func line(mutationID: String?) -> String {
        let mutation = mutationID.map { "\"mutation_id\":\"\($0)\"," } ?? ""
        func envelope(_ library: String, _ sequence: Int64?, _ event: String) -> String {
            let sequence = sequence.map { "\"sequence\":\($0)," } ?? ""
            return "{\"library_id\":\"\(library)\",\(sequence)\(mutation)\"event\":\(event)}"
        }
        switch self {
        case .change(let library, let type, let resources, let sequence, let merges, let isIndex):
            let metadata = merges ? #","metadata":{}"# : ""
            let operation = isIndex ? #","operation":"Index""# : ""
            if resources.count == 1, !isIndex {
                return envelope(
                    library, sequence,
                    #"{"ResourceChanged":{"resource_type":"\#(type)","resource":\#(resources[0])\#(metadata)}}"#)
            }
            return envelope(
                library, sequence,
                #"{"ResourceBatchChanged":{"resource_type":"\#(type)","resources":[\#(resources.joined(separator: ","))]"#
                    + "\(operation)\(metadata)}}")
        case .delete(let library, let type, let id, let sequence):
            return envelope(
                library, sequence, #"{"ResourceDeleted":{"resource_type":"\#(type)","resource_id":"\#(id)"}}"#)
        case .bulk(let library, let type, let hints, let sequence):
            let hints = hints.map { ",\"hints\":\($0)" } ?? ""
            return envelope(library, sequence, #"{"BulkOperation":{"resource_type":"\#(type)"\#(hints)}}"#)
        case .refresh(let library?): return envelope(library, nil, #"{"Refresh":{}}"#)
        case .refresh(nil): return "\"Refresh\""
        case .reset(let library, let epoch): return envelope(library, nil, #"{"Reset":{"epoch":"\#(epoch)"}}"#)
        }
    }
}

/// The result of a query, as text.
package struct CacheAnswer: Sendable {
    /// The type of the elements.
    package var type: String
    /// The elements as JSON, in order.
    package var resources: [String]
    /// Further entities that the result includes, by type.
    package var included: [(type: String, resources: [String])] = []
    /// How long the result stays fresh, in milliseconds; nil for no limit.
    package var timeToLive: Int64?
    /// The log position of the result; nil if it names none.
    package var asOf: Int64?
    /// The membership rule as JSON; nil for none.
    package var rule: String?
    /// The tags as JSON; nil for none.
    package var tags: String?
    /// True for a list that is evaluated over the cache's entities.
    package var isLocal = false

    /// Creates a result without a rule.
    package init(type: String, resources: [String]) {
        self.type = type
        self.resources = resources
    }
}

/// One step of a transaction, as text.
package enum CacheStep: Sendable {
    /// Replaces an entity.
    case put(type: String, resource: String)
    /// Sets and removes fields of an entity.
    case patch(type: String, id: String, fields: String, unset: [String])
    /// Deletes an entity.
    case delete(type: String, id: String)
    /// Removes one field of an entity.
    case removeField(type: String, id: String, field: String)
}

/// The result of an operation.
package enum CacheOutcome: Hashable, Sendable {
    /// The operation was performed.
    case done
    /// The operation was refused, and nothing changed.
    case refused
    /// The operation was refused with this error code.
    case failed(String)
    /// The operation was performed on this many entities or queries.
    case count(Int)
}
