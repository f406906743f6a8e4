import TestTraits
import Testing
import TidemarkModel
import TidemarkStore

@testable import Tidemark

@Suite(.pooled) struct ScanTests {
    private func rows(_ count: Int) -> [StoredRowAge] {
        (0..<count).map { index in
            let key = StoredKey(library: 0, type: 0, id: StoredID(ByteString("\(index)")))
            return StoredRowAge(stored: StoredRow(key: key, row: Int64(index)), writtenAt: Int64(index))
        }
    }

    @Test func `memory is scanned again after an eighth more entities, or a commit`() {
        var scan = ResidentScan()
        #expect(scan.isWorthwhile(residentCount: 1))
        scan.ended(residentCount: 800)
        #expect(!scan.isWorthwhile(residentCount: 900))
        #expect(scan.isWorthwhile(residentCount: 901))
        scan.committed()
        #expect(scan.isWorthwhile(residentCount: 1))
    }

    @Test func `a window has four rows for each wanted entity, within its bounds`() {
        let scan = StoredRowScan()
        #expect(scan.window(wantedCount: 1).rowCount == 1_000)
        #expect(scan.window(wantedCount: 500).rowCount == 2_000)
        #expect(scan.window(wantedCount: .max).rowCount == 4_000)
    }

    @Test func `a scan goes on after the last row, and begins again after the last window`() {
        var scan = StoredRowScan()
        let first = rows(1_000)
        let isWhole = scan.advance(past: first, of: scan.window(wantedCount: 1))
        #expect(!isWhole && scan.position == first.last?.stored.key)
        let isRestWhole = scan.advance(past: rows(10), of: scan.window(wantedCount: 1))
        #expect(!isRestWhole && scan.position == nil)
        let isAllWhole = scan.advance(past: rows(10), of: scan.window(wantedCount: 1))
        #expect(isAllWhole)
    }

    @Test func `a window behind which there are no rows goes on with the first ones, each once`() {
        for (count, startsAfter) in [
            (1_500, 1_200), (1_500, 999), (1_001, 1_000), (1_200, 1_199), (900, 500), (900, 899),
        ] {
            var scan = StoredRowScan()
            let all = rows(count)
            // A scan that was there when there were more rows.
            _ = scan.advance(past: rows(4_000), of: scan.window(wantedCount: .max))
            let window = scan.window(wantedCount: 1)
            var seen = Array(all[(startsAfter + 1)...])
            _ = scan.advance(past: seen, of: window)
            let isWhole = scan.wrap(into: Array(all.prefix(window.rowCount - seen.count)), &seen, of: window)
            #expect(isWhole == (count < 1_000))
            #expect(seen.count == min(count, 1_000) && Set(seen).count == seen.count)
            #expect(scan.position == (isWhole ? nil : all[1_000 - (count - startsAfter - 1) - 1].stored.key))
        }
    }

    @Test func `after a scan of many rows in vain, rows are scanned again when an eighth as many moved there`() {
        var scan = StoredRowScan()
        scan.ended(seenCount: 1_000, isFruitful: false)
        #expect(!scan.isFruitless)
        scan.ended(seenCount: 8_000, isFruitful: false)
        #expect(scan.isFruitless)
        scan.moved(999)
        #expect(scan.isFruitless)
        scan.moved(1)
        #expect(!scan.isFruitless)
        scan.ended(seenCount: 8_000, isFruitful: true)
        #expect(!scan.isFruitless && scan.movedCount == 0)
    }
}
