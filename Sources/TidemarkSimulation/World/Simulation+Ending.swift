import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

extension Simulation {
    /// How long the cache may take to reach the server's state, in simulated milliseconds.
    static let patience: Int64 = 900_000

    /// Ends all faults. The cache must then reach the server's state, and keep it when it is opened again.
    func end() throws {
        server.with { state in
            state.faults = []
            state.queryFailureCount = 0
            state.isLate = false
        }
        executor.isLaneStalled = false
        while true {
            // The disk of a process that was started after a crash may be about to stop again.
            process?.disk.heal()
            try drain()
            guard try wait(atMost: Self.patience, until: { self.underway.isEmpty }) else {
                throw SimulationFailure("\(underway.map(\.name)) never ended")
            }
            guard process?.disk.isStopped == true else { break }
            try crash(CrashKind(seed: plan.seed))
        }
        diskMayFail = false
        try deliverAll()
        try settleEdits()
        try deliverAll()
        try check(isThorough: true)
        try takeBackLies()
        try deliverAll()
        try healAll()
        try check(isThorough: true)
        if traits.hasUpstream { try checkFound("the upstream") }
        try deliverLost()
        try checkFound("the stream")
        try becomeLive()
        try check(isThorough: true)
        try checkAllViews()
        try checkScopes()
        try compareWithServer()
        try reopenAndVerify()
    }

    func deliverAll() throws {
        for name in Self.libraryNames {
            try ingest(wire[name] ?? [], input: .max)
            wire[name] = []
            guard server.library(name).map({ $0.last > 0 || $0.logs.count > 1 }) == true else { continue }
            try beat(name)
        }
        try wait(milliseconds: 200)
        guard try wait(atMost: Self.patience, until: { self.isSettled }) else {
            throw SimulationFailure("\(underway.map(\.name)) never ended")
        }
        try check(isThorough: true)
    }

    /// Has the server answer every edit.
    private func settleEdits() throws {
        var random = SeededGenerator(seed: plan.seed)
        while let layer = truth.layers.first(where: { $0.request == nil }) {
            if layer.isHandled {
                try rollBack(layer.pendingID, .max)
            } else {
                try answer(layer, .max, &random, isSure: true)
            }
            try deliverAll()
            guard truth.layers.contains(where: { $0.pendingID == layer.pendingID }) else { continue }
            guard layer.isHandled else { continue }
            throw SimulationFailure("layer \(layer.pendingID) was rolled back and is still there (L2)")
        }
        if traits.sends { try drainOutbox() }
    }

    /// Waits until gaps close, and fetches the queries of stale libraries again.
    private func becomeLive() throws {
        try comeToRest()
        for status in try statuses() {
            let name = status.library.description
            if try status.phase == .stale || mayLack || isExcused(name) { try refresh(name) }
        }
        for status in try statuses() where status.phase == .stale {
            throw SimulationFailure("\(status.library) stays stale though everything was fetched")
        }
    }

    /// Waits until nothing is missing, held or requested.
    func comeToRest() throws {
        let isAtRest = {
            try self.statuses().allSatisfy { $0.phase == .live || $0.phase == .stale || $0.phase == .cold }
        }
        guard try wait(atMost: Self.patience, until: isAtRest) else {
            throw SimulationFailure("it never comes to the end of the log: \(try statuses())")
        }
        try check(isThorough: true)
    }

    private func refresh(_ name: String) throws {
        for query in ServerQuery.allCases where query != .local {
            try fetch(SimulationInput(number: .max, kind: .fetch, seed: 0), name, query)
        }
        guard try wait(atMost: Self.patience, until: { self.isSettled }) else {
            throw SimulationFailure("fetches never ended")
        }
        try check(isThorough: true)
    }

    private func statuses() throws -> [LibraryStatus] {
        guard let statuses = try call({ await $0.libraries() }).value else {
            throw SimulationFailure("asking for the libraries never ends")
        }
        return statuses
    }

    /// Checks that entities and cursors equal those of the server.
    private func compareWithServer() throws {
        let seen = try look(isThorough: true)
        for name in Self.libraryNames {
            guard let library = server.library(name) else { continue }
            if let status = seen.statuses[name], let cursor = status.cursor?.rawValue, cursor != library.last {
                throw SimulationFailure("\(name) ended at \(cursor), the server is at \(library.last) (L4)")
            }
            guard let known = truth.libraries[name], seen.statuses[name]?.cursor != nil else { continue }
            for id in ids[name] ?? [] {
                guard let shown = seen.entities[name]?[id] else { continue }
                let fields = shown.fields
                let wanted = library.entities[id]
                if fields == wanted { continue }
                // A change that a source never sent, or sent for another log, cannot be known.
                let hasAll = wanted.map { $0.values.allSatisfy { fields?.values[$0.key] == $0.value } } ?? true
                let isMisplaced = known.candidates(id).count > 1 || known.isMisplaced(id)
                // A field that an answer lacks stays, although the server may have removed it.
                let isPartial = hasAll && known.candidates(id).contains { $0.isAnswer || !$0.named.isEmpty }
                let isExcused = try isPartial || isExcused(name) && (hasAll || isMisplaced)
                guard isExcused else {
                    throw SimulationFailure(
                        "\(name) \(id) ended as \(shown), the server has "
                            + "\(wanted.map { "\($0)" } ?? "nothing") (L1)")
                }
            }
        }
    }

    /// True if the cache may have missed events: lost or denied ones, or those of a log that ended.
    private func isExcused(_ name: String) throws -> Bool {
        let isLost = try statuses().contains { $0.library.description == name && !$0.lost.isEmpty }
        return isLost || (server.library(name)?.logs.count ?? 0) > 1
            || truth.libraries[name]?.hasGaps == true
    }

    private func reopenAndVerify() throws {
        guard let old = process else { return }
        let before = try look(isThorough: true)
        try shutDown(mayFail: false)
        do {
            let problems = try SQLiteReader(path: old.folder.path("cache.db")).verify().problems
            if !problems.isEmpty { throw SimulationFailure("verify: \(problems)") }
        } catch let error as StorageError {
            throw SimulationFailure("verify: \(error)")
        }
        try open(old.folder, on: old.disk)
        try followViews()
        let after = try look(isThorough: true)
        try checkViews(after)
        try checkFirstViews(after)
        for name in Self.libraryNames {
            guard before.statuses[name]?.cursor == after.statuses[name]?.cursor else {
                throw SimulationFailure("\(name) came back at another position (L5)")
            }
            for (id, shown) in before.entities[name] ?? [:] where after.entities[name]?[id] != shown {
                guard traits.entityCountMax == nil else { continue }
                throw SimulationFailure("\(name) \(id) came back different (L5)")
            }
        }
        try shutDown(mayFail: false)
    }
}
