import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// A flush encoded by several threads, against one encoder that encodes row after row.
@Suite(.pooled) struct BodyPipelineTests {
    private struct WriteFailure: Error {}

    /// Returns rows of two types with every kind of change, most of some hundred bytes and a few larger than a chunk.
    private func flush(rowCount: Int, _ random: inout SeededGenerator) -> FlushBatch {
        var resources = FileResources(count: rowCount, seed: random.next())
        let source = resources.flush(rowCount: rowCount, isDistinct: true)
        var flush = FlushBatch()
        for var row in source.rows {
            let id = Array(source.bytes[row.idOffset..<row.idOffset + row.idCount])
            var payload = Array(source.bytes[row.payloadOffset..<row.payloadOffset + row.payloadCount])
            row.change = [.insert, .insert, .insert, .update, .stamp, .delete][Int(random.next() % 6)]
            row.type = random.next() % 4 == 0 ? 1 : 0
            if random.next() % 500 == 0 {
                let count = Int.random(in: 10_000...600_000, using: &random)
                payload += [UInt8](count: count, growingEvery: 5)
            }
            row.idOffset = flush.bytes.count
            flush.bytes += id
            row.payloadOffset = flush.bytes.count
            row.payloadCount = row.change == .insert || row.change == .update ? payload.count : 0
            if row.payloadCount > 0 { flush.bytes += payload }
            flush.rows.append(row)
        }
        return flush
    }

    /// Encodes row after row with an encoder of its own.
    private func model(_ flush: FlushBatch, _ dictionaries: [TypeIndex: PayloadDictionary]) throws -> [[UInt8]] {
        let encoder = try PayloadEncoder()
        return flush.bytes.withUnsafeBytes { bytes in
            flush.rows.map { row in
                guard row.change == .insert || row.change == .update else { return [] }
                encoder.startBatch()
                return Array(
                    encoder.encode(
                        row.payload(in: bytes), id: row.id(in: bytes), seal: PayloadSeal(row),
                        dictionary: dictionaries[row.type], isPadded: row.change == .insert))
            }
        }
    }

    /// Returns a new dictionary that is not yet prepared for compression.
    private func dictionaries() throws -> [TypeIndex: PayloadDictionary] {
        [0: PayloadDictionary(number: 7, type: 0, bytes: try FileResources.dictionary.get())]
    }

    private func bodies(
        _ pipeline: BodyPipeline, _ flush: FlushBatch, _ dictionaries: [TypeIndex: PayloadDictionary]
    ) throws -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        try flush.bytes.withUnsafeBytes { bytes in
            try pipeline.forEachChunk(of: flush, bytes: bytes, dictionaries: dictionaries) { chunk in
                #expect(chunk.rows == bodies.count..<bodies.count + chunk.bodies.count)
                bodies += chunk.bodies.map { Array($0) }
            }
        }
        return bodies
    }

    @Test(arguments: [0, 1, 2, 5], UInt64(1)...4)
    func `the bodies are those of one encoder, in order, with any number of helpers`(helperCount: Int, seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let pipeline = try BodyPipeline(helperCount: helperCount)
        for rowCount in [0, 1, 256, 257, 3_000] {
            let flush = flush(rowCount: rowCount, &random)
            let dictionaries = try dictionaries()
            let isEqual = try bodies(pipeline, flush, dictionaries) == model(flush, dictionaries)
            #expect(isEqual, "seed \(seed), \(rowCount) rows, \(helperCount) helpers")
        }
    }

    @Test(arguments: [0, 1, 3])
    func `a failing write is thrown once, nothing is written after it, and the next flush is complete`(helperCount: Int)
        throws
    {
        var random = SeededGenerator(seed: 9)
        let pipeline = try BodyPipeline(helperCount: helperCount)
        let flush = flush(rowCount: 3_000, &random)
        let dictionaries = try dictionaries()
        let expected = try model(flush, dictionaries)
        for failing in [1, 2, 9] {
            var count = 0
            flush.bytes.withUnsafeBytes { bytes in
                _ = #expect(throws: WriteFailure.self) {
                    try pipeline.forEachChunk(of: flush, bytes: bytes, dictionaries: dictionaries) { _ in
                        count += 1
                        if count == failing { throw WriteFailure() }
                    }
                }
            }
            #expect(count == failing, "\(helperCount) helpers")
            let isEqual = try bodies(pipeline, flush, dictionaries) == expected
            #expect(isEqual, "\(helperCount) helpers, after \(failing) chunks")
        }
    }

    @Test func `nothing is kept of a flush that has ended`() throws {
        weak var kept: PayloadDictionary?
        var random = SeededGenerator(seed: 4)
        let pipeline = try BodyPipeline(helperCount: 0)
        do {
            let dictionaries = try dictionaries()
            kept = dictionaries[0]
            _ = try bodies(pipeline, flush(rowCount: 600, &random), dictionaries)
        }
        #expect(kept == nil)
    }
}
