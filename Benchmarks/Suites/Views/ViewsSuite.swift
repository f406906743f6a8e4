import Foundation
import GRDB
import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkTesting
import TidemarkViews

/// Live views: what an event costs, what filling costs beside SQLite, and what uses of one rule cost.
enum ViewsSuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let size = ViewsFixture.Size(issueCount: isSmoke ? 2_000 : 1_000_000, projectCount: isSmoke ? 20 : 10_000)
        try await throughCache(size, eventCount: isSmoke ? 1_000 : 50_000, runs: runs, into: &report)
        let fixture = ViewsFixture(size)
        try hydration(fixture, isSmoke: isSmoke, into: &report)
        try windows(fixture, count: isSmoke ? 200 : 5_000, into: &report)
        try renames(fixture, count: isSmoke ? 20 : 500, into: &report)
        try groups(fixture, count: isSmoke ? 500 : 20_000, runs: runs, into: &report)
        try uses(isSmoke: isSmoke, runs: runs, into: &report)
        try feed(isSmoke: isSmoke, into: &report)
    }

    /// Changes of issues beside 100 uses of a join, for ``CountedWork``.
    static func counted(eventCount: Int) throws -> CountedRounds {
        let fixture = ViewsFixture(ViewsFixture.Size(issueCount: 2_000, projectCount: 100))
        var views = ViewSet()
        for view in 0..<100 {
            _ = try fixture.open(ViewsFixture.join(parameter: true), &views, params: #"{"status":"s\#(view)"}"#)
        }
        var created = 2_000_000
        return CountedRounds {
            var told = 0
            for event in 0..<eventCount {
                created += 1
                let key = ViewsFixture.key("issue", event &* 7_919 % fixture.size.issueCount)
                told += fixture.change(key, created: created, &views)
            }
            return UInt64(told)
        }
    }

    // MARK: Through a cache

    /// Events through a cache in memory with 100 observed views, beside the same cache without views.
    private static func throughCache(
        _ size: ViewsFixture.Size, eventCount: Int, runs: Int, into report: inout Report
    ) async throws {
        let sink = CountingSink()
        let bare = try await ViewsFixture.cache(size)
        let subject = try await ViewsFixture.cache(size)
        try await ViewEngine.attach(to: subject)
        for view in 0..<100 { try await observe(view, in: subject, sink) }
        var sets: [[UInt8]] = []
        for set in 0...runs { sets.append(ViewsFixture.updates(size, count: eventCount, seed: UInt64(set))) }
        var (referenceRun, run) = (0, 0)
        report.add(
            try await Measurement.compare(
                "update, 100 views", count: eventCount, runs: runs, goal: 1 / 0.7, referenceName: "no views",
                reference: {
                    defer { referenceRun += 1 }
                    try await bare.ingest(sets[referenceRun])
                    return 1
                },
                subject: {
                    defer { run += 1 }
                    try await subject.ingest(sets[run])
                    return 1
                }))
        try await latency(subject, sink, size, into: &report)
        try await bare.close()
        try await subject.close()
    }

    /// The time from the call that ingests one event until its notification was given.
    private static func latency(
        _ cache: SyncCache, _ sink: CountingSink, _ size: ViewsFixture.Size, into report: inout Report
    ) async throws {
        var latencies: [Int64] = []
        for event in 0..<2_000 {
            let line = ViewsFixture.issueLine(event % size.issueCount, size, created: 2_000_000 + event)
            let before = sink.count
            let start = ContinuousClock.now
            try await cache.ingest(line)
            let spent = ContinuousClock.now - start
            if sink.count > before { latencies.append(Int64(spent.inSeconds * 1e9)) }
        }
        let hash = UInt64(latencies.count)
        Latencies(latencies).report("event to view.changed", goal: 500, hash: hash, into: &report)
    }

    private static func observe(_ view: Int, in cache: SyncCache, _ sink: CountingSink) async throws {
        var request = ViewRequest(
            library: "", view: .rule(try ViewRule(json: Array(ViewsFixture.join(parameter: true).utf8))))
        request.params = Array(#"{"status":"s\#(view)"}"#.utf8)
        let asked = request
        await cache.withWing(ViewEngine.self) { engine, cache in
            await engine.observe(asked, sink: sink, in: cache) { result in
                if case .failure(let error) = result { preconditionFailure("\(error)") }
            }
        }
    }

    // MARK: Filling

    /// A join with groups over all entities, beside SQLite's answer to the same question.
    private static func hydration(_ fixture: ViewsFixture, isSmoke: Bool, into report: inout Report) throws {
        let database = try fixture.database()
        var own: [Double] = []
        var theirs: [Double] = []
        var hash: UInt64 = 0
        for _ in 0..<3 {
            var views = ViewSet()
            let start = ContinuousClock.now
            let window = try fixture.open(ViewsFixture.grouped, &views)
            own.append((ContinuousClock.now - start).inSeconds * 1_000)
            let rows = views.result(window)?.total ?? 0
            let middle = ContinuousClock.now
            let count = try database.read { db in try Row.fetchAll(db, sql: ViewsFixture.groupedSQL).count }
            theirs.append((ContinuousClock.now - middle).inSeconds * 1_000)
            precondition(rows == count, "\(rows) groups, SQLite has \(count)")
            hash = UInt64(rows)
        }
        report.add(
            name: "hydration of a join with groups", values: own, unit: "ms", count: fixture.size.issueCount,
            referenceName: "SQLite", referenceValues: theirs, goal: 1, hash: hash)
    }

    // MARK: Changes

    /// An update that moves an issue into the window's edge, in a window at row 50 and in one far behind.
    private static func windows(_ fixture: ViewsFixture, count: Int, into report: inout Report) throws {
        var views = ViewSet()
        let far = fixture.size.issueCount / 10
        var times: [Double] = []
        for offset in [0, far] {
            let window = try fixture.open(ViewsFixture.join(parameter: false), &views, offset: offset)
            let keys = views.result(window)?.keys ?? []
            guard case .entities(let row)? = keys.last, let key = row.first ?? nil else { continue }
            let start = ContinuousClock.now
            for event in 0..<count {
                // The last row of the window leaves it and returns, so that another one moves over the edge.
                fixture.change(key, created: event % 2 == 0 ? -1 : nil, &views)
            }
            times.append((ContinuousClock.now - start).inSeconds * 1e6 / Double(count))
            fixture.change(key, created: nil, &views)
            views.close(window)
        }
        report.add(
            name: "window's edge at row \(far)", values: [times[1]], unit: "µs/event", count: count,
            referenceName: "at row 50", referenceValues: [times[0]], goal: 1.2, hash: UInt64(count))
    }

    /// A project gets another name; all of its 100 issues are visible.
    private static func renames(_ fixture: ViewsFixture, count: Int, into report: inout Report) throws {
        var views = ViewSet()
        _ = try fixture.open(ViewsFixture.ofProject, &views, params: #"{"project":"7"}"#)
        let start = ContinuousClock.now
        var told = 0
        for event in 0..<count { told += fixture.rename(7, "name \(event)", &views) }
        let spent = (ContinuousClock.now - start).inSeconds * 1e6 / Double(count)
        report.add(
            name: "project renamed, 100 issues visible", value: spent, unit: "µs", goal: 150, hash: UInt64(told))
    }

    /// An event that changes one of the groups.
    private static func groups(_ fixture: ViewsFixture, count: Int, runs: Int, into report: inout Report) throws {
        var views = ViewSet()
        _ = try fixture.open(ViewsFixture.grouped, &views)
        let start = ContinuousClock.now
        var told = 0
        for event in 0..<count {
            let key = ViewsFixture.key("issue", event * 31 % fixture.size.issueCount)
            told += fixture.change(key, created: 3_000_000 + event, &views)
        }
        let spent = (ContinuousClock.now - start).inSeconds * 1e6 / Double(count)
        report.add(
            name: "event in \(fixture.size.projectCount) groups", value: spent, unit: "µs", goal: 2,
            hash: UInt64(told))
    }

    /// Uses of one rule with different parameters.
    private static func uses(isSmoke: Bool, runs: Int, into report: inout Report) throws {
        let fixture = ViewsFixture(ViewsFixture.Size(issueCount: 20_000, projectCount: 200))
        let many = isSmoke ? 1_000 : 10_000
        var times: [Double] = []
        var bytes: [Int] = []
        for useCount in [10, many] {
            var views = ViewSet()
            for use in 0..<useCount {
                // The first ten show a project each; the others wait for one.
                _ = try fixture.open(
                    ViewsFixture.ofProject, &views, params: #"{"project":"\#(use < 10 ? use : -use)"}"#)
            }
            let start = ContinuousClock.now
            for event in 0..<2_000 {
                let key = ViewsFixture.key("issue", event * 31 % fixture.size.issueCount)
                fixture.change(key, created: useCount * 1_000 + event, &views)
            }
            times.append((ContinuousClock.now - start).inSeconds * 1e6 / 2_000)
            bytes.append(views.byteCount)
        }
        report.add(
            name: "event beside \(many) uses", values: [times[1]], unit: "µs", count: 2_000,
            referenceName: "10 uses", referenceValues: [times[0]], goal: 1.3, hash: UInt64(many))
        report.add(
            name: "a use without rows", value: Double(bytes[1] - bytes[0]) / Double(many - 10), unit: "B", goal: 512,
            hash: UInt64(many))
    }

    /// A post reaches the feeds of everybody who follows its author.
    private static func feed(isSmoke: Bool, into report: inout Report) throws {
        for (subscriberCount, goal) in [(10, 30.0), (100, 60), (1_000, 300), (10_000, 3_000)] {
            if isSmoke, subscriberCount > 100 { break }
            let fixture = ViewsFixture(followers: subscriberCount)
            var views = ViewSet()
            for user in 0..<subscriberCount {
                _ = try fixture.open(ViewsFixture.feed, &views, params: #"{"me":"u\#(user)"}"#)
            }
            let count = 50
            let start = ContinuousClock.now
            var told = 0
            for post in 0..<count { told += fixture.post(post, &views) }
            let spent = (ContinuousClock.now - start).inSeconds * 1e6 / Double(count)
            precondition(told == count * subscriberCount, "\(told) feeds were told of")
            report.add(
                name: "post to \(subscriberCount) feeds", value: spent, unit: "µs", goal: goal, hash: UInt64(told))
        }
    }
}
