/// The effect of one event of a simulated server on one entity.
package enum ServerChange: Hashable, Sendable {
    case replace(ItemFields)
    case merge(ItemFields)
    case delete

    /// Returns the fields after the change; nil when there is no entity.
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
    /// The sequence of the event before this one; at most `sequence - 1`.
    package var previous: Int64
    /// The changes in the order of the line, no id twice. If there are several, all are replacements.
    package var changes: [(id: String, change: ServerChange)]
    /// The pending id of the optimistic edit that caused the event; nil when none did.
    package var mutation: String?
    /// Whether the line cannot be used, from whatever source it comes.
    package var isPoison = false
    /// The number of the write, where a server numbers them; larger than those in the values of earlier ones.
    package var stamp: Int64?

    /// Returns the event as a line of a stream.
    ///
    /// - Parameter epoch: The epoch of the log; nil when the log names none.
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
