/// What one event of a simulated server does to one entity.
package enum ServerChange: Hashable, Sendable {
    /// Replaces the entity.
    case replace(ItemFields)
    /// Merges fields into the entity, which is created if missing.
    case merge(ItemFields)
    /// Deletes the entity.
    case delete

    /// Returns the fields after the change; nil if there is no entity.
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
    /// The sequence of the event.
    package var sequence: Int64
    /// The sequence of the previous event; at most `sequence - 1`.
    package var previous: Int64
    /// The changes in line order; each id occurs once. If there are several, all are replacements.
    package var changes: [(id: String, change: ServerChange)]
    /// The pending id of the optimistic edit that caused the event; nil for none.
    package var mutation: String?
    /// True if the line is unusable, whatever source delivers it.
    package var isPoison = false
    /// The number of the write if the server numbers its writes; larger than those in earlier values.
    package var stamp: Int64?

    /// Returns the event as a line of a stream.
    ///
    /// - Parameter epoch: The epoch of the log; nil if the log names none.
    package func line(library: String, epoch: String?) -> String {
        var head = "\"library_id\":\"\(library)\",\"sequence\":\(sequence)"
        if previous != sequence - 1 { head += ",\"prev\":\(previous)" }
        if let epoch { head += ",\"epoch\":\"\(epoch)\"" }
        if let mutation { head += ",\"mutation_id\":\"\(mutation)\"" }
        return "{\(head),\"event\":\(body)}"
    }

    private var body: String {
        // A resource without an id cannot be stored.
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
