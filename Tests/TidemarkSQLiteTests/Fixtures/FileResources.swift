import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Synthetic `file` resources of some 440 bytes, like those in a file manager's log, and flushes of them.
struct FileResources {
    private struct Entry {
        var uuid: UUIDValue
        var name: String
        var folder: String
        var size: Int
        var tags: String
        var modified: Int
        var row: Int64 = 0
        var tail: String
    }

    private static let words = """
        alpha beach cabin delta ember forest garden harbor island jungle kernel lemon meadow north ocean piano quartz \
        river summer tundra umbra valley winter yellow zephyr
        """.split(separator: " ").map(String.init)
    private static let kinds = [
        ("image", "jpg"), ("video", "mp4"), ("document", "pdf"), ("audio", "flac"), ("archive", "zip"),
        ("code", "swift"),
    ]
    private static let tagNames = ["red", "blue", "work", "home", "2024", "2025", "raw", "todo", "fav", "trip"]

    private var random: SeededGenerator
    private var entries: [Entry] = []
    private var lastRow: Int64 = 0
    private(set) var sequence: Int64 = 0
    /// The bytes of the last version of every entity.
    private(set) var payloadByteCount = 0
    private var sizes: [Int]

    init(count: Int, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        sizes = Array(repeating: 0, count: count)
        for index in 0..<count { entries.append(makeEntry(index)) }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func uuid() -> UUIDValue { UUIDValue(high: random.next(), low: random.next()) }

    private mutating func makeEntry(_ index: Int) -> Entry {
        let (kind, suffix) = pick(FileResources.kinds)
        let content = String(decoding: uuid().text, as: UTF8.self)
        let hash = String(random.next() | 1 << 63, radix: 16)
        let tail = """
            "extension":"\(suffix)","kind":"\(kind)","favorite":\(random.next() % 20 == 0),\
            "created_at":"2024-\(10 + random.next() % 3)-\(10 + random.next() % 19)T0\(random.next() % 10):11:\(10 + random.next() % 50)Z",\
            "content_identity":{"uuid":"\(content)","kind":"\(kind)","integrity_hash":"\(hash)","entry_count":1}
            """
        return Entry(
            uuid: uuid(), name: "\(pick(FileResources.words))_\(pick(FileResources.words))_\(index)",
            folder: "/Users/ada/Pictures/\(pick(FileResources.words))/\(pick(FileResources.words))",
            size: Int(random.next() % 5_000_000_000), tags: randomTags(), modified: Int(random.next() % 10_000_000),
            tail: tail)
    }

    private mutating func randomTags() -> String {
        let tags = (0..<Int(random.next() % 4)).map { _ in "\"\(pick(FileResources.tagNames))\"" }
        return "[\(tags.joined(separator: ","))]"
    }

    private func json(_ entry: Entry) -> String {
        """
        {"id":"\(String(decoding: entry.uuid.text, as: UTF8.self))","name":"\(entry.name)",\
        "path":"\(entry.folder)/\(entry.name)","size":\(entry.size),"tags":\(entry.tags),\
        "modified_at":"2025-03-04T12:13:14.\(100_000 + entry.modified % 900_000)Z",\(entry.tail)}
        """
    }

    private mutating func change(_ index: Int) {
        switch random.next() % 10 {
        case 0..<5: entries[index].name = "\(pick(FileResources.words))_\(pick(FileResources.words))_\(index)"
        case 5..<8: entries[index].tags = randomTags()
        default: entries[index].size = Int(random.next() % 5_000_000_000)
        }
        entries[index].modified = Int(random.next() % 10_000_000)
    }

    /// Returns the next flush: random entities until `rowCount` different ones changed, or `eventCountMax` events
    /// passed.
    mutating func flush(rowCount: Int, eventCountMax: Int = .max, isDistinct: Bool = false) -> FlushBatch {
        var flush = FlushBatch()
        if sequence == 0 {
            flush.newLibraries = [(0, "library")]
            flush.newTypes = [(0, "file")]
        }
        var changed: [Int: Int64] = [:]
        var events = 0
        while changed.count < rowCount, events < eventCountMax {
            let index = isDistinct ? Int(sequence) : Int.random(in: 0..<entries.count, using: &random)
            if isDistinct, index >= entries.count { break }
            sequence += 1
            events += 1
            if entries[index].row != 0 || changed[index] != nil { change(index) }
            changed[index] = sequence
        }
        for (index, sequence) in changed.sorted(by: { $0.value < $1.value }) {
            let isNew = entries[index].row == 0
            if isNew {
                lastRow += 1
                entries[index].row = lastRow
            }
            let payload = Array(json(entries[index]).utf8)
            payloadByteCount += payload.count - sizes[index]
            sizes[index] = payload.count
            let idOffset = flush.bytes.count
            flush.bytes += entries[index].uuid.bytes
            flush.rows.append(
                FlushRow(
                    row: entries[index].row, change: isNew ? .insert : .update, library: 0, type: 0, isUUID: true,
                    idOffset: idOffset, idCount: 16, payloadOffset: flush.bytes.count, payloadCount: payload.count,
                    sequence: EventSequence(sequence), generation: 0, writtenAt: 1_760_000_000_000 + sequence / 500))
            flush.bytes += payload
        }
        flush.rows.sort { $0.row < $1.row }
        flush.libraries = [
            LibraryRecord(
                index: 0, name: "library", epoch: nil, generation: 0, cursor: EventSequence(sequence), isStale: false,
                lost: [], entityCount: lastRow)
        ]
        return flush
    }
}

extension FileResources {
    /// The dictionary trained from 2,000 resources; trained once for all suites.
    static let dictionary = Result<[UInt8], any Error> {
        var resources = FileResources(count: 2_000, seed: 3)
        var trainer = DictionaryTrainer()
        let trained = trainer.dictionaries(
            for: resources.flush(rowCount: 2_000, isDistinct: true), dictionaryTypes: [], encoder: try PayloadEncoder())
        return try #require(trained[0])
    }
}

extension FileResources {
    /// The dictionary that is trained from the same resources where deflate is used.
    static let segments = Result<[UInt8], any Error> {
        var resources = FileResources(count: 2_000, seed: 3)
        var trainer = DictionaryTrainer(.deflate)
        let trained = trainer.dictionaries(
            for: resources.flush(rowCount: 2_000, isDistinct: true), dictionaryTypes: [], encoder: try PayloadEncoder())
        return try #require(trained[0])
    }

    /// Some payloads, which no dictionary was trained from.
    static let sample: [[UInt8]] = {
        var resources = FileResources(count: 20, seed: 77)
        let flush = resources.flush(rowCount: 20, isDistinct: true)
        return flush.bytes.withUnsafeBytes { bytes in flush.rows.map { Array($0.payload(in: bytes)) } }
    }()
}
