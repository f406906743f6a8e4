import TidemarkModel

/// The directives of `Cache-Control`, of a request or an answer.
///
/// The stricter one of repeated directives counts. A directive that cannot be read counts as its strictest reading:
/// a lifetime of nothing, no permission to serve stale.
///
/// - Source: RFC 9111, sections 4.2.1 and 5.2; RFC 5861; RFC 8246.
package struct CacheDirectives: Hashable, Sendable {
    /// The lifetimes are in seconds.
    package var maxAge: Int64?
    package var minFresh: Int64?
    /// The staleness that a request accepts; ``secondsMax`` for any.
    package var maxStale: Int64?
    package var staleWhileRevalidate: Int64?
    package var staleIfError: Int64?
    package var noStore = false
    package var noCache = false
    /// The fields that `no-cache` names, in lower case: they are not served without asking. The rest of the answer is.
    ///
    /// - Source: RFC 9111, section 5.2.2.4.
    package var noCacheFields: Set<ByteString> = []
    /// Whether only a cache that knows the requirements of the status may store the answer.
    ///
    /// - Source: RFC 9111, section 5.2.2.3.
    package var mustUnderstand = false
    /// Whether `must-understand` came with an argument, which it does not have: it then lifts no `no-store`.
    package var isMustUnderstandMalformed = false
    package var mustRevalidate = false
    package var isPublic = false
    package var immutable = false
    package var onlyIfCached = false

    package init() {}

    /// The largest number of seconds: 2^31, as RFC 9111, section 1.2.2 says.
    package static let secondsMax: Int64 = 1 << 31
    /// The largest number of directives that are read; more of them count as `no-store`.
    package static let countMax = 1_000

    /// - Complexity: O(bytes of the fields).
    package init(_ fields: HeaderFields) {
        let values = fields.values("cache-control")
        var count = 0
        for value in values {
            for member in ASCII.members(value.bytes) {
                count += 1
                guard count <= CacheDirectives.countMax else {
                    noStore = true
                    return
                }
                add(member)
            }
        }
    }

    /// Reads the directives of a request. `Pragma: no-cache` counts where there is no `Cache-Control`.
    ///
    /// - Source: RFC 9111, section 5.4.
    package static func request(_ fields: HeaderFields) -> CacheDirectives {
        var directives = CacheDirectives(fields)
        // The list of fields belongs to answers; a request means all of the answer.
        if !directives.noCacheFields.isEmpty { directives.noCache = true }
        if !fields.contains("cache-control"), let pragma = fields.combined("pragma"),
            ASCII.members(pragma.bytes).contains(where: { ASCII.equals(Array($0), lower: "no-cache".utf8) })
        {
            directives.noCache = true
        }
        return directives
    }

    private mutating func add(_ member: ArraySlice<UInt8>) {
        let equals = member.firstIndex(of: UInt8(ascii: "="))
        let head = member[..<(equals ?? member.endIndex)]
        let name = head.prefix(while: ASCII.isToken).map(ASCII.lowercased)
        // A name that ends early, as in `max-age =1`, is malformed. Its value cannot be trusted.
        let isWhole = name.count == head.count
        let value = equals.map { member[($0 + 1)...] }
        let seconds = isWhole ? value.flatMap(CacheDirectives.seconds) : nil
        switch String(decoding: name, as: UTF8.self) {
        case "max-age": maxAge = min(maxAge ?? CacheDirectives.secondsMax, seconds ?? 0)
        case "min-fresh": minFresh = max(minFresh ?? 0, seconds ?? CacheDirectives.secondsMax)
        case "max-stale":
            let accepted = value == nil && isWhole ? CacheDirectives.secondsMax : seconds ?? 0
            maxStale = min(maxStale ?? CacheDirectives.secondsMax, accepted)
        case "stale-while-revalidate":
            staleWhileRevalidate = min(staleWhileRevalidate ?? CacheDirectives.secondsMax, seconds ?? 0)
        case "stale-if-error": staleIfError = min(staleIfError ?? CacheDirectives.secondsMax, seconds ?? 0)
        case "no-store": noStore = true
        case "no-cache":
            if isWhole, let names = value.flatMap(CacheDirectives.names) {
                noCacheFields.formUnion(names)
            } else {
                noCache = true
            }
        case "must-understand":
            mustUnderstand = true
            if !isWhole || value != nil { isMustUnderstandMalformed = true }
        case "must-revalidate": mustRevalidate = true
        case "public": isPublic = isPublic || (isWhole && value == nil)
        case "immutable": immutable = immutable || (isWhole && value == nil)
        case "only-if-cached": onlyIfCached = onlyIfCached || isWhole
        default: break
        }
    }

    /// Reads names of fields, quoted or one as a token.
    ///
    /// - Returns: nil for a list that is empty, or has anything else.
    private static func names(_ value: ArraySlice<UInt8>) -> [ByteString]? {
        let names = ASCII.members(ASCII.unquoted(value) ?? Array(value))
        guard !names.isEmpty, names.count <= countMax, names.allSatisfy({ $0.allSatisfy(ASCII.isToken) }) else {
            return nil
        }
        return names.map { ByteString($0.map(ASCII.lowercased)) }
    }

    /// Reads delta-seconds, as a token or quoted.
    private static func seconds(_ value: ArraySlice<UInt8>) -> Int64? {
        ASCII.number(ASCII.unquoted(value) ?? Array(value), max: secondsMax)
    }
}
