import Tidemark
import TidemarkModel
import TidemarkTesting

/// Lines that come long after their time, and lines with false numbers.
extension Simulation {
    /// Sends some events of the log once more, whatever happened to them before.
    func lateCopies(_ name: String, input: Int, _ random: inout SeededGenerator) throws {
        guard let library = server.library(name), !library.log.events.isEmpty else { return }
        let lines = (0...random.below(4)).map { _ in
            let event = random.pick(library.log.events)
            return WireLine(
                text: library.line(event), library: name, log: library.logs.count - 1, base: event.sequence - 1,
                isEvent: true, isSpoiled: event.isPoison)
        }
        try ingest(lines, input: input)
    }

    /// Sends a number far ahead of the log: on a line that is cut off, in a heartbeat, or on a valid event.
    ///
    /// The number is one of the log that the cache follows: in another log it would be the first number that is
    /// received.
    func lie(_ name: String, input: Int, _ random: inout SeededGenerator) throws {
        guard let library = server.library(name), let known = truth.libraries[name], known.cursor != nil, isSettled,
            known.log == library.logs.count - 1, !diskMayFail
        else { return }
        let number = random.pick([library.last + 1_000, 9_000_000_000_000_000_000, Int64.max])
        let epoch = library.log.epoch.map { ",\"epoch\":\"\($0)\"" } ?? ""
        var line = WireLine(text: "", library: name, log: library.logs.count - 1, base: nil)
        switch random.below(3) {
        case 0:
            line.text = "{\"library_id\":\"\(name)\",\"sequence\":\(number)\(epoch),\"event\":{\"Res"
            line.isSpoiled = true
        case 1:
            line.text = "{\"library_id\":\"\(name)\"\(epoch),\"event\":{\"Heartbeat\":{\"last_sequence\":\(number)}}}"
            truth.libraries[name]?.heard(lie: number, changes: [])
        default:
            let events = library.log.events.filter { !$0.isPoison }
            guard !events.isEmpty else { return }
            let event = ServerEvent(
                sequence: number, previous: number - 1, changes: random.pick(events).changes, mutation: nil,
                isPoison: false)
            line.text = library.line(event)
            truth.libraries[name]?.heard(lie: number, changes: event.changes)
        }
        try ingest([line], input: input)
    }

    /// Takes back every cursor that is past the end of its log, as an operator does.
    func takeBackLies() throws {
        guard traits.hasLies else { return }
        try comeToRest()
        for name in Self.libraryNames {
            guard let library = server.library(name), let known = truth.libraries[name], let cursor = known.cursor,
                known.log == library.logs.count - 1, cursor > library.last
            else { continue }
            let outcome = try call { cache -> String? in
                do {
                    try await cache.rewind(library: ByteString(name), to: EventSequence(library.last))
                    return nil
                } catch {
                    return "\(error)"
                }
            }
            _ = try wait(atMost: Self.patience, until: { outcome.value != nil })
            guard let problem = outcome.value else { throw SimulationFailure("a cursor is never taken back") }
            if let problem { throw SimulationFailure("\(name): its cursor cannot be taken back: \(problem)") }
            truth.libraries[name]?.takenBack(to: library.last)
            fresh.remove(name)
        }
    }

    /// Asks for all lost numbers once more.
    func healAll() throws {
        guard traits.hasUpstream else { return }
        let outcome = try call { await $0.heal() }
        guard try wait(atMost: Self.patience, until: { outcome.value != nil }) else {
            throw SimulationFailure("healing never ends")
        }
    }

    /// Checks that no number stays lost that the upstream has and whose writes later events of the log have all
    /// replaced.
    func checkHealed() throws {
        guard traits.hasUpstream, !mayLack else { return }
        let seen = try look(isThorough: true)
        for name in Self.libraryNames {
            guard let library = server.library(name), let known = truth.libraries[name],
                let status = seen.statuses[name],
                let cursor = known.cursor, known.log == library.logs.count - 1
            else { continue }
            let lost = status.lost.map { $0.first.rawValue...$0.last.rawValue }
            let later = library.log.events.filter { event in
                event.sequence <= cursor && !event.isPoison && !known.isDenied(event.sequence)
                    && !lost.contains { $0.contains(event.sequence) }
            }
            for event in library.log.events
            where !event.isPoison && lost.contains(where: { $0.contains(event.sequence) }) {
                let isSuperseded = event.changes.allSatisfy { change in
                    seen.entities[name]?[change.id]?.fields != nil
                        && later.contains { other in
                            other.sequence > event.sequence
                                && other.changes.contains { $0.id == change.id && $0.change.isReplacement }
                        }
                }
                guard !isSuperseded else {
                    throw SimulationFailure("\(name): \(event.sequence) stays lost, and the upstream has it (L4)")
                }
            }
        }
    }
}

extension ServerChange {
    fileprivate var isReplacement: Bool {
        if case .replace = self { true } else { false }
    }
}
