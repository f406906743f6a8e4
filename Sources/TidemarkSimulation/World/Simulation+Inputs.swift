import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkTesting

extension Simulation {
    /// Performs an input.
    func perform(_ input: SimulationInput) throws {
        var random = SeededGenerator(seed: input.seed)
        let name = random.chance(800) ? "a" : "b"
        switch input.kind {
        case .change: append([(id(name, &random), change(name, &random))], name, &random)
        case .batch: appendBatch(name, &random)
        case .poison: append([], name, &random, isPoison: true)
        case .restart: restart(name, &random)
        case .restore: try restore(name, &random)
        case .deliver, .drop, .duplicate, .reorder, .truncate, .rubbish, .heartbeat:
            try transport(input, name, &random)
        case .lateCopy: try lateCopies(name, input: input.number, &random)
        case .lie: try lie(name, input: input.number, &random)
        case .upstreamFault:
            let faults = (0...random.below(4)).map { _ in random.pick(UpstreamFault.allCases) }
            server.with { $0.faults += faults }
        case .upstreamLate: server.with { $0.isLate.toggle() }
        case .queryFault: server.with { $0.queryFailureCount += 1 + random.below(3) }
        case .put: try put(input, name, random.pick(ServerQuery.allCases))
        case .fetch:
            // If answers race, most fetches are about one list.
            let query = traits.asksRacing && random.chance(600) ? .liked : random.pick(ServerQuery.allCases)
            try fetch(input, name, query)
        case .observe: try observe(name, random.pick(ServerQuery.allCases))
        case .cancel: try cancel(&random)
        case .stall: try stall(&random)
        case .invalidate: try invalidate(name, &random)
        case .clear: try clear(name)
        case .remove: try remove(input, name, &random)
        case .update: try update(input, name, &random)
        case .answerUpdate: try answerUpdate(input, &random)
        case .rollBack: try rollBack(input, &random)
        case .flush: try flush(input)
        case .wait: try wait(milliseconds: Int64(1 + random.below(120)))
        case .waitLong: try wait(milliseconds: Int64(1_000 + random.below(60_000)))
        case .slowDisk: executor.isLaneStalled.toggle()
        case .diskFails, .diskFull, .readFails, .stopAtChange: failDisk(input.kind, &random)
        case .kill: try crash(CrashKind(seed: input.seed))
        case .reopen: try reopen()
        case .writeDocument: try writeDocument(input, name, &random)
        case .fetchDocument: try fetchDocument(input, name, &random)
        case .watchDocument: try watchDocument(input, name, &random)
        case .mutateDocument: try mutateDocument(input, name, &random)
        }
    }

    // MARK: The server

    /// Draws an id: half of the draws pick one of five ids, the others one of many.
    private func id(_ library: String, _ random: inout SeededGenerator) -> String {
        let hot = ["k0", "k1", "k2", "c:0", "5eed0000-0000-4000-8000-0000000c0de5"]
        let id = random.chance(500) ? random.pick(hot) : "c\(random.below(traits.coldIDCount))"
        know(id, library)
        return id
    }

    private func know(_ id: String, _ library: String) {
        if ids[library]?.contains(id) != true { ids[library, default: []].append(id) }
    }

