import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkStore

/// The dates of single fields stay within the bound of a data file.
@Suite(.pooled) struct FieldStampsTests {
    private func stamp(_ writtenAt: Int64) -> EntityStamp {
        EntityStamp(sequence: EventSequence(writtenAt), generation: 0, writtenAt: writtenAt)
    }

    private func fit(_ stamps: FieldStamps, _ resource: String, byteCountMax: Int) -> FieldStamps {
        var stamps = stamps
        Array(resource.utf8).withUnsafeBytes { stamps.fit($0, byteCountMax: byteCountMax) }
        return stamps
    }

    @Test func `the counted bytes are those written`() {
        let stamps = FieldStamps(rest: stamp(5), named: ["a": stamp(6), "name": stamp(7)])
        var bytes: [UInt8] = []
        stamps.encode(into: &bytes)
        #expect(stamps.encodedByteCount == bytes.count)
    }

    @Test func `past the bound dates of absent fields are removed, then all fields get the oldest date`() {
        let stamps = FieldStamps(
            rest: stamp(5), named: ["a": stamp(6), "b": stamp(3), "gone": stamp(7)], completeness: .partial)
        let resource = #"{"a":1,"b":2}"#
        #expect(fit(stamps, resource, byteCountMax: stamps.encodedByteCount) == stamps)
        let named = FieldStamps(rest: stamp(5), named: ["a": stamp(6), "b": stamp(3)], completeness: .partial)
        #expect(fit(stamps, resource, byteCountMax: stamps.encodedByteCount - 1) == named)
        let oldest = FieldStamps(rest: stamp(3), named: [:], completeness: .partial)
        #expect(fit(stamps, resource, byteCountMax: named.encodedByteCount - 1) == oldest)
    }
}
