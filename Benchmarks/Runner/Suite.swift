import ArgumentParser
import Foundation

/// The suites, each of which can be measured by itself.
enum Suite: String, CaseIterable, ExpressibleByArgument {
    case framing, decoding, apply, index, observers, layers, outbox, puts, ages, eviction, journal, layout
    case endToEnd = "end-to-end"
    case coldStart = "cold-start"
    case reads, scaling, sessions, serve, scopes
    case graphQL = "graphql"
    case delivery
    case jetStream = "jetstream"
    case http, views
    case portable, encryption
    case pastMemory = "past-memory"

    /// The description of the suite in a few words.
    var about: String {
        switch self {
        case .framing: "bytes to lines"
        case .decoding: "lines to events, validated whole"
        case .apply: "events to state, in memory"
        case .index: "events among queries"
        case .observers: "10,000 events a second to observers in the process"
        case .layers: "optimistic layers over entities"
        case .outbox: "edits that wait to be sent"
        case .puts: "memory that many puts in one request take"
        case .ages: "a policy in force"
        case .eviction: "making room, and what a small cache takes"
        case .journal: "storing, every entity once"
        case .layout: "small data files, as rows and as blocks"
        case .endToEnd: "a file of lines to memory and to disk, five events an entity"
        case .coldStart: "a cache that was filled before"
        case .reads: "entities by key"
        case .scaling: "the price of an event against what is there"
        case .sessions: "10,000 events a second through tidemark run"
        case .serve: "the same by HTTP: streams, and bodies of events"
        case .scopes: "parts of a library by HTTP, with the clients in a process of their own"
        case .graphQL: "documents of GraphQL over a cache in memory"
        case .delivery: "answers of GraphQL in parts, and subscriptions, from a server in memory"
        case .http: "stored HTTP answers"
        case .views: "live views, beside SQLite"
        case .jetStream: "a stream of a NATS server on this machine, which takes its share of the processors"
        case .encryption: "encrypted data files, beside plain ones"
        case .portable: "without simdjson and zstd, beside a build with them"
        case .pastMemory: "more entities than memory holds, beside RocksDB, each in a process of its own"
        }
    }

    /// Runs the suite, and adds its figures to a report.
    ///
    /// - Parameter entityCounts: The sizes for ``pastMemory``; empty for its default.
    func run(isSmoke: Bool, runs: Int, entityCounts: [Int] = [], into report: inout Report) async throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        report.begin(rawValue, "\(about); \(cores) cores, \(runs) runs, medians")
        switch self {
        case .framing: try await FramingSuite.run(.updates(isSmoke), runs: runs, into: &report)
        case .decoding: try await DecodingSuite.run(.updates(isSmoke), runs: runs, into: &report)
        case .apply: try await ApplySuite.run(.updates(isSmoke), runs: runs, into: &report)
        case .index: try await IndexSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .observers: try await ObserversSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .layers: try await LayersSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .outbox: try await OutboxSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .puts: try await PutsSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .ages: try await AgesSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .eviction:
            try EvictionSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
            if !isSmoke { try await FootprintSuite.run(into: &report) }
        case .journal: try await JournalSuite.run(.distinct(isSmoke), runs: runs, into: &report)
        case .layout: try await LayoutSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .endToEnd: try await EndToEndSuite.run(.updates(isSmoke), runs: runs, into: &report)
        case .coldStart: try await ColdStartSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .reads: try await ReadsSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .scaling: try await ScalingSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .sessions: try await SessionsSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .serve: try await ServeSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .scopes: try await ScopesSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .graphQL: try await GraphQLSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .delivery: try await DeliverySuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .http: try await HTTPSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .views: try await ViewsSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .jetStream: try await JetStreamSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        case .portable:
            try await PortableSuite.run(
                updates: .updates(isSmoke), distinct: .distinct(isSmoke), runs: runs, into: &report)
        case .encryption:
            try await EncryptionSuite.run(
                updates: .updates(isSmoke), distinct: .distinct(isSmoke), runs: runs, into: &report)
        case .pastMemory:
            try await PastMemorySuite.run(entityCounts: entityCounts, isSmoke: isSmoke, into: &report)
        }
    }
}

extension Workload {
    /// Returns a workload with five events for each entity.
    static func updates(_ isSmoke: Bool) -> Workload {
        Workload(entityCount: isSmoke ? 2_000 : 200_000, eventsPerEntity: 5)
    }

    /// Returns a workload with one event for each entity.
    static func distinct(_ isSmoke: Bool) -> Workload {
        Workload(entityCount: isSmoke ? 5_000 : 500_000, eventsPerEntity: 1)
    }
}
