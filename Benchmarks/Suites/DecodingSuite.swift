import CReference
import TidemarkModel
import TidemarkWire

/// The cost of decoding lines to events, with every byte validated.
enum DecodingSuite {
    static func run(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        let blocks = workload.blocks()
        let decoder = try EventDecoder(pool: BatchPool())
        report.add(
            try await Measurement.compare(
                "validated parse", count: workload.lineCount, runs: runs, goal: 1.0, referenceName: "DOM parse",
                reference: {
                    var sum: UInt64 = 0
                    for block in blocks {
                        block.lines.withUnsafeBytes { lines in
                            let spans = lines.bindMemory(to: UInt32.self)
                            sum &+= reference_dom(block.bytes, spans.baseAddress, block.lines.count)
                        }
                    }
                    return sum
                },
                subject: {
                    var hash: UInt64 = 0
                    for block in blocks {
                        let batch = try decoder.decode(block)
                        for event in batch.events { hash &+= UInt64(event.sequence?.rawValue ?? 0) }
                        for member in batch.members { hash &+= UInt64(member.resource.count) &* 31 }
                    }
                    return hash
                }))
    }
}
