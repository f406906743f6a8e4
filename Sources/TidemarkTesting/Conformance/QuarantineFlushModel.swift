import Tidemark
import TidemarkModel
import TidemarkStore

/// The naive part of ``JournalConformance`` for the quarantine: adds and removes records, and remembers them.
struct QuarantineFlushModel {
    /// The records with their numbers, which ascend from 1.
    private var records: [QuarantineRecord] = []
    private var lastNumber: Int64 = 0
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// Adds random records to a flush, and removes some records of earlier flushes.
    mutating func change(_ flush: inout FlushBatch, libraries: [ByteString]) {
        for record in records where Int.random(in: 0..<12, using: &random) == 0 {
            flush.quarantineRemoved.append(record.number ?? 0)
        }
        // A record that never existed, or was removed already.
        if Int.random(in: 0..<5, using: &random) == 0 { flush.quarantineRemoved.append(lastNumber + 1_000) }
        records.removeAll { flush.quarantineRemoved.contains($0.number ?? 0) }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            var record = record(libraries)
            flush.quarantine.append(record)
            lastNumber += 1
            record.number = lastNumber
            records.append(record)
        }
    }

    mutating func randomSelection(libraries: [ByteString]) -> QuarantineSelection {
        var selection = QuarantineSelection(countMax: Int.random(in: 1...20, using: &random))
        if Bool.random(using: &random) { selection.after = Int64.random(in: 0...lastNumber, using: &random) }
        if Bool.random(using: &random) { selection.reason = QuarantineReason.allCases.randomElement(using: &random) }
        if Bool.random(using: &random) { selection.library = libraries.randomElement(using: &random) }
        if Bool.random(using: &random) {
            selection.numbers = (0...lastNumber).filter { _ in Bool.random(using: &random) }
        }
        return selection
    }

    func selected(_ selection: QuarantineSelection) -> [QuarantineRecord] {
        Array(
            records.filter { record in
                guard let number = record.number, number > selection.after else { return false }
                return (selection.reason.map { $0 == record.reason } ?? true)
                    && (selection.library.map { $0 == record.library } ?? true)
                    && (selection.numbers.map { $0.contains(number) } ?? true)
            }.prefix(selection.countMax))
    }

    private mutating func record(_ libraries: [ByteString]) -> QuarantineRecord {
        let bytes = random.bytes(Int.random(in: 0...200, using: &random))
        return QuarantineRecord(
            kind: [.line, .member, .upstream][Int.random(in: 0..<3, using: &random)],
            reason: QuarantineReason.allCases[Int.random(in: 0..<QuarantineReason.allCases.count, using: &random)],
            line: Int64.random(in: 1...1 << 40, using: &random), offset: Int64.random(in: 0...1 << 40, using: &random),
            library: Bool.random(using: &random) ? nil : libraries.randomElement(using: &random),
            sequence: Bool.random(using: &random)
                ? nil : EventSequence(Int64.random(in: 0...Int64.max, using: &random)),
            receivedAt: Int64.random(in: 0...1 << 45, using: &random), bytes: bytes,
            byteCount: bytes.count + Int.random(in: 0...1, using: &random) * 5_000)
    }
}
