import Logging
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

extension Simulation {
    /// What a crash loses: unsynced data, or only the process.
    struct CrashKind {
        var loss: FaultDisk.Loss

        init(seed: UInt64) {
            loss = seed % 3 == 0 ? .process : .power(seed: seed)
        }
    }

    func newFolder() throws -> TemporaryFolder {
        if let parent { return try TemporaryFolder(in: parent) }
        return try TemporaryFolder()
    }

    /// Starts a process over the files in a folder.
    func open(_ folder: TemporaryFolder, on sameDisk: FaultDisk? = nil) throws {
        let disk = try sameDisk ?? FaultDisk(folder: folder.path)
        let outcome = Outcome<Result<(SyncCache, OpeningReport), StorageError>>()
        let (executor, clock, server, traits) = (executor, clock, server, traits)
        let random = SharedRandom(seed: self.random.next())
        let path = folder.path("cache.db")
        Task(executorPreference: executor) {
            var configuration = SQLiteJournal.Configuration(path: path)
            configuration.now = { clock.now() }
            configuration.random = { random.next() }
            configuration.enqueue = { executor.enqueueInLane($0) }
            configuration.dictionarySampleCountMin = 40
            configuration.blockEntityCountMin = traits.blockEntityCountMin
            configuration.movedCountPerStep = 3
            do throws(StorageError) {
                let journal = try await SQLiteJournal.open(configuration)
                let cache = try await SyncCache.open(
                    configuration: Simulation.configuration(traits, executor, random), journal: journal,
                    upstream: traits.hasUpstream ? server : nil, queryUpstream: server, clock: clock)
                outcome.set(.success((cache, await journal.openingReport)))
            } catch {
                outcome.set(.failure(error))
            }
        }
        executor.isLaneStalled = false
        guard try wait(atMost: 60_000, until: { outcome.value != nil }), let result = outcome.value else {
            throw SimulationFailure("opening the database never ends")
        }
        switch result {
        case .success(let (cache, report)):
            if case .rebuilt(_, let reason) = report {
                throw SimulationFailure("the database was created anew: \(reason) (L5)")
            }
            let process = SimulatedProcess(cache: cache, folder: folder, disk: disk)
            self.process = process
            let durable = process.durable
            followPlaces(of: cache)
            if traits.asksGraph { _ = try call { await Self.attachGraph(to: $0, server) } }
            _ = try call { await $0.observeDurability { durable.record($0) } }
            let counts = try call { await $0.counts() }.value ?? EventCounts()
            self.process?.countsAtStart = counts
        case .failure(let error):
            guard disk.isStopped else { throw SimulationFailure("the database does not open: \(error) (L5)") }
            // The process ended while it opened the database; another one opens the remains.
            trace?("    crash while opening: \(disk.place)")
            hasCrashed = true
            let next = try newFolder()
            try disk.writeImage(CrashKind(seed: plan.seed &+ UInt64(clock.now())).loss, to: next.path)
            try open(next)
        }
    }

