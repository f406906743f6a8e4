/// One library of a simulated server: its log, its branches, and what it has.
package struct ServerLibrary: Sendable {
    package let name: String
    /// The last one is what the server goes on with.
    package private(set) var logs: [ServerLog]
    package private(set) var entities: [String: ItemFields] = [:]

    package init(name: String, epoch: String?) {
        self.name = name
        logs = [ServerLog(epoch: epoch, start: [:], base: 0)]
    }

    package var log: ServerLog { logs[logs.count - 1] }
    package var last: Int64 { log.last }

    /// The newest branch that calls itself so; nil: none.
    package func logIndex(epoch: String) -> Int? {
        logs.lastIndex { ($0.epoch ?? "") == epoch }
    }

    /// Does something and writes it down.
    ///
    /// - Parameter skipping: Sequences that belong to somebody else: they are in no event's way.
    package mutating func append(
        _ changes: [(id: String, change: ServerChange)], mutation: String? = nil, isPoison: Bool = false,
        skipping: Int64 = 0
    ) -> ServerEvent {
        let event = ServerEvent(
            sequence: last + 1 + skipping, previous: last, changes: changes, mutation: mutation, isPoison: isPoison)
        logs[logs.count - 1].append(event)
        if !isPoison { for (id, change) in changes { entities[id] = change.applied(to: entities[id]) } }
        return event
    }

    /// The log begins anew; what the server has stays.
    package mutating func restart(epoch: String, base: Int64) {
        logs.append(ServerLog(epoch: epoch, start: entities, base: base))
    }

    /// The server is put back to where it was: what came later never happened.
    package mutating func restore(to sequence: Int64) {
        let log = log
        logs.append(
            ServerLog(
                epoch: log.epoch, start: log.start, base: log.base,
                events: log.events.filter { $0.sequence <= sequence }))
        entities = log.entities(at: sequence)
    }

    package func line(_ event: ServerEvent) -> String { event.line(library: name, epoch: log.epoch) }

    /// What the server says now and then, so that a lost end is noticed.
    package var heartbeat: String {
        let epoch = log.epoch.map { ",\"epoch\":\"\($0)\"" } ?? ""
        return #"{"library_id":"\#(name)"\#(epoch),"event":{"Heartbeat":{"last_sequence":\#(last)}}}"#
    }

    package var reset: String {
        #"{"library_id":"\#(name)","event":{"Reset":{"epoch":"\#(log.epoch ?? "")"}}}"#
    }
}
