import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

@Suite(.pooled) struct HostileBytesTests {
    private static let seeds = [
        "max-age=10, no-cache=\"a, b\", stale-while-revalidate=5", "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "W/\"abc\", \"d,e\"", "bytes 0-99/1234",
        "bytes=-500", "http://[::1]:80/a/../%7e?b#c", "Accept, *", "99999999999999999999999", "\"\\", "a=\"",
    ]

    /// Every parser takes any bytes without a trap, and gives values within its bounds.
    @Test(arguments: 0..<32)
    func `no bytes end the process`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let base = try url("http://a.test/b")
        for _ in 0..<400 {
            var bytes = Array(random.pick(Self.seeds).utf8)
            for _ in 0...random.below(6) {
                switch random.below(4) {
                case 0 where !bytes.isEmpty: bytes.remove(at: random.below(bytes.count))
                case 1: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count + 1))
                case 2 where !bytes.isEmpty: bytes[random.below(bytes.count)] = UInt8(random.below(256))
                default: bytes += Array(random.pick(Self.seeds).utf8).prefix(random.below(20))
                }
            }
            let value = ByteString(bytes)
            let names = [
                "Cache-Control", "Date", "Expires", "Age", "Vary", "ETag", "Content-Range", "Range", "If-Range",
                "Last-Modified", "Location", "If-None-Match",
            ]
            var lines = HeaderFields()
            for name in names where random.chance(600) { lines.fields.append(.init(ByteString(name), value)) }
            let head = ResponseHead(status: random.pick([200, 206, 302, 304, 404, 500]), fields: lines)
            let old = StoredHead(
                head: head, requestedAt: Int64(bitPattern: random.next()), answeredAt: Int64(bitPattern: random.next()),
                byteCount: Int64(random.below(1_000)))
            let sent = RequestHead(method: "GET", url: base.resolving(value) ?? base, fields: lines)
            let now = Int64(bitPattern: random.next())
            let freshness = Freshness(old, at: now)
            #expect(freshness.age >= 0 && freshness.lifetime >= 0)
            _ = CacheDecision.of(sent, old, .standard, at: now)
            _ = ResponseRules.outcome(
                head, to: sent, over: old, .standard, isConditional: true, isKeyed: false, at: now)
            _ = RangeRules.combined(old, with: head)
            if case .part(let bounds, _) = RangeRules.outcome(sent, old), head.status == 200 {
                #expect(bounds.upperBound <= old.byteCount)
            }
            _ = StorageRules.invalidated(by: head, to: sent)
            _ = RedirectRules.step(head, to: sent)
            if let again = base.resolving(value) { #expect(try HTTPURL(again.text) == again) }
            if let seconds = HTTPDate.parse(value) {
                #expect(HTTPDate.parse(ByteString(HTTPDate.text(seconds))) == seconds)
            }
        }
    }
}