    private static func configuration(
        _ traits: SimulationTraits, _ executor: SimulatedExecutor, _ random: SharedRandom
    ) -> CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.taskExecutor = executor
        configuration.random = { random.next() }
        configuration.stepClock = { 0 }
        configuration.flush.attemptCountMax = 2
        if traits.isDiskOnly { configuration.memoryByteCountMax = 0 }
        configuration.eviction.entityCountMax = traits.entityCountMax
        return configuration
    }

    /// Ends the process immediately, and lets another one open the remains.
    func crash(_ kind: CrashKind) throws {
        guard let old = process else { return }
        trace?("    crash: \(kind.loss), \(old.disk.place)")
        // The input that ended the process may have taken effect, in whole or in part.
        var last = truth
        for given in takeAnswers() { recordAnswer(given, isCertain: false, &last) }
        for call in underway { call.effect(&last, false) }
        snapshots.append((current?.number ?? .max, last))
        let next = try newFolder()
        try old.disk.writeImage(kind.loss, to: next.path)
        let durable = Self.libraryNames.map { ($0, old.durable.place(of: $0)) }
        // Code of the old process that still runs must not change its disk.
        old.disk.plan(.stop(.before), at: old.disk.changeCount + 1, count: .max, seed: 0)
        try shutDown(mayFail: true)
        hasCrashed = true
        let disk = try FaultDisk(folder: next.path)
        if self.random.chance(250) {
            let moment = self.random.pick(FaultDisk.Moment.allCases)
            disk.plan(.stop(moment), at: 1 + self.random.below(8), count: .max, seed: self.random.next())
            diskMayFail = true
        }
        try open(next, on: disk)
        if process?.disk.isStopped == true { return try crash(kind) }
        try followViews()
        // What came back can only be compared while it can be read.
        if process?.disk.isStopped == true { return try crash(kind) }
        try recover(durable)
        try startOutbox()
    }

    /// Closes the cache in an orderly way.
    func shutDown(mayFail: Bool) throws {
        guard let ending = process else { return }
        executor.isLaneStalled = false
        isClosing = true
        defer { isClosing = false }
        let outcome = try call { cache -> StorageError? in
            do throws(StorageError) {
                try await cache.close()
                return nil
            } catch {
                return error
            }
        }
        guard try wait(atMost: 600_000, until: { outcome.value != nil }) else {
            throw SimulationFailure("closing never ends")
        }
        // Closing answers the waiting calls with an error; a crashed process answers no call.
        if mayFail { underway = [] } else { collect() }
        if !mayFail, let error = outcome.value ?? nil, !diskMayFail {
            throw SimulationFailure("closing failed on a good disk: \(error)")
        }
        underway = []
        subscriptions = []
        definedViews.formUnion(ending.viewSink.defined)
        viewsUnderway = nil
        try leaveScopes()
        fresh = []
        process = nil
        server.with { $0.place = nil }
        questions.forgetAll()
        guard mayFail else { return }
        // After a crash, answers and calls are dropped; after an orderly end, the next process is checked against them.
        finished = []
        server.with { $0.given = [] }
    }

    /// Releases everything after a failure.
    func abandon() {
        guard let process else { return }
        process.disk.plan(.stop(.before), at: process.disk.changeCount + 1, count: .max, seed: 0)
        executor.isLaneStalled = false
        do { try shutDown(mayFail: true) } catch { self.process = nil }
    }

    /// Checks that the recovered state was true at some moment since the last acknowledgement.
    private func recover(_ durable: [(String, DurablePlace?)]) throws {
        let seen = try look(isThorough: true)
        try checkViews(seen)
        try checkFirstViews(seen)
        for (name, place) in durable {
            guard let place, let status = seen.statuses[name], status.epoch == place.epoch else { continue }
            guard let cursor = status.cursor, cursor >= place.sequence else {
                throw SimulationFailure(
                    "\(name) was durable at \(place.sequence) and came back at "
                        + "\(status.cursor.map { "\($0)" } ?? "nothing") (L5)")
            }
        }
        var reasons: [String] = []
        for place in snapshots.indices.reversed() {
            var candidate = snapshots[place].truth
            let next = place + 1 < snapshots.endIndex ? snapshots[place + 1].truth : nil
            if let reason = compareRecovered(&candidate, next, seen) {
                reasons.append("as after input \(snapshots[place].input): \(reason)")
            } else {
                trace?("    it is as after input \(snapshots[place].input)")
                unhide(&candidate, seen)
                truth = candidate
                // An upstream may have delivered lost events since the files were opened, and the next crash may undo
                // this.
                snapshots = [snapshots[place], (snapshots[place].input, candidate)]
                return
            }
        }
        for reason in reasons { trace?("    \(reason)") }
        throw SimulationFailure(
            "what came back was never true since it was acknowledged (L5); \(reasons.prefix(3).joined(separator: "; "))"
        )
    }

    /// For entities with layers, adds the candidates of every snapshot: their base is hidden, so any snapshot may be
    /// the one that was recovered.
    private func unhide(_ candidate: inout WorldTruth, _ seen: Seen) {
        for layer in candidate.layers {
            guard let library = server.library(layer.library) else { continue }
            for snapshot in snapshots {
                guard var other = snapshot.truth.libraries[layer.library] else { continue }
                // A snapshot that does not lead to the cache's position may still have a value that was written in
                // between.
                var followed = other
                if followed.follow(seen.statuses[layer.library], library, isSettled: true) == nil { other = followed }
                for (id, _) in layer.changes {
                    let known = candidate.libraries[layer.library]?.candidates(id) ?? []
                    candidate.libraries[layer.library]?.believe(id, known.union(other.candidates(id)))
                }
            }
        }
    }

    /// Compares a snapshot with the recovered state.
    ///
    /// - Parameter next: The state one input later, parts of which may be on disk.
    /// - Returns: The first difference in words; nil if there is none.
    private func compareRecovered(_ candidate: inout WorldTruth, _ next: WorldTruth?, _ seen: Seen) -> String? {
        for name in Self.libraryNames {
            guard let library = server.library(name) else { continue }
            if let problem = candidate.libraries[name]?.follow(seen.statuses[name], library, isSettled: true) {
                return "\(name): \(problem)"
            }
        }
        candidate.settleLayers()
        loosenSent(&candidate)
        if let next {
            for layer in next.layers where !candidate.layers.contains(where: { $0.pendingID == layer.pendingID }) {
                var layer = layer
                layer.isCertain = false
                candidate.layers.append(layer)
            }
            for index in candidate.layers.indices {
                let pendingID = candidate.layers[index].pendingID
                if next.layers.first(where: { $0.pendingID == pendingID })?.isCertain != true {
                    candidate.layers[index].isCertain = false
                }
            }
        }
        if let problem = candidate.follow(pending: seen.pending, mayComeLater: []) { return problem }
        let laid = candidate
        for (name, shown) in seen.entities {
            for (id, read) in shown {
                let fields = read.fields
                let isThere = { (base: ItemFields?) in
                    laid.visible(base, id: id, library: name, pending: seen.pending) == fields
                }
                let hasLayers = candidate.layers.contains { $0.library == name && $0.changes.contains { $0.id == id } }
                var library = candidate.libraries[name]
                let isRight = library?.narrow(id, base: hasLayers ? nil : .some(fields), isShown: isThere) ?? false
                if isRight {
                    candidate.libraries[name] = library
                    continue
                }
                let later = Set((next?.libraries[name]?.candidates(id) ?? []).filter { isThere($0.fields) })
                guard !later.isEmpty || mayLack && fields == nil else {
                    return "\(name) \(id) is \(read)"
                }
                candidate.libraries[name]?.believe(id, later.isEmpty ? [Candidate(fields: nil)] : later)
            }
        }
        return nil
    }
}
