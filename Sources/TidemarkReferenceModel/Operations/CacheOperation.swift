/// One operation on a cache, as text and names, so that a cache and a model can both perform it.
package enum CacheOperation: Sendable {
    case event(CacheEvent)
    /// An event after a gap that nobody can fill.
    case eventBehindGap(CacheEvent)
    case put(ReferenceQueryName, CacheAnswer)
    case beginFetch(ReferenceQueryName)
    /// Answers the fetch that was begun.
    case answer(ReferenceQueryName, CacheAnswer)
    case transact(library: String, [CacheStep])
    case remove(library: String, type: String, ids: [String])
    case clear(library: String?)
    case invalidate(library: String, ReferenceQueryName?, type: String?, hints: String?)
    case wait(milliseconds: Int64)
    /// An event that a mutation caused.
    case echo(CacheEvent, mutationID: String)
    case update(CacheLayer)
    case commit(CacheCommit)
    case rollBack(pendingID: String, library: String?)
}

/// An event before it is written as a line.
package enum CacheEvent: Sendable {
    case change(
        library: String, type: String, resources: [String], sequence: Int64?, merges: Bool, isIndex: Bool)
    case delete(library: String, type: String, id: String, sequence: Int64?)
    case bulk(library: String, type: String, hints: String?, sequence: Int64?)
    case refresh(library: String?)
    case reset(library: String, epoch: String)

    /// The event's line on a stream.
    package var line: String { line(mutationID: nil) }

    /// The library of its log; nil for an event of all of them.
    package var library: String? {
        switch self {
        case .change(let library, _, _, _, _, _), .delete(let library, _, _, _), .bulk(let library, _, _, _),
            .reset(let library, _):
            library
        case .refresh(let library): library
        }
    }

    package var sequence: Int64? {
        switch self {
        case .change(_, _, _, let sequence, _, _), .delete(_, _, _, let sequence), .bulk(_, _, _, let sequence):
            sequence
        case .refresh, .reset: nil
        }
    }

    /// The event's line on a stream when a mutation caused it.
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

/// An answer to a query, as text.
package struct CacheAnswer: Sendable {
    package var type: String
    package var resources: [String]
    package var included: [(type: String, resources: [String])] = []
    package var timeToLive: Int64?
    package var asOf: Int64?
    package var rule: String?
    package var tags: String?
    package var isLocal = false

    package init(type: String, resources: [String]) {
        self.type = type
        self.resources = resources
    }
}

/// One step of a transaction, as text.
package enum CacheStep: Sendable {
    case put(type: String, resource: String)
    case patch(type: String, id: String, fields: String, unset: [String])
    case delete(type: String, id: String)
    case removeField(type: String, id: String, field: String)
}

/// The result of an operation.
package enum CacheOutcome: Hashable, Sendable {
    case done
    case refused
    /// The operation was refused with an error of this code.
    case failed(String)
    case count(Int)
}
