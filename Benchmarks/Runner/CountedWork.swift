import ArgumentParser
import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkStore

/// The paths that a user's time is spent on. `make bench-guard` counts the instructions of each.
enum CountedWork: String, CaseIterable, ExpressibleByArgument {
    /// Decodes lines to events.
    case decoding
    /// Decodes lines to events and applies them to a state.
    case state
    /// Applies events to elements of ten observed lists.
    case lists
    /// Edits an element of ten observed lists optimistically, and rolls the edit back.
    case layers
    /// Applies changes of issues that 100 live views join with their projects.
    case views
    /// Looks entities up in a state.
    case reads
    /// Reads entities that only the data file has, one by one.
    case disk
    /// Reads and checks all entities of a data file.
    case walk
    /// Takes lines through the engine into a data file that is new.
    case durable
    /// Writes the response to a GraphQL document, and reads the document.
    case documents
    /// Answers requests from stored HTTP responses that are fresh.
    case responses

    /// How many units a round has, each one of what ``unit`` says.
    var unitCount: Int {
        switch self {
        case .decoding, .state, .durable: CountedWork.workload.lineCount
        case .lists, .views, .reads: 2_000
        case .layers, .responses: 200
        case .disk: 500
        case .walk: CountedWork.workload.entityCount
        case .documents: GraphQLSuite.countedObjectCount
        }
    }

    var unit: String {
        switch self {
        case .decoding, .state, .lists, .views, .durable: "an event"
        case .layers: "an edit"
        case .reads, .disk: "a read"
        case .walk: "an entity"
        case .documents: "an object"
        case .responses: "a hit"
        }
    }

    /// The lines of those works that read lines: 4,000 of 800 entities.
    static let workload = Workload(entityCount: 800, eventsPerEntity: 5)

    /// Prepares the work.
    func prepare() async throws -> CountedRounds {
        switch self {
        case .decoding:
            return CountedRounds {
                var eventCount = 0
                try CountedWork.workload.decode { eventCount += $0.events.count }
                return UInt64(eventCount)
            }
        case .state:
            return CountedRounds {
                var state = ApplySuite.emptyState()
                try CountedWork.workload.decode { state.apply($0, at: 1) }
                return ApplySuite.digest(state)
            }
        case .lists: return try IndexSuite.counted(eventCount: unitCount)
        case .layers: return try LayersSuite.counted(editCount: unitCount)
        case .views: return try ViewsSuite.counted(eventCount: unitCount)
        case .reads: return try ReadsSuite.counted(readCount: unitCount)
        case .disk: return try await ReadsSuite.countedFromDisk(readCount: unitCount)
        case .walk: return try await CountedWork.walk()
        case .durable: return try CountedWork.durable()
        case .documents: return try await GraphQLSuite.counted()
        case .responses: return try await HTTPSuite.counted(hitCount: unitCount)
        }
    }

    private static func durable() throws -> CountedRounds {
        let folder = try ScratchFolder()
        let input = try Ingest.write(workload, to: folder)
        return CountedRounds {
            try folder.removeDatabase("cache.db")
            return try await Ingest.run(input, into: try await SQLiteJournal.open(path: folder.path("cache.db")))
        }
    }

    private static func walk() async throws -> CountedRounds {
        let folder = try ScratchFolder()
        let path = folder.path("cache.db")
        _ = try await Ingest.run(
            try Ingest.write(workload, to: folder), into: try await SQLiteJournal.open(path: path))
        return CountedRounds {
            _ = folder
            var byteCount: UInt64 = 0
            try SQLiteReader(path: path).walk { step in
                if case .entity(let entity) = step { byteCount += UInt64(entity.payload.count) }
                return true
            }
            return byteCount
        }
    }
}

/// Prepared work whose rounds cost the same.
struct CountedRounds {
    /// Does one round, and returns a hash of its results.
    let round: () async throws -> UInt64
    /// Closes what the work has opened.
    let end: () async throws -> Void

    init(end: @escaping () async throws -> Void = {}, round: @escaping () async throws -> UInt64) {
        self.round = round
        self.end = end
    }
}
