import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// A small database, written through the journal itself: three libraries, a tombstone, three queries, two records in
/// quarantine.
struct DatabaseFixture {
    let folder: TemporaryFolder

    var path: String { folder.path("a.db") }

    init() async throws {
        folder = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(path: folder.path("a.db"))
        _ = try await journal.recover()
        try await journal.commit(DatabaseFixture.flush())
        try await journal.close()
    }

    /// Adds layers to the database.
    func addLayers(_ layers: [LayerRecord]) async throws {
        let journal = try await SQLiteJournal.open(path: path)
        var flush = FlushBatch()
        flush.layers = layers
        try await journal.commit(flush)
        try await journal.close()
    }

    /// Runs a command on the database.
    func run(_ arguments: [String]) async throws -> CommandResult {
        try await CommandRunner().run(arguments + ["--db", path])
    }

    private static func flush() -> FlushBatch {
        var flush = FlushBatch()
        flush.newLibraries = [(0, ""), (1, "home"), (2, "work")]
        flush.newTypes = [(0, "file"), (1, "album")]
        let entities: [(library: LibraryIndex, type: TypeIndex, id: ByteString, resource: String)] = [
            (0, 0, "1", #"{"id":"1","n":1.10}"#),
            (1, 0, "0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001", #"{"id":"0C5F4D0E-6A77-4F5E-9B53-6D9AD2A7C001"}"#),
            (1, 1, "summer", #"{"id":"summer","name":"Été"}"#),
            (1, 1, "\u{1B}[31m", #"{"id":"\u001b[31m"}"#),
            (2, 0, "1", #"{"id":"1","big":18446744073709551615}"#),
        ]
        for (index, entity) in entities.enumerated() { append(entity, row: Int64(index + 1), to: &flush) }
        flush.tombstones = [
            FlushTombstone(
                key: StoredKey(library: 1, type: 0, id: StoredID("gone")),
                tombstone: Tombstone(sequence: EventSequence(4), generation: 0, deletedAt: 0))
        ]
        flush.libraries = [
            LibraryRecord(
                index: 0, name: "", epoch: nil, generation: 0, cursor: nil, isStale: false, lost: [], entityCount: 1),
            LibraryRecord(
                index: 1, name: "home", epoch: "a", generation: 0, cursor: EventSequence(9), isStale: true,
                lost: [
                    LostRange(first: EventSequence(2), last: EventSequence(2)),
                    LostRange(first: EventSequence(5), last: EventSequence(7)),
                ], entityCount: 3),
            LibraryRecord(
                index: 2, name: "work", epoch: nil, generation: 0, cursor: EventSequence(1), isStale: false, lost: [],
                entityCount: 1),
        ]
        flush.queries = queries
        flush.quarantine = [
            QuarantineRecord(
                kind: .line, reason: .notJSON, line: 7, offset: 812, library: nil, sequence: nil, receivedAt: 0,
                bytes: Array("<html>\u{1B}[2J".utf8), byteCount: 10),
            QuarantineRecord(
                kind: .member, reason: .missingID, line: 8, offset: 823, library: "home", sequence: EventSequence(3),
                receivedAt: 1_769_076_334_149, bytes: Array(#"{"name":"x"}"#.utf8), byteCount: 5_000),
        ]
        var counts = EventCounts()
        counts.lines = 12
        counts.applied = 9
        counts.ignored = 1
        counts.quarantined = 1
        counts.blank = 1
        counts.membersQuarantined = 1
        flush.counts = counts
        flush.ignoredKinds = ["JobProgress": 1]
        return flush
    }

    private static let queries = [
        QueryRecord(
            number: 1, library: 1, type: 1, method: "albums.list", input: #"{"sort":"name"}"#, timeToLive: 60_000,
            asOf: EventSequence(9), storedAt: 1_769_076_334_149,
            elements: [QueryElement(id: .text("summer")), QueryElement(id: .text("\u{1B}[31m"))]),
        QueryRecord(
            number: 2, library: 2, type: 0, method: "files.list", input: #"{"n":1.10,"name":"\u001b[31m"}"#,
            tags: #"["x"]"#, membership: #"{"resource_type":"file"}"#, isLocal: true, timeToLive: 1_500,
            storedAt: 1_769_076_334_149, staleSince: 1_769_076_334_150,
            elements: [
                QueryElement(id: .text("1"), sortKey: [1]), QueryElement(id: .text("none"), sortKey: [2]),
            ]),
        QueryRecord(
            number: 5, library: 1, type: 0, method: "files.list", input: "null", storedAt: 0,
            elements: [QueryElement(id: StoredID("0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001"))]),
    ]

    private static func append(
        _ entity: (library: LibraryIndex, type: TypeIndex, id: ByteString, resource: String), row: Int64,
        to flush: inout FlushBatch
    ) {
        let id: [UInt8]
        let isUUID: Bool
        switch StoredID(entity.id) {
        case .uuid(let value): (id, isUUID) = (value.bytes, true)
        case .text(let text): (id, isUUID) = (text.bytes, false)
        }
        let payload = Array(entity.resource.utf8)
        flush.rows.append(
            FlushRow(
                row: row, change: .insert, library: entity.library, type: entity.type, isUUID: isUUID,
                idOffset: flush.bytes.count, idCount: id.count, payloadOffset: flush.bytes.count + id.count,
                payloadCount: payload.count, sequence: entity.library == 0 ? nil : EventSequence(row),
                generation: 0, writtenAt: 1_769_076_334_149))
        flush.bytes += id + payload
    }
}
