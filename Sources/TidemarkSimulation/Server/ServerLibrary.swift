/// One library of a simulated server: the branches of its log, and its entities.
package struct ServerLibrary: Sendable {
    /// The id of the library.
    package let name: String
    /// The branches of the log; the server appends to the last one.
    package private(set) var logs: [ServerLog]
    /// The current entities by id.
    package private(set) var entities: [String: ItemFields] = [:]

    /// Creates an empty library.
    ///
    /// - Parameter epoch: The epoch of its log; nil if the log names none.
    package init(name: String, epoch: String?) {
        self.name = name
        logs = [ServerLog(epoch: epoch, start: [:], base: 0)]
    }

    /// The current branch of the log.
    package var log: ServerLog { logs[logs.count - 1] }
    /// The last sequence of the current branch.
    package var last: Int64 { log.last }

    /// Returns the index of the newest branch with an epoch; nil if there is none.
    package func logIndex(epoch: String) -> Int? {
        logs.lastIndex { ($0.epoch ?? "") == epoch }
    }

    /// Changes entities and appends the event to the log.
    ///
    /// - Parameters:
    ///   - skipping: How many sequences to skip before the event, as for another reader's events.
    ///   - stamp: The number of the write; nil if the server does not number writes.
    package mutating func append(
        _ changes: [(id: String, change: ServerChange)], mutation: String? = nil, isPoison: Bool = false,
        skipping: Int64 = 0, stamp: Int64? = nil
    ) -> ServerEvent {
        let event = ServerEvent(
            sequence: last + 1 + skipping, previous: last, changes: changes, mutation: mutation, isPoison: isPoison,
            stamp: stamp)
        logs[logs.count - 1].append(event)
        if !isPoison { for (id, change) in changes { entities[id] = change.applied(to: entities[id]) } }
        return event
    }

    /// Begins the log anew; the entities stay.
    package mutating func restart(epoch: String, base: Int64) {
        logs.append(ServerLog(epoch: epoch, start: entities, base: base))
    }

    /// Restores the server to an earlier sequence, as if later events had never happened.
    package mutating func restore(to sequence: Int64) {
        let log = log
        logs.append(
            ServerLog(
                epoch: log.epoch, start: log.start, base: log.base,
                events: log.events.filter { $0.sequence <= sequence }))
        entities = log.entities(at: sequence)
    }

    /// Returns an event of this library as a line.
    package func line(_ event: ServerEvent) -> String { event.line(library: name, epoch: log.epoch) }

    /// A heartbeat line, which reveals a lost end of the log.
    package var heartbeat: String {
        let epoch = log.epoch.map { ",\"epoch\":\"\($0)\"" } ?? ""
        return #"{"library_id":"\#(name)"\#(epoch),"event":{"Heartbeat":{"last_sequence":\#(last)}}}"#
    }

    /// The line that announces that the log begins anew.
    package var reset: String {
        #"{"library_id":"\#(name)","event":{"Reset":{"epoch":"\#(log.epoch ?? "")"}}}"#
    }
}
