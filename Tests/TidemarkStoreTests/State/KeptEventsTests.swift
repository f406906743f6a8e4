import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkStore

/// The kept events against a plain list. Law: L8.
@Suite(.pooled) struct KeptEventsTests {
    /// An event that was kept, as the list of all of them has it.
    private struct Model {
        var event: KeptEvent
        var ids: [String]
    }

    private func event(_ sequence: Int64, library: ByteString? = "a", type: ByteString? = "file") -> LoggedEvent {
        LoggedEvent(
            bin: .applied, kind: .changed, library: library, sequence: EventSequence(sequence), type: type, keys: [],
            resourceCount: 1, line: sequence + 1, mutationID: nil, reason: nil, isLate: false, at: 5)
    }

    /// Keeps an event with one write, as an apply does.
    private func keep(
        _ kept: inout KeptEvents, _ logged: LoggedEvent, _ line: [UInt8], ids: [String],
        writes: [(id: String, before: [UInt8]?, after: Range<Int>?)]
    ) {
        line.withUnsafeBytes { content in
            kept.open(content)
            for write in writes {
                let after = write.after.map { UnsafeRawBufferPointer(rebasing: content[$0]) }
                Array(write.id.utf8).withUnsafeBytes { id in
                    if let before = write.before {
                        before.withUnsafeBytes {
                            kept.note(type: "file", isUUID: false, id: id, before: $0, after: after)
                        }
                    } else {
                        kept.note(type: "file", isUUID: false, id: id, before: nil, after: after)
                    }
                }
            }
            kept.append(logged, content: content, byteCount: content.count) { note in
                for id in ids { Array(id.utf8).withUnsafeBytes { note(false, $0) } }
            }
            kept.close()
        }
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func `the newest events are found, each as it was kept, within the bound`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let byteCountMax = random.pick([64 << 10, 100_000, 1 << 20])
        let lineCountMax = random.pick([40, 900, 2_000])
        var kept = KeptEvents(byteCountMax: byteCountMax)
        var all: [Model] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 1_500) {
            let number = Int64(all.count + 1)
            let id = "f\(random.below(9))"
            let line = Array(repeating: UInt8(0x61 + random.below(26)), count: 2 + random.below(lineCountMax))
            let before = random.below(3) == 0 ? nil : Array(repeating: UInt8(0x62), count: random.below(lineCountMax))
            let after = random.below(4) == 0 ? nil : 1..<line.count
            let library: ByteString? = random.pick(["a", "b", nil])
            let sequence = Int64(random.below(200))
            let writes = random.below(5) == 0 ? [] : [(id: id, before: before, after: after)]
            var logged = event(sequence, library: library)
            keep(&kept, logged, line, ids: [id], writes: writes)
            logged.number = number
            logged.keys = [ByteString("file:\(id)")]
            all.append(
                Model(
                    event: KeptEvent(
                        event: logged, content: line, byteCount: line.count,
                        writes: writes.map {
                            KeptEvent.Write(
                                key: ByteString("file:\($0.id)"), before: $0.before,
                                after: $0.after.map { Array(line[$0]) })
                        }, isComplete: true), ids: [id]))
            #expect(kept.chunkByteCount <= byteCountMax, "\(walk)")
            guard random.below(40) == 0 else { continue }
            let stored = all.suffix(kept.eventCount)
            // Less than the bound leaves by two chunks at most: one that is being filled, one that was dropped whole.
            if stored.count < all.count { #expect(kept.byteCount > byteCountMax / 2, "\(walk)") }
            var selection = KeptEvents.Selection(countMax: random.pick([1, 7, 1_000]))
            if random.below(2) == 0 { selection.sequence = EventSequence(Int64(random.below(200))) }
            if random.below(2) == 0 { selection.library = "a" }
            if random.below(2) == 0 { selection.part = ByteString("E:F\(random.below(9))") }
            let wanted = stored.reversed().filter { model in
                (selection.sequence == nil || model.event.event.sequence == selection.sequence)
                    && (selection.library == nil || model.event.event.library == selection.library)
                    && (selection.part.map { $0.description.lowercased() == "e:\(model.ids[0])" } ?? true)
            }.map(\.event)
            var found: [KeptEvent] = []
            repeat {
                let page = kept.select(selection)
                #expect(page.events.count <= selection.countMax)
                found += page.events
                guard let next = page.next else { break }
                selection.before = next
            } while true
            #expect(found.map(\.event.number) == wanted.map(\.event.number), "\(walk)")
            let isSame = found == wanted
            #expect(isSame, "\(walk)")
        }
    }

    @Test func `a line and writes that are too long are left out, and the event says so`() {
        var kept = KeptEvents(byteCountMax: 64 << 10)
        let long = Array(repeating: UInt8(0x61), count: 3_000)
        keep(&kept, event(1), long, ids: ["x"], writes: [("x", nil, 0..<10)])
        keep(
            &kept, event(2), [0x61, 0x62], ids: ["x"],
            writes: [
                ("x", Array(repeating: 0x61, count: 3_000), 0..<2), ("y", Array(repeating: 0x61, count: 3_000), nil),
            ])
        let page = kept.select(KeptEvents.Selection(countMax: 10))
        #expect(page.events.map(\.isComplete) == [false, false])
        #expect(page.events.map(\.content) == [[0x61, 0x62], nil])
        #expect(page.events.map(\.byteCount) == [2, 3_000])
        #expect(page.events.map { $0.writes.map(\.key) } == [["file:x"], []])
        #expect(page.events.map(\.event.keys) == [["file:x"], ["file:x"]])
    }

    @Test func `a reader's copy does not change while events go on`() {
        var kept = KeptEvents(byteCountMax: 64 << 10)
        keep(&kept, event(1), [0x61], ids: ["x"], writes: [])
        let copy = kept
        for number in 2...2_000 { keep(&kept, event(Int64(number)), [0x62], ids: ["y"], writes: []) }
        #expect(copy.select(KeptEvents.Selection(countMax: 10)).events.map(\.content) == [[0x61]])
        #expect(kept.select(KeptEvents.Selection(countMax: 1)).events.map(\.event.number) == [2_000])
    }

    @Test func `where nothing is kept, nothing is found`() {
        var kept = KeptEvents(byteCountMax: 0)
        #expect(!kept.isOn)
        kept.open(nil)
        #expect(!kept.notesWrites)
        #expect(kept.select(KeptEvents.Selection(countMax: 10)).events.isEmpty)
    }
}
