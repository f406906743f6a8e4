import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Pauses in every order, with changes, reads, other writers and closings between and within them, against a
/// dictionary.
@Suite(.pooled, .tags(.model)) struct SuspensionWalkTests {
    @Test(arguments: [EntityLayout.rows, .blocks], TestScale.seeds(8))
    func `a walk with pauses ends as one without them`(layout: EntityLayout, seed: UInt64) async throws {
        var walk = try await SuspensionWalk(seed: seed, layout: layout)
        try await walk.run()
    }
}

/// A cache, what it must contain, and the steps of a walk.
private struct SuspensionWalk {
    private var walk: RandomWalk
    private var random: SeededGenerator
    private let fixture: SuspensionFixture
    private let layout: EntityLayout
    private var cache: SyncCache
    private var input: HandInput
    /// The number of each entity that exists.
    private var model: [String: Int] = [:]
    private var isSuspended = false
    /// The lines that wait for the end of a pause, or for a pause to begin.
    private var waiting: [(id: String, n: Int, task: Task<StorageError.Code?, Never>)] = []

    init(seed: UInt64, layout: EntityLayout) async throws {
        walk = RandomWalk(seed: seed)
        random = SeededGenerator(seed: seed)
        fixture = try SuspensionFixture()
        self.layout = layout
        cache = try await fixture.open(layout: layout)
        input = try await HandInput(into: cache)
    }

    mutating func run() async throws {
        while walk.next(of: 60) {
            if isSuspended { try await stepOfPause() } else { try await step() }
        }
        try await reopen()
        try await checkAll()
        try await cache.close()
    }

    private mutating func draw() -> (id: String, n: Int) { ("\(random.below(12))", random.below(1_000)) }

    // MARK: Between pauses

    private mutating func step() async throws {
        let (id, n) = draw()
        switch random.weighted([30, 10, 10, 10, 10, 25, 5]) {
        case 0:
            walk.note("change \(id) to \(n)")
            try await cache.change(id, n)
            model[id] = n
        case 1:
            walk.note("delete \(id)")
            try await cache.ingest(Array(EventLine.delete(id, type: "t").utf8))
            model[id] = nil
        case 2:
            walk.note("flush")
            try await cache.flush()
        case 3:
            walk.note("relieve memory")
            await cache.relieveMemory()
        case 4: try await check(id)
        case 5:
            // Lines that arrive while the pause begins are before or after it.
            for _ in 0..<random.below(3) { feed() }
            walk.note("suspend")
            try await cache.suspend()
            isSuspended = true
            try await checkAtRest()
        default: try await reopen()
        }
    }

    // MARK: In a pause

    private mutating func stepOfPause() async throws {
        let (id, n) = draw()
        switch random.weighted([20, 15, 10, 35, 5, 10, 5]) {
        case 0: try await check(id)
        case 1: feed()
        case 2:
            walk.note("change \(id) during a pause")
            let code = await storageCode { try await cache.change(id, n) }
            try walk.check(code == .suspended ? [] : ["a change throws \(String(describing: code))"])
        case 3: try await resume()
        case 4: try await reopen()
        case 5: try await moveAway()
        default: try await otherWriter(id, n)
        }
    }

    /// Feeds a line without waiting until it is applied.
    private mutating func feed() {
        let (id, n) = ("late\(walk.step)-\(waiting.count)", walk.step)
        walk.note("feed \(id)")
        let input = input
        waiting.append(
            (
                id, n,
                Task {
                    await storageCode {
                        try await input.feed([EventLine.change(#"{"id":"\#(id)","n":\#(n)}"#, type: "t")])
                    }
                }
            ))
    }

    private mutating func resume() async throws {
        walk.note("resume")
        try await cache.resume()
        isSuspended = false
        for line in waiting {
            let code = await line.task.value
            try walk.check(code == nil ? [] : ["feeding \(line.id) throws \(String(describing: code))"])
            model[line.id] = line.n
            try await check(line.id)
        }
        waiting = []
    }

    /// Closes the cache and opens it again. Lines that wait are refused, or were applied before the pause.
    ///
    /// - Parameter wasChanged: True if another program wrote the file. A line that came into memory while the pause
    ///   began cannot be written then.
    private mutating func reopen(wasChanged: Bool = false) async throws {
        walk.note("close")
        let code = await storageCode { try await cache.close() }
        try walk.check(
            code == nil || wasChanged && code == .changed ? [] : ["closing throws \(String(describing: code))"])
        for line in waiting where await line.task.value == nil { model[line.id] = line.n }
        waiting = []
        isSuspended = false
        cache = try await fixture.open(layout: layout)
        input = try await HandInput(into: cache)
    }

    private mutating func moveAway() async throws {
        walk.note("move the file away and back")
        let manager = FileManager.default
        try manager.moveItem(atPath: fixture.path, toPath: fixture.path + ".away")
        let code = await storageCode { try await cache.resume() }
        try manager.moveItem(atPath: fixture.path + ".away", toPath: fixture.path)
        try walk.check(code == .notFound ? [] : ["resuming without a file throws \(String(describing: code))"])
        try await checkAtRest()
    }

    private mutating func otherWriter(_ id: String, _ n: Int) async throws {
        walk.note("another writer changes \(id) to \(n)")
        let other = try await fixture.open(layout: layout)
        try await other.change(id, n)
        let locked = await storageCode { try await cache.resume() }
        try await other.close()
        let changed = await storageCode { try await cache.resume() }
        try walk.check(
            locked == .locked && changed == .changed
                ? [] : ["resuming throws \(String(describing: locked)), then \(String(describing: changed))"])
        try await reopen(wasChanged: true)
        model[id] = n
    }

    // MARK: Checks

    private func wanted(_ id: String) -> String? { model[id].map { #"{"id":"\#(id)","n":\#($0)}"# } }

    /// Reads an entity. In a pause, one that memory does not have cannot be read.
    private mutating func check(_ id: String) async throws {
        walk.note("read \(id)")
        do throws(StorageError) {
            let value = try await cache.value(id)
            guard value != wanted(id) else { return }
            throw StorageError(.damaged, "\(id) is \(value ?? "absent"), not \(wanted(id) ?? "absent")", advice: "")
        } catch {
            try walk.check(error.code == .suspended && isSuspended ? [] : [error.message])
        }
    }

    /// Looks at a suspended cache from outside: nothing is open or locked, and the file has everything.
    private func checkAtRest() async throws {
        var problems: [String] = fixture.openFiles.map { "\($0) is open" }
        if try await !fixture.isUnlocked() { problems.append("the file is locked") }
        for number in 0..<12 where try fixture.stored("\(number)") != wanted("\(number)") {
            problems.append("the file has another value of \(number)")
        }
        try walk.check(problems)
    }

    private mutating func checkAll() async throws {
        for id in Set((0..<12).map(String.init)).union(model.keys).sorted() { try await check(id) }
        let count = await cache.entityCount()
        try walk.check(count == model.count ? [] : ["\(count) entities, not \(model.count)"])
    }
}
