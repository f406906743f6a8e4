import Testing
import TidemarkModel
import TidemarkTesting

@Suite struct FramerConformanceTests {
    private static func limits(_ lineByteCountMax: Int) -> Limits {
        var limits = Limits()
        limits.lineByteCountMax = lineByteCountMax
        limits.quarantineByteCountMax = min(8, lineByteCountMax)
        return limits
    }

    @Test(arguments: [1, 3, 7])
    func `lines around the limit and ends that are cut come out the same however they arrive`(limit: Int) throws {
        let conformance = FramerConformance(limits: FramerConformanceTests.limits(limit))
        for (index, stream) in conformance.poison().enumerated() { try conformance.check(stream, seed: UInt64(index)) }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `random bytes come out as the same lines however they arrive`(seed: UInt64) throws {
        let conformance = FramerConformance(limits: FramerConformanceTests.limits(1 + Int(seed % 20)))
        try conformance.check(conformance.random(seed: seed), seed: seed)
    }
}
