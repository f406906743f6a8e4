import Tidemark
import TidemarkModel
import TidemarkTesting

/// Lines that arrive long after their time, and lines with false sequences.
extension Simulation {
    /// Delivers some events of the log once more. If some events are lost, half of the lines are picked from them.
    func lateCopies(_ name: String, input: Int, _ random: inout SeededGenerator) throws {
        guard let library = server.library(name), !library.log.events.isEmpty else { return }
        let lost = lostEvents(name, library)
        let lines = (0...random.below(4)).map { _ in
            let isLost = !lost.isEmpty && random.chance(500)
            return line(random.pick(isLost ? lost : library.log.events), library)
        }
        try ingest(lines, input: input)
    }

    private func line(_ event: ServerEvent, _ library: ServerLibrary) -> WireLine {
        WireLine(
            text: library.line(event), library: library.name, log: library.logs.count - 1, base: event.sequence - 1,
            sequence: event.sequence, isEvent: true, isSpoiled: event.isPoison)
    }

    /// Returns the events of the server's log that were lost at the last check.
    private func lostEvents(_ name: String, _ library: ServerLibrary) -> [ServerEvent] {
        guard let known = truth.libraries[name], known.log == library.logs.count - 1 else { return [] }
        return library.log.events.filter { known.isLost($0.sequence) }
    }

    private var hasLostEvents: Bool {
        Self.libraryNames.contains { name in
            server.library(name).map { !lostEvents(name, $0).isEmpty } ?? false
        }
    }

    /// Delivers a sequence ahead of the log: on a line that is cut off or, in schedules with false sequences, in a
    /// heartbeat or on a valid event.
    ///
    /// A false sequence belongs to the log that the cache follows; in another log it would be the first position
    /// received.
    func lie(_ name: String, input: Int, _ random: inout SeededGenerator) throws {
        guard let library = server.library(name) else { return }
        let far = [library.last + 1_000, 9_000_000_000_000_000_000, Int64.max]
        let epoch = library.log.epoch.map { ",\"epoch\":\"\($0)\"" } ?? ""
        var line = WireLine(text: "", library: name, log: library.logs.count - 1, base: nil)
        let kind = random.below(3)
        guard kind > 0, traits.hasLies else {
            let number = random.pick(far + [library.last + 1, library.last + 3])
            line.text = "{\"library_id\":\"\(name)\",\"sequence\":\(number)\(epoch),\"event\":{\"Res"
            line.isSpoiled = true
            return try ingest([line], input: input)
        }
        guard let known = truth.libraries[name], known.cursor != nil, isSettled, known.log == library.logs.count - 1,
            !diskMayFail
        else { return }
        let number = random.pick(far)
        if kind == 1 {
            line.text = "{\"library_id\":\"\(name)\"\(epoch),\"event\":{\"Heartbeat\":{\"last_sequence\":\(number)}}}"
            truth.libraries[name]?.heard(lie: number, changes: [])
            // Behind a cursor that an earlier false sequence moved, it looks like the end of a restored log.
            truth.libraries[name]?.heard(log: line.log, base: number, mayGoBack: true)
        } else {
            let events = library.log.events.filter { !$0.isPoison }
            guard !events.isEmpty else { return }
            let event = ServerEvent(
                sequence: number, previous: number - 1, changes: random.pick(events).changes, mutation: nil,
                isPoison: false)
            line.text = library.line(event)
            truth.libraries[name]?.heard(lie: number, changes: event.changes)
            for (id, _) in event.changes { accounts[name, default: DeliveryAccount()].touch(id, number) }
        }
        try ingest([line], input: input)
    }

    /// Moves back every cursor that is past the end of its log, as an operator would.
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
            guard let problem = outcome.value else { throw SimulationFailure("a cursor is never moved back") }
            if let problem { throw SimulationFailure("\(name): its cursor cannot be moved back: \(problem)") }
            truth.libraries[name]?.takenBack(to: library.last)
            fresh.remove(name)
        }
    }

    /// Requests all lost sequences once more, and a second time those that stay lost: a late write that was held off
    /// because of a removal may be superseded once a later one from the same answer was applied.
    func healAll() throws {
        guard traits.hasUpstream else { return }
        for round in 0..<2 where round == 0 || hasLostEvents {
            // One question per library at a time: a cache that reconciles does not heal.
            try comeToRest()
            let outcome = try call { await $0.heal() }
            guard try wait(atMost: Self.patience, until: { outcome.value != nil }) else {
                throw SimulationFailure("healing never ends")
            }
        }
    }

    /// Delivers the events that are still lost, in any order, and a second time those that stay lost: a late write that
    /// was held off because of another may be superseded once a third was applied.
    func deliverLost() throws {
        for round in 0..<2 where hasLostEvents { try deliverLost(round: UInt64(round)) }
    }

    private func deliverLost(round: UInt64) throws {
        var random = SeededGenerator(seed: plan.seed ^ 0x6C_6F73_74 ^ round)
        for name in Self.libraryNames {
            guard let library = server.library(name) else { continue }
            var lost = lostEvents(name, library)
            for place in lost.indices { lost.swapAt(place, random.below(lost.count)) }
            if !lost.isEmpty { try ingest(lost.map { line($0, library) }, input: .max) }
        }
        try check(isThorough: true)
    }

    /// Checks that no sequence stays lost whose event arrived late, unless the event had to be held off.
    ///
    /// - Parameter source: The source that delivered the lost events, for messages.
    func checkFound(_ source: String) throws {
        guard !mayLack, hasLostEvents else { return }
        let seen = try look(isThorough: true)
        for name in Self.libraryNames {
            guard let library = server.library(name), let known = truth.libraries[name] else { continue }
            let account = accounts[name] ?? DeliveryAccount()
            for event in lostEvents(name, library)
            where account.mustTake(
                event, known, library.log, mayEvict: traits.entityCountMax != nil,
                isThere: { seen.entities[name]?[$0]?.fields != nil })
            {
                throw SimulationFailure("\(name): \(event.sequence) stays lost, and \(source) had it (L4)")
            }
        }
    }
}
