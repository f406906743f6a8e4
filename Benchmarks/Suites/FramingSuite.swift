import TidemarkWire
import CReference
import TidemarkModel
import TidemarkJSON

/// The cost of splitting bytes into lines.
enum FramingSuite {
    static func run(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        let pool = BatchPool()
        report.add(
            await Measurement.compare(
                "framing", count: workload.lineCount, runs: runs, goal: nil, referenceName: "memchr over lines",
                reference: {
                    workload.bytes.withUnsafeBufferPointer { reference_lines($0.baseAddress, workload.byteCount) }
                },
                subject: {
                    var lineCount = 0
                    workload.frame(pool) { block in
                        lineCount += block.lines.count
                        // Batches return their buffers to the pool in the same way.
                        pool.blocks.give(block.bytes)
                        pool.lines.give(block.lines)
                    }
                    return UInt64(lineCount)
                }))
    }
}
