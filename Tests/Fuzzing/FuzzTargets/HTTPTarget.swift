import TidemarkHTTPRules
import TidemarkModel

/// Messages of HTTP: the lines of a request, an empty line, and those of an answer. Their first lines are a URL and a
/// status.
///
/// Every parser takes any bytes; what is read is within its bounds; a normal form is its own normal form; the answers
/// of two users are never mixed; nothing that forbids storing is stored; nothing stale is served unasked without leave.
enum HTTPTarget {
    static let target = FuzzTarget("http", byteCountMax: 4_096, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        let middle = lines.firstIndex(of: []) ?? lines.count
        let (url, fields) = (lines.first ?? [], self.fields(lines.prefix(middle).dropFirst()))
        let rest = lines.dropFirst(middle + 1)
        let status = 100 + Int(rest.first?.first ?? 100) * 2 % 500
        let answer = ResponseHead(status: status, fields: self.fields(rest.dropFirst()))
        let base: HTTPURL
        do throws(HTTPURL.Fault) {
            base = try HTTPURL("http://a.test/b?c")
        } catch {
            throw FuzzFinding("a URL is refused")
        }
        try checkURL(url, base)
        try checkFields(answer.fields)
        let request = RequestHead(
            method: "GET", url: base.resolving(ByteString(url)) ?? base, fields: fields)
        try checkRules(request, answer)
        try checkVariants(fields, answer.fields)
    }

    private static func fields(_ lines: some Sequence<[UInt8]>) -> HeaderFields {
        HeaderFields(
            lines.prefix(HeaderFields.countMax).map { line in
                let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
                return .init(ByteString(Array(parts[0])), ByteString(parts.count == 2 ? Array(parts[1]) : []))
            })
    }

    private static func checkURL(_ text: [UInt8], _ base: HTTPURL) throws {
        guard let url = base.resolving(ByteString(text)) else { return }
        try requireEqual(again(url.text), url, "the normal form of \(url.text)")
        try requireEqual(base.resolving(url.text), url, "the reference \(url.text)")
        try require(url.text.bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }, "a URL has a byte of its own")
        try require((1...65_535).contains(url.port), "a URL has port \(url.port)")
    }

    private static func again(_ text: ByteString) -> HTTPURL? {
        do throws(HTTPURL.Fault) { return try HTTPURL(text) } catch { return nil }
    }

    private static func checkFields(_ fields: HeaderFields) throws {
        let directives = CacheDirectives(fields)
        for seconds in [
            directives.maxAge, directives.minFresh, directives.maxStale, directives.staleIfError,
            directives.staleWhileRevalidate,
        ] {
            try require(seconds.map { 0...CacheDirectives.secondsMax ~= $0 } ?? true, "a directive has \(seconds ?? 0)")
        }
        for field in fields.fields {
            if let date = HTTPDate.parse(field.value, now: 1_700_000_000) {
                try requireEqual(HTTPDate.parse(ByteString(HTTPDate.text(date))), date, "the date \(field.value)")
            }
            let ranged = HeaderFields([.init("Range", field.value), .init("Content-Range", field.value)])
            if let ranges = RequestedRange.list(ranged) {
                for bounds in RequestedRange.bounds(ranges, in: 1_000) {
                    try require(0 <= bounds.lowerBound && bounds.upperBound <= 1_000, "a range is \(bounds)")
                    try require(!bounds.isEmpty, "a range has no bytes")
                }
            }
            if let place = ContentRange.of(ranged) {
                let written = HeaderFields([.init("Content-Range", ByteString(place.text))])
                try requireEqual(ContentRange.of(written), place, "the place \(field.value)")
            }
            if let tag = EntityTag(field.value.bytes) {
                try require(tag.matchesWeakly(tag), "a tag is not itself")
                try require(!tag.matchesStrongly(tag) || !tag.isWeak, "a weak tag matches strongly")
            }
        }
    }

    private static func checkRules(_ request: RequestHead, _ answer: ResponseHead) throws {
        let came: Int64 = 1_700_000_000_000
        let stored = StoredHead(head: answer, requestedAt: came - 1_000, answeredAt: came, byteCount: 100)
        let mayStore = StorageRules.mayStore(answer, to: request, isKeyed: false)
        let directives = CacheDirectives(answer.fields)
        if mayStore {
            try require(!directives.noStore || directives.mustUnderstand, "an answer with no-store is stored")
            try require(!CacheDirectives(request.fields).noStore, "an answer to no-store is stored")
            try require(Vary(answer.fields) != .anything, "an answer with Vary: * is stored")
        }
        if StorageRules.mayStoreUnderOptions(answer, to: request, isKeyed: false) {
            try require(!directives.noStore, "an answer with no-store is stored under options")
        }
        var freshBefore = true
        for later in [0, 1, 10, 100, 1_000, 100_000, 10_000_000] as [Int64] {
            let now = came + later * 1_000
            let freshness = Freshness(stored, at: now)
            try require(freshness.age >= later, "an answer is younger than it lies here")
            try require(freshness.lifetime >= 0, "a lifetime is negative")
            try require(freshBefore || !freshness.isFresh, "an answer becomes fresh again")
            freshBefore = freshness.isFresh
            let decision = CacheDecision.of(request, stored, .standard, at: now)
            guard case .serve = decision else { continue }
            try require(!directives.noCache, "an answer with no-cache is served unasked")
            try require(freshness.isFresh || !directives.mustRevalidate, "a stale must-revalidate is served unasked")
            if !freshness.isFresh {
                let isAllowed =
                    CacheDirectives.request(request.fields).maxStale != nil || directives.staleWhileRevalidate != nil
                try require(isAllowed, "a stale answer is served without leave")
            }
        }
        try require(!Freshness(stored, at: came - 1).isFresh, "an answer from the future is fresh")
        let outcome = ResponseRules.outcome(
            answer, to: request, over: stored, .standard, isConditional: true, isKeyed: false, at: came)
        try require(outcome != .confirmed || answer.status == 304, "\(answer.status) confirms")
        if case .follow(let next, _) = RedirectRules.step(answer, to: request), next.url.origin != request.url.origin {
            try require(
                !next.fields.contains("authorization") && !next.fields.contains("cookie"),
                "credentials go to another origin")
        }
        let kept = StoredHead.storable(answer.fields)
        try require(!kept.contains("set-cookie") && !kept.contains("transfer-encoding"), "a field is stored")
        try requireEqual(StoredHead.storable(kept), kept, "the fields that are stored")
        switch RangeRules.outcome(request, stored) {
        case .part(let bounds, _):
            try require(0 <= bounds.lowerBound && bounds.upperBound <= 100, "a part is \(bounds) of 100 bytes")
        case .parts(let parts):
            for part in parts {
                try require(0 <= part.bounds.lowerBound && part.bounds.upperBound <= 100, "a part is \(part)")
            }
        case .whole, .unsatisfiable, .lacking: break
        }
    }

    private static func checkVariants(_ request: HeaderFields, _ answer: HeaderFields) throws {
        guard case .names(let names) = Vary(answer) else { return }
        let salt: [UInt8] = [1, 2, 3]
        let variant = Variant(request, names: names, salt: salt)
        try require(variant.matches(request, salt: salt), "a request does not match itself")
        for name in ["Authorization", "Cookie"] {
            var other = request
            other.append(name, "of somebody else")
            try require(!variant.matches(other, salt: salt), "\(name) of another user matches")
        }
    }
}
