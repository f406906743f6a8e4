/// What one event of a simulated server does to one entity.
package enum ServerChange: Hashable, Sendable {
    case replace(ItemFields)
    case merge(ItemFields)
    case delete

    /// What is there afterwards.
    package func applied(to fields: ItemFields?) -> ItemFields? {
        switch self {
        case .replace(let new): new
        case .merge(let new): fields?.merged(new) ?? new
        case .delete: nil
        }
    }
}

/// One event in a simulated server's log.
package struct ServerEvent: Sendable {
    package var sequence: Int64
    /// The sequence of the event before it; at most `sequence - 1`.
    package var previous: Int64
    /// In the order of the line; no id twice. Several are all replacements.
    package var changes: [(id: String, change: ServerChange)]
    /// The optimistic edit that caused it.
    package var mutation: String?
    /// The line cannot be used, wherever it comes from.
    package var isPoison = false

    /// As it stands on a stream.
    ///
    /// - Parameter epoch: nil: the log names none.
    package func line(library: String, epoch: String?) -> String {
        var head = "\"library_id\":\"\(library)\",\"sequence\":\(sequence)"
        if previous != sequence - 1 { head += ",\"prev\":\(previous)" }
        if let epoch { head += ",\"epoch\":\"\(epoch)\"" }
        if let mutation { head += ",\"mutation_id\":\"\(mutation)\"" }
        return "{\(head),\"event\":\(body)}"
    }

    private var body: String {
        // Without an id a resource cannot be stored.
        if isPoison { return #"{"ResourceChanged":{"resource_type":"file","resource":{"n":1}}}"# }
        guard let first = changes.first, changes.count == 1 else {
            let resources = changes.compactMap { change -> String? in
                guard case .replace(let fields) = change.change else { return nil }
                return fields.resource(change.id, isLoud: sequence % 2 == 0)
            }
            let list = resources.joined(separator: ",")
            return #"{"ResourceBatchChanged":{"resource_type":"file","resources":[\#(list)]}}"#
        }
        switch first.change {
        case .replace(let fields):
            return
                #"{"ResourceChanged":{"resource_type":"file","resource":\#(fields.resource(first.id, isLoud: sequence % 2 == 0))}}"#
        case .merge(let fields):
            return
                #"{"ResourceChanged":{"resource_type":"file","resource":\#(fields.resource(first.id, isLoud: sequence % 2 == 0)),"metadata":{}}}"#
        case .delete:
            return #"{"ResourceDeleted":{"resource_type":"file","resource_id":"\#(first.id)"}}"#
        }
    }
}
