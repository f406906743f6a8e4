import TidemarkTesting

/// Writes event lines: a kind in an envelope.
package struct EventWriter: Sendable {
    /// The shapes of an event line.
    package enum Form: Int, CaseIterable, Sendable {
        /// `{"library_id":…,"event":{…}}`
        case flatEvent
        /// `{"library_id":…,"kind":{"type":…,"data":…}}`
        case flatKind
        /// `{"envelope":{…},"kind":{…}}` or with `event`
        case envelope
        /// `{"Event":{…}}` around one of the others
        case wrapped
    }

    /// The fields around a kind.
    package struct Fields: Sendable {
        /// The library; nil leaves it out or writes null.
        package var library: String?
        /// The sequence; nil leaves it out.
        package var sequence: Int64?
        /// The `prev`; nil leaves it out.
        package var previous: Int64?
        /// The epoch; nil leaves it out.
        package var epoch: String?

        /// Creates fields.
        package init(library: String? = nil, sequence: Int64? = nil, previous: Int64? = nil, epoch: String? = nil) {
            self.library = library
            self.sequence = sequence
            self.previous = previous
            self.epoch = epoch
        }
    }

    private let writer: SpacedWriter

    /// Creates a writer of events on top of a writer of JSON.
    package init(writer: SpacedWriter) { self.writer = writer }

    /// Returns an event line.
    ///
    /// - Parameter payload: JSON text; nil writes the kind as a bare string, or without `data`.
    package func line(
        _ name: String, _ payload: String?, _ fields: Fields, _ form: Form, _ random: inout SeededGenerator
    ) -> String {
        let around = members(fields, &random)
        let single = payload.map { writer.object([(name, $0)], &random) } ?? SpacedWriter.string(name)
        switch form {
        case .flatEvent: return writer.object(around + [("event", single)], &random)
        case .flatKind: return writer.object(around + [("kind", kind(name, payload, &random))], &random)
        case .envelope:
            let inner = writer.object(around + [("timestamp", "\"2026-01-22T10:05:34.149304Z\"")], &random)
            let isKind = random.chance(700)
            let body = isKind ? ("kind", kind(name, payload, &random)) : ("event", single)
            return writer.object([("envelope", inner), body], &random)
        case .wrapped:
            let isBare = around.isEmpty
            let inside = isBare ? single : writer.object(around + [("event", single)], &random)
            return writer.object([("Event", inside)], &random)
        }
    }

    private func kind(_ name: String, _ payload: String?, _ random: inout SeededGenerator) -> String {
        guard let payload else {
            return random.chance(500) ? SpacedWriter.string(name) : writer.object([("type", "\"\(name)\"")], &random)
        }
        return writer.object([("type", SpacedWriter.string(name)), ("data", payload)], &random)
    }

    private func members(_ fields: Fields, _ random: inout SeededGenerator) -> [(String, String)] {
        var members: [(String, String)] = []
        if let library = fields.library {
            members.append(("library_id", SpacedWriter.string(library)))
        } else if random.chance(300) {
            members.append(("library_id", "null"))
        }
        if let sequence = fields.sequence { members.append(("sequence", String(sequence))) }
        if let epoch = fields.epoch { members.append(("epoch", SpacedWriter.string(epoch))) }
        if let previous = fields.previous { members.append(("prev", String(previous))) }
        if random.chance(100) { members.append(("mutation_id", "\"m-\(random.below(1_000))\"")) }
        if random.chance(50) { members.append(("as_of", "null")) }
        return members
    }
}
