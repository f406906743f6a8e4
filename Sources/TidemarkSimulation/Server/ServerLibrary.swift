/// One library of a simulated server: its branches of the log, and its entities.
package struct ServerLibrary: Sendable {
    package let name: String
    /// The branches of the log; the server continues with the last one.
    package private(set) var logs: [ServerLog]
    package private(set) var entities: [String: ItemFields] = [:]

    package init(name: String, epoch: String?) {
        self.name = name
        logs = [ServerLog(epoch: epoch, start: [:], base: 0)]
    }

    package var log: ServerLog { logs[logs.count - 1] }
    package var last: Int64 { log.last }

    /// The index of the newest branch with the given epoch; nil when there is none.
    package func logIndex(epoch: String) -> Int? {
        logs.lastIndex { ($0.epoch ?? "") == epoch }
    }

    /// Changes entities and appends the event to the log.
    ///
    /// - Parameters:
    ///   - skipping: The number of sequences to skip before the event, because they belong to another reader.
    ///   - stamp: The number of the write; nil where the server does not number them.
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

    /// Restores the server to an earlier sequence: later events never happened.
    package mutating func restore(to sequence: Int64) {
        let log = log
        logs.append(
            ServerLog(
                epoch: log.epoch, start: log.start, base: log.base,
                events: log.events.filter { $0.sequence <= sequence }))
        entities = log.entities(at: sequence)
    }

    package func line(_ event: ServerEvent) -> String { event.line(library: name, epoch: log.epoch) }

    /// A heartbeat line, which the server sends now and then so that a lost end of the log is noticed.
    package var heartbeat: String {
        let epoch = log.epoch.map { ",\"epoch\":\"\($0)\"" } ?? ""
        return #"{"library_id":"\#(name)"\#(epoch),"event":{"Heartbeat":{"last_sequence":\#(last)}}}"#
    }

    package var reset: String {
        #"{"library_id":"\#(name)","event":{"Reset":{"epoch":"\#(log.epoch ?? "")"}}}"#
    }
}
