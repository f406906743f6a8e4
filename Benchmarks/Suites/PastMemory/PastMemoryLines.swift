import Foundation
import TidemarkModel
import TidemarkTesting

/// Generates the lines of the suite's stages into a file, because ten million lines do not fit into memory. The lines
/// are a function of the stage, the number of entities and the sequence.
struct PastMemoryLines {
    static let library = "0197c1a0-5b3e-7000-8000-000000000001"
    static let type = "file"
    private static let resource = SyntheticResource(seed: 20_260_301, byteCountWanted: 345)

    let entityCount: Int
    /// The index of the first entity of a load.
    private let firstEntity: Int
    /// The last sequence that was written.
    private(set) var sequence: Int
    /// The total size of the resources in the last stage, in bytes.
    private(set) var resourceByteCount = 0

    /// Starts after the lines of earlier stages.
    ///
    /// - Parameter sequence: The last sequence of the lines before these.
    init(entityCount: Int, firstEntity: Int = 0, after sequence: Int = 0) {
        self.entityCount = entityCount
        self.firstEntity = firstEntity
        self.sequence = sequence
    }

    /// Returns the id of an entity, as text.
    static func id(of entity: Int) -> [UInt8] {
        var id: [UInt8] = []
        resource.appendID(of: entity, to: &id)
        return id
    }

    /// Returns the key of an entity.
    static func key(of entity: Int) -> EntityKey {
        EntityKey(library: ByteString(library), type: ByteString(type), id: ByteString(id(of: entity)))
    }

    /// Returns the index of an entity that the stage ``PastMemoryStage/listed`` updates. The stage
    /// ``PastMemoryStage/layered`` updates the entity at the next index.
    static func marked(_ number: Int, of entityCount: Int) -> Int {
        number &* 7_919 % max(1, entityCount / 2) * 2 % max(1, entityCount - 1)
    }

    /// Writes the lines of a stage to a new file.
    ///
    /// - Returns: The number of lines.
    /// - Throws: An error of the file system.
    mutating func write(_ stage: PastMemoryStage, to path: String) throws -> Int {
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw BenchmarkError("cannot create \(path)")
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer {
            do { try file.close() } catch { print("not closed: \(error)") }
        }
        var random = SeededGenerator(seed: UInt64(sequence) &+ 20_260_302)
        var bytes: [UInt8] = []
        resourceByteCount = 0
        let count = stage.lineCount(of: entityCount)
        for line in 0..<count {
            let entity = firstEntity + stage.entity(line, of: entityCount, &random)
            append(stage, entity: entity, update: random.next() | 1, to: &bytes)
            guard bytes.count > 4 << 20 || line == count - 1 else { continue }
            try file.write(contentsOf: bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        return count
    }

    /// Appends one line, with the next sequence.
    private mutating func append(_ stage: PastMemoryStage, entity: Int, update: UInt64, to bytes: inout [UInt8]) {
        sequence += 1
        bytes += #"{"library_id":""#.utf8
        bytes += PastMemoryLines.library.utf8
        bytes += #"","sequence":\#(sequence),"event":{"ResourceChanged":{"resource_type":"file","resource":"#.utf8
        let start = bytes.count
        if stage == .merging {
            PastMemoryLines.resource.appendPart(entity, update: update, to: &bytes)
        } else {
            PastMemoryLines.resource.append(entity, update: stage == .load ? 0 : update, to: &bytes)
        }
        resourceByteCount += bytes.count - start
        if stage == .merging {
            bytes += #","metadata":{"no_merge_fields":["tags"],"alternate_ids":[],"affected_paths":[]}"#.utf8
        }
        bytes += "}}}\n".utf8
    }
}
