import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

@Suite(.pooled) struct FieldParserTests {
    /// RFC 9110, section 5.6.7: three formats, GMT alone.
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Mon Dec 31 23:59:60 2012", 1_356_998_399),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), (" Sun, 06 Nov 1994 08:49:37 GMT ", 784_111_777),
        ] as [(String, Int64)])
    func `a date in any of the three formats is read`(text: String, seconds: Int64) {
        #expect(HTTPDate.parse(ByteString(text)) == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 31 Feb 2024 00:00:00 GMT", "Thu, 29 Feb 2023 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x",
        "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov  1994 08:49:37 GMT", "Sun, 06 Nov 1994  08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37  GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sunday,  06-Nov-94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov   6 08:49:37 1994", "Sun Nov  16 08:49:37 1994",
        "Sun  Nov  6 08:49:37 1994", "Sun, 06 Nov 1994\t08:49:37 GMT",
    ])
    func `text that is no date of HTTP is refused`(text: String) {
        #expect(HTTPDate.parse(ByteString(text)) == nil)
    }

    @Test(arguments: [("Sun Nov 16 08:49:37 1994", 784_975_777), ("Sun Nov  6 08:49:37 1994", 784_111_777)])
    func `a space stands for the first digit of a day alone`(text: String, seconds: Int64) {
        #expect(HTTPDate.parse(ByteString(text)) == seconds)
    }

    @Test func `a year of two digits is in the past when it seems more than fifty years ahead`() {
        let now: Int64 = 1_767_225_600
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == 784_111_777)
        #expect(
            HTTPDate.parse("Sunday, 06-Nov-30 08:49:37 GMT", now: now)
                == HTTPDate.parse("Wed, 06 Nov 2030 08:49:37 GMT"))
    }

    @Test func `a written date is read as the same second`() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<2_000 {
            let seconds = Int64(random.below(253_402_300_800 / 1_000)) * 1_000 + Int64(random.below(1_000))
            #expect(HTTPDate.parse(ByteString(HTTPDate.text(seconds))) == seconds)
        }
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    /// RFC 9111, sections 4.2.1 and 5.2: the stricter of repeated and malformed directives.
    @Test(
        arguments: [
            ("max-age=10", 10), ("MAX-AGE=10", 10), ("max-age=\"10\"", 10), ("max-age=10, max-age=5", 5),
            ("max-age=5, max-age=10", 5), ("max-age=0010", 10), ("max-age=99999999999999999999", 1 << 31),
            ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0), ("max-age=1.5", 0), ("max-age='10'", 0),
            ("max-age =10", 0), ("max-age= 10", 0), ("max-age=10 s", 0), ("max-age=10;x", 0), ("max-age=ten", 0),
            ("x, max-age=10,,", 10), ("a=\"max-age=1\", max-age=10", 10), ("a=\"\\\", max-age=1\", max-age=10", 10),
            ("max-age=10, max-age=x", 0), ("public,max-age=10", 10), ("max-age:10", 0),
        ] as [(String, Int64)])
    func `max-age is read, and its strictest reading counts`(text: String, seconds: Int64) {
        #expect(CacheDirectives(fields(["Cache-Control: \(text)"])).maxAge == seconds)
    }

    @Test(arguments: ["", "max-ag=10", "xmax-age=10", "s-maxage=10", "max-age-x=1", "\"max-age=10\""])
    func `other directives are not max-age`(text: String) {
        #expect(CacheDirectives(fields(["Cache-Control: \(text)"])).maxAge == nil)
    }

    @Test func `directives of several lines are one list`() {
        let directives = CacheDirectives(
            fields(["Cache-Control: max-age=10, no-cache=\"set-cookie\"", "cache-control: NO-STORE, immutable, public"])
        )
        #expect(directives.maxAge == 10)
        #expect(
            !directives.noCache && directives.noCacheFields == ["set-cookie"] && directives.noStore
                && directives.immutable && directives.isPublic)
        #expect(!directives.mustRevalidate && !directives.onlyIfCached)
    }

    @Test(arguments: [
        ("no-store=1", true), ("no-store =", true), ("xno-store", false), ("no-stor", false), ("no-store-x", false),
    ])
    func `no-store holds in any shape`(text: String, holds: Bool) {
        #expect(CacheDirectives(fields(["Cache-Control: \(text)"])).noStore == holds)
    }

    @Test(
        arguments: [
            ("max-stale", 1 << 31), ("max-stale=5", 5), ("max-stale=x", 0), ("max-stale, max-stale=3", 3),
        ] as [(String, Int64)])
    func `max-stale without a number accepts any staleness`(text: String, seconds: Int64) {
        #expect(CacheDirectives(fields(["Cache-Control: \(text)"])).maxStale == seconds)
    }

    @Test func `directives that permit staleness permit nothing when they are malformed`() {
        let directives = CacheDirectives(
            fields(["Cache-Control: stale-while-revalidate=x, stale-if-error, min-fresh=y, immutable=1, public=2"]))
        #expect(directives.staleWhileRevalidate == 0 && directives.staleIfError == 0)
        #expect(directives.minFresh == CacheDirectives.secondsMax && !directives.immutable && !directives.isPublic)
    }

    @Test func `more directives than are read count as no-store`() {
        let many = Array(repeating: "x", count: CacheDirectives.countMax + 1).joined(separator: ",")
        #expect(CacheDirectives(fields(["Cache-Control: \(many)"])).noStore)
    }

    @Test func `Pragma counts only without Cache-Control`() {
        #expect(CacheDirectives.request(fields(["Pragma: No-Cache"])).noCache)
        #expect(!CacheDirectives.request(fields(["Pragma: no-cache", "Cache-Control: max-age=1"])).noCache)
        #expect(!CacheDirectives(fields(["Pragma: no-cache"])).noCache)
    }

    @Test func `weak tags match weakly and never strongly`() throws {
        let weak = try #require(EntityTag(Array("W/\"a\"".utf8)))
        let strong = try #require(EntityTag(Array("\"a\"".utf8)))
        let bare = try #require(EntityTag(Array("a".utf8)))
        #expect(weak.matchesWeakly(strong) && strong.matchesWeakly(weak) && weak.matchesWeakly(weak))
        #expect(!weak.matchesStrongly(strong) && !weak.matchesStrongly(weak) && strong.matchesStrongly(strong))
        #expect(!bare.matchesWeakly(strong))
        #expect(EntityTag([]) == nil && EntityTag(Array("W/".utf8)) == nil)
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("*", true), ("\"b\"", false), ("", false),
        ("\"a,\"", false), ("\"b,c\", W/\"a\"", true), ("a", false),
    ])
    func `a list of tags matches weakly`(list: String, matches: Bool) {
        #expect(EntityTag.list(ByteString(list), matchesWeakly: EntityTag(Array("\"a\"".utf8))) == matches)
    }

    @Test(
        arguments: [
            ("", Vary.names([])), ("Accept", .names(["accept"])), ("b, A,a", .names(["a", "b"])), ("*", .anything),
            ("a, *", .anything), ("a b", .anything), ("\"a\"", .anything), (",", .names([])),
        ] as [(String, Vary)])
    func `Vary is names, or anything`(text: String, vary: Vary) {
        #expect(Vary(fields(["Vary: \(text)"])) == vary)
    }

    @Test(
        arguments: [
            ("bytes=0-4", [RequestedRange.from(0, through: 4)]), ("bytes=5-", [.from(5, through: nil)]),
            ("BYTES=-3", [.last(3)]), ("bytes = 0-4", [.from(0, through: 4)]),
            ("bytes=0-4, 6-7,-1", [.from(0, through: 4), .from(6, through: 7), .last(1)]), ("bytes=0-4,x", nil),
            ("bytes=4-0", nil), ("items=0-4", nil), ("bytes=", nil), ("bytes=-", nil), ("bytes=a-b", nil),
            ("0-4", nil), ("bytes=+1-2", nil),
        ] as [(String, [RequestedRange]?)])
    func `ranges of bytes are read, anything else is left to the server`(text: String, ranges: [RequestedRange]?) {
        #expect(RequestedRange.list(fields(["Range: \(text)"])) == ranges)
    }

    @Test func `a request for more ranges than are served is left to the server`() {
        func list(_ count: Int) -> HeaderFields {
            fields(["Range: bytes=" + (0..<count).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ",")])
        }
        #expect(RequestedRange.list(list(100))?.count == 100 && RequestedRange.list(list(101)) == nil)
    }

    /// RFC 9111, section 5.2.2.4.
    @Test(
        arguments: [
            ("no-cache", true, []), ("no-cache=\"A, b\"", false, ["a", "b"]),
            ("no-cache=Set-Cookie", false, ["set-cookie"]),
            ("no-cache=\"\"", true, []), ("no-cache=", true, []), ("no-cache=\"a b\"", true, []),
            ("no-cache =\"a\"", true, []), ("no-cache=\"a\", no-cache", true, ["a"]), ("no-cache=\"a", true, []),
        ] as [(String, Bool, Set<ByteString>)])
    func `no-cache speaks of some fields, or of the answer`(text: String, ofAll: Bool, names: Set<ByteString>) {
        let directives = CacheDirectives(fields(["Cache-Control: \(text)"]))
        #expect(directives.noCache == ofAll && directives.noCacheFields == names)
        #expect(CacheDirectives.request(fields(["Cache-Control: \(text)"])).noCache)
    }

    @Test(
        arguments: [
            ("bytes 0-4/10", ContentRange(bounds: 0..<5, total: 10)),
            ("bytes 5-9/*", ContentRange(bounds: 5..<10, total: nil)),
            ("bytes 5-10/10", nil), ("bytes */10", nil), ("bytes 4-0/10", nil), ("bytes=0-4/10", nil), ("", nil),
            ("items 0-4/10", nil), ("bytes 0-4", nil),
            ("bytes 0-99999999999999999999/*", ContentRange(bounds: 0..<(Int64.max / 16 + 1), total: nil)),
        ] as [(String, ContentRange?)])
    func `the place of a part is read when it is one`(text: String, range: ContentRange?) {
        #expect(ContentRange.of(fields(["Content-Range: \(text)"])) == range)
    }

    /// FIPS 180-4, examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `digests are those of the standard`(text: String, digest: String) {
        #expect(SHA256Digest(of: Array(text.utf8)).hexadecimal == digest)
    }

    @Test func `a digest of a million letters is that of the standard`() {
        #expect(
            SHA256Digest(of: [UInt8](repeating: 0x61, count: 1_000_000)).hexadecimal
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(arguments: [
        ("A", "b", true), ("x-y", "", true), ("", "b", false), ("a b", "c", false), ("a:", "c", false),
        ("a", "b\r\nc: d", false), ("a", "b\n", false), ("a", "\0", false), ("a\r", "b", false), ("a", "b\tc", true),
        ("a", "\u{e9}", true),
    ])
    func `fields that would begin another field are refused`(name: String, value: String, isGood: Bool) {
        #expect((HeaderFields.fault(name: ByteString(name), value: ByteString(value)) == nil) == isGood)
    }
}
