import TestTraits
import Testing
import TidemarkHTTPRecords
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkHTTP

/// Where the bytes of a body are kept while they arrive, as a value.
@Suite(.pooled) struct BodyIntakeTests {
    private static let chunk = HTTPBodyDraft.chunkByteCount

    private func intake(
        isStorable: Bool = true, isRead: Bool = false, stored: Int = 4 * chunk, caller: Int = 0
    ) -> BodyIntake {
        BodyIntake(isStorable: isStorable, isRead: isRead, storedByteCountMax: stored, callerByteCountMax: caller)
    }

    @Test func `a body of up to a mebibyte stays in memory, whatever its chunks`() {
        var intake = intake(isRead: true)
        #expect(intake.received(BodyIntakeTests.chunk - 1) == .keep)
        #expect(intake.received(1) == .keep)
        #expect(intake.received(1) == .handOver)
    }

    @Test func `a long body that may be stored is written to the disk`() {
        var intake = intake()
        #expect(intake.received(BodyIntakeTests.chunk + 1) == .beginDraft)
        let isKept = intake.wrote(isKept: true)
        #expect(isKept)
        #expect(intake.received(10) == .append)
    }

    @Test func `a long body that may not be stored stays in memory, up to the limit of the caller`() {
        var intake = intake(isStorable: false, stored: 2 * BodyIntakeTests.chunk, caller: 3 * BodyIntakeTests.chunk)
        for _ in 0..<3 { #expect(intake.received(BodyIntakeTests.chunk) == .keep) }
        #expect(intake.received(1) == .tooLong)
    }

    @Test func `a body that grows past what is stored is taken back into memory, for a caller who takes more`() {
        var intake = intake(stored: 2 * BodyIntakeTests.chunk, caller: 3 * BodyIntakeTests.chunk)
        #expect(intake.received(2 * BodyIntakeTests.chunk) == .beginDraft)
        var isKept = intake.wrote(isKept: true)
        #expect(isKept)
        #expect(intake.received(1) == .append)
        isKept = intake.wrote(isKept: true)
        #expect(!isKept && !intake.isStorable)
        #expect(intake.received(1) == .keep)
    }

    /// A body as a list of chunks in memory and one on the disk, against what the sizes alone say.
    @Test(arguments: TestScale.seeds(300)) func `no chunk is lost, and the place is what the sizes say`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let stored = (1 + random.below(6)) * BodyIntakeTests.chunk / 2
        let caller = random.below(8) * BodyIntakeTests.chunk / 2
        let isRead = random.chance(200)
        let isStorable = random.chance(700)
        let failing = random.chance(500) ? random.below(6) : Int.max
        let sizes = (0..<(1 + random.below(12))).map { _ in 1 + random.below(BodyIntakeTests.chunk) }
        var intake = intake(isStorable: isStorable, isRead: isRead, stored: stored, caller: caller)
        var memory: [Int] = []
        var disk: [Int] = []
        var last = BodyIntake.Step.keep
        var writeCount = 0
        for (index, size) in sizes.enumerated() {
            last = intake.received(size)
            switch last {
            case .keep: memory.append(index)
            case .beginDraft:
                memory.append(index)
                if intake.wrote(isKept: writeCount != failing) { (disk, memory) = (memory, []) }
                writeCount += 1
            case .append:
                disk.append(index)
                if !intake.wrote(isKept: writeCount != failing) { (memory, disk) = (disk, []) }
                writeCount += 1
            case .handOver: memory.append(index)
            case .tooLong: break
            }
            if last == .handOver || last == .tooLong { break }
        }
        // The sums of the sizes decide, without any state.
        let sums = sizes.indices.map { sizes[...$0].reduce(0, +) }
        let long = sums.firstIndex { $0 > BodyIntakeTests.chunk }
        let tooLong = sums.firstIndex { $0 > BodyIntakeTests.chunk && $0 > max(stored, caller) }
        let total = intake.byteCount
        if isRead, let long {
            #expect(last == .handOver && memory == Array(0...long) && disk.isEmpty)
        } else if let tooLong {
            #expect(last == .tooLong && total == sums[tooLong])
            #expect(memory + disk == Array(0..<tooLong))
        } else {
            let isOnDisk = long != nil && isStorable && total <= stored && writeCount <= failing
            #expect((isOnDisk ? disk : memory) == Array(sizes.indices), "seed \(seed)")
            #expect((isOnDisk ? memory : disk).isEmpty)
        }
    }
}