    private func value(_ name: String, _ random: inout SeededGenerator) -> String {
        switch name {
        case "n": random.pick(["0", "1", "2", "3", "1.0", "null"])
        // Many readers treat U+2028 as a line end; here it is not.
        case "t": random.pick([#""x""#, #""y""#, #""""#, "\"\u{2028}\""])
        // Odd numbers above 2^53, which no double represents exactly.
        default: traits.asksRacing ? "\(nextStamp())" : "\(9_007_199_254_740_993 + 2 * random.below(1_000_000))"
        }
    }

    func nextStamp() -> Int64 { server.with { $0.questions.nextStamp() } }

    private func fields(_ random: inout SeededGenerator) -> ItemFields {
        var fields = ItemFields()
        for name in ItemFields.names { fields.values[name] = value(name, &random) }
        return fields
    }

    private func change(_ library: String, _ random: inout SeededGenerator) -> ServerChange {
        switch random.weighted([6, traits.entityCountMax == nil ? 2 : 0, 2]) {
        case 0: return .replace(fields(&random))
        case 1:
            let name = random.pick(ItemFields.names)
            return .merge(ItemFields([name: value(name, &random)]))
        default: return .delete
        }
    }

    func append(
        _ changes: [(id: String, change: ServerChange)], _ name: String, _ random: inout SeededGenerator,
        mutation: String? = nil, isPoison: Bool = false
    ) {
        let skipping = traits.isFiltered && random.chance(300) ? Int64(1 + random.below(3)) : 0
        let stamp = traits.asksRacing ? nextStamp() : nil
        let line = server.with { state -> WireLine? in
            guard
                let event = state.libraries[name]?.append(
                    changes, mutation: mutation, isPoison: isPoison, skipping: skipping, stamp: stamp),
                let library = state.libraries[name]
            else { return nil }
            return WireLine(
                text: library.line(event), library: name, log: library.logs.count - 1, base: event.sequence - 1,
                sequence: event.sequence, isEvent: true, isSpoiled: isPoison)
        }
        if let line {
            trace?("    + \(line.text)")
            wire[name, default: []].append(line)
        }
    }

    private func appendBatch(_ name: String, _ random: inout SeededGenerator) {
        var changes: [(id: String, change: ServerChange)] = []
        for _ in 0..<2 + random.below(4) {
            let id = id(name, &random)
            if !changes.contains(where: { $0.id == id }) { changes.append((id, .replace(fields(&random)))) }
        }
        append(changes, name, &random)
    }

    /// Begins the log anew. Lines of the old log may still be in flight.
    private func restart(_ name: String, _ random: inout SeededGenerator) {
        guard let old = server.library(name) else { return }
        let base = random.chance(500) ? 0 : Int64(random.below(100))
        server.with { $0.libraries[name]?.restart(epoch: "e\(old.logs.count)", base: base) }
        process?.durable.forget(name)
        if random.chance(500) { wire[name] = [] }
        guard random.chance(500), let library = server.library(name) else { return }
        wire[name, default: []].append(
            WireLine(
                text: library.reset, library: name, log: library.logs.count - 1, base: nil, isReset: true))
    }

    /// Restores the server to a sequence before the cache's cursor, and announces it immediately: two histories of one
    /// epoch cannot be told apart once their lines mix.
    private func restore(_ name: String, _ random: inout SeededGenerator) throws {
        guard let library = server.library(name), let known = truth.libraries[name], let cursor = known.cursor,
            known.log == library.logs.count - 1, underway.isEmpty, process != nil,
            cursor > library.log.base, !diskMayFail, !executor.isLaneStalled
        else { return }
        let sequence = max(library.log.base, cursor - 1 - Int64(random.below(5)))
        server.with { state in
            state.libraries[name]?.restore(to: sequence)
            state.sent.restore(name, from: library.logs.count - 1, to: library.logs.count, through: sequence)
        }
        process?.durable.forget(name)
        wire[name] = []
        delivered.removeAll { $0.library == name }
        try beat(name)
        // A crash must not undo the cache's knowledge of this, or two histories of one epoch would mix.
        guard try flushCache().value == true else { throw SimulationFailure("a flush fails on a good disk") }
        try check(isThorough: false)
        snapshots = [(current?.number ?? .max, truth)]
    }

    /// Delivers a heartbeat, which names the end of the log.
    func beat(_ name: String) throws {
        guard let library = server.library(name) else { return }
        try ingest(
            [
                WireLine(
                    text: library.heartbeat, library: name, log: library.logs.count - 1, base: library.last,
                    isHeartbeat: true)
            ], input: current?.number ?? .max)
    }

    // MARK: The transport to the cache

    private func transport(_ input: SimulationInput, _ name: String, _ random: inout SeededGenerator) throws {
        var lines = wire[name] ?? []
        var arriving: [WireLine] = []
        func take(_ count: Int) {
            arriving += lines.prefix(count)
            lines.removeFirst(min(count, lines.count))
        }
        switch input.kind {
        case .drop: lines.removeFirst(min(1 + random.below(3), lines.count))
        case .duplicate:
            take(1)
            arriving += arriving
            if !delivered.isEmpty { arriving.append(random.pick(delivered)) }
        case .reorder:
            let count = min(2 + random.below(5), lines.count)
            for place in 0..<count { lines.swapAt(place, random.below(count)) }
            take(random.below(count + 1))
        case .truncate:
            take(1)
            if let line = arriving.first {
                let kept = random.below(line.text.utf8.count)
                arriving[0].text = String(decoding: line.text.utf8.prefix(kept), as: UTF8.self)
                arriving[0].isSpoiled = true
            }
            take(random.below(3))
        case .rubbish:
            let rubbish = ["", " ", "[]", "{", #""Pong""#, #"{"LogMessage":{}}"#, #"{"Nonsense":{}}"#, "\u{FF}x", "12"]
            for _ in 0...random.below(3) {
                arriving.append(
                    WireLine(text: random.pick(rubbish), library: name, log: 0, base: nil))
            }
            take(random.below(3))
        case .heartbeat: return try beat(name)
        default: take(1 + random.below(6))
        }
        wire[name] = lines
        guard !arriving.isEmpty else { return }
        try ingest(arriving, input: input.number)
    }

    /// Delivers lines to the cache.
    func ingest(_ arriving: [WireLine], input: Int) throws {
        guard process != nil else { return }
        let lines = arriving
        delivered = (delivered + lines.filter(\.isEvent)).suffix(32)
        let mayBeOvertaken = !isSettled
        for line in lines {
            if line.isReset {
                truth.libraries[line.library]?.heardReset()
                process?.durable.forget(line.library)
            }
            if line.isReset || line.log != truth.libraries[line.library]?.log { fresh.remove(line.library) }
            // An unusable line establishes no position, whatever sequence it names.
            guard let base = line.base, !line.isSpoiled else { continue }
            // The cache may follow that log from now on, and later return to this one at an earlier position.
            if line.log != truth.libraries[line.library]?.log { process?.durable.forget(line.library) }
            if let sequence = line.sequence {
                accounts[line.library, default: DeliveryAccount()].give(sequence, log: line.log)
            }
            let hasLies = truth.libraries[line.library]?.hasLies == true
            truth.libraries[line.library]?.heard(
                log: line.log, base: base, mayGoBack: line.isHeartbeat && (mayBeOvertaken || hasLies))
        }
        if let trace { for line in lines { trace("    > \(line.text)") } }
        let bytes = Array(lines.map { $0.text + "\n" }.joined().utf8)
        let count = Int64(lines.count)
        let outcome = try call { cache -> Bool in
            do throws(StorageError) {
                try await cache.ingest(bytes)
                return true
            } catch {
                return false
            }
        }
        follow(
            Underway(
                name: "ingest", input: input, isDelivery: true, lays: nil, isDone: { outcome.value != nil },
                effect: { _, _ in },
                finish: { world, _ in
                    if outcome.value == true {
                        world.process?.lineCount += count
                    } else if !world.diskMayFail, !world.isClosing {
                        world.noted = world.noted ?? SimulationFailure("lines were refused on a good disk (L7)")
                    }
                }))
    }

    // MARK: Disk and process

    private func failDisk(_ kind: SimulationInput.Kind, _ random: inout SeededGenerator) {
        guard let disk = process?.disk, !disk.isStopped else { return }
        let count = 1 + random.below(6)
        let ahead = 1 + random.below(12)
        switch kind {
        case .diskFails: disk.plan(.changeFails, at: disk.changeCount + ahead, count: count, seed: random.next())
        case .diskFull: disk.plan(.full, at: disk.changeCount + ahead, count: count, seed: random.next())
        case .readFails: disk.plan(.readFails, at: disk.readCount + ahead, count: count, seed: random.next())
        default:
            let moment = random.pick(FaultDisk.Moment.allCases)
            disk.plan(.stop(moment), at: disk.changeCount + ahead, count: .max, seed: random.next())
        }
        diskMayFail = true
    }

    private func reopen() throws {
        guard let old = process, !old.disk.isStopped else { return }
        old.disk.heal()
        try shutDown(mayFail: false)
        diskMayFail = false
        try open(old.folder, on: old.disk)
        try startOutbox()
    }
}
