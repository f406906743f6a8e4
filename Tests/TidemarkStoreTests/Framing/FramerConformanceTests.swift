import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit

@Suite(.pooled) struct FramerConformanceTests {
    private static func limits(_ lineByteCountMax: Int) -> Limits {
        var limits = Limits()
        limits.lineByteCountMax = lineByteCountMax
        limits.quarantineByteCountMax = min(8, lineByteCountMax)
        return limits
    }

    @Test(arguments: [1, 3, 7])
    func `lines around the limit and cut line ends are the same for every cut of the stream`(limit: Int) throws {
        let conformance = FramerConformance(limits: FramerConformanceTests.limits(limit))
        for (index, stream) in conformance.poison().enumerated() { try conformance.check(stream, seed: UInt64(index)) }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `random bytes give the same lines for every cut of the stream`(seed: UInt64) throws {
        let conformance = FramerConformance(limits: FramerConformanceTests.limits(1 + Int(seed % 20)))
        try conformance.check(conformance.random(seed: seed), seed: seed)
    }
}
