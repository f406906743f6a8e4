import TidemarkModel

/// The directives of `Cache-Control` in a request or a response.
///
/// Of repeated directives the strictest one counts. An invalid directive gets its strictest meaning: a lifetime of
/// zero, or no permission to serve stale responses.
///
/// - Source: RFC 9111, sections 4.2.1 and 5.2; RFC 5861; RFC 8246.
package struct CacheDirectives: Hashable, Sendable {
    /// `max-age` in seconds; nil if absent.
    package var maxAge: Int64?
    /// `min-fresh` of a request, in seconds; nil if absent.
    package var minFresh: Int64?
    /// `max-stale` of a request, in seconds; ``secondsMax`` without a value, nil if absent.
    package var maxStale: Int64?
    /// `stale-while-revalidate` in seconds; nil if absent.
    package var staleWhileRevalidate: Int64?
    /// `stale-if-error` in seconds; nil if absent.
    package var staleIfError: Int64?
    /// True for `no-store`, and if there are too many directives.
    package var noStore = false
    /// True for `no-cache` without names of fields.
    package var noCache = false
    /// The fields that `no-cache` names, in lowercase. They are served only after revalidation; the rest of the
    /// response is served without.
    ///
    /// - Source: RFC 9111, section 5.2.2.4.
    package var noCacheFields: Set<ByteString> = []
    /// True for `must-understand`: only a cache that knows the requirements of the status may store the response.
    ///
    /// - Source: RFC 9111, section 5.2.2.3.
    package var mustUnderstand = false
    /// True if `must-understand` has an argument, which is invalid: it then does not override `no-store`.
    package var isMustUnderstandMalformed = false
    /// True for `must-revalidate`: the response must not be served stale.
    package var mustRevalidate = false
    /// True for `public`.
    package var isPublic = false
    /// True for `immutable`: a reload need not revalidate the response while it is fresh.
    package var immutable = false
    /// True for `only-if-cached` of a request: the server must not be asked.
    package var onlyIfCached = false

    /// Creates an empty set of directives.
    package init() {}

    /// The largest number of seconds: 2^31, as in RFC 9111, section 1.2.2.
    package static let secondsMax: Int64 = 1 << 31
    /// The largest number of directives. More of them count as `no-store`.
    package static let countMax = 1_000

    /// Reads the directives of a message.
    ///
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

    /// Reads the directives of a request. `Pragma: no-cache` counts if there is no `Cache-Control`.
    ///
    /// - Source: RFC 9111, section 5.4.
    package static func request(_ fields: HeaderFields) -> CacheDirectives {
        var directives = CacheDirectives(fields)
        // Names of fields are for responses only; in a request `no-cache` means the whole response.
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
        // A name followed by other characters, as in `max-age =1`, is malformed, so its value cannot be trusted.
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

    /// Parses names of fields: a quoted list, or one name as a token.
    ///
    /// - Returns: nil if the list is empty, or has anything but names.
    private static func names(_ value: ArraySlice<UInt8>) -> [ByteString]? {
        let names = ASCII.members(ASCII.unquoted(value) ?? Array(value))
        guard !names.isEmpty, names.count <= countMax, names.allSatisfy({ $0.allSatisfy(ASCII.isToken) }) else {
            return nil
        }
        return names.map { ByteString($0.map(ASCII.lowercased)) }
    }

    /// Parses a number of seconds, which may be quoted.
    private static func seconds(_ value: ArraySlice<UInt8>) -> Int64? {
        ASCII.number(ASCII.unquoted(value) ?? Array(value), max: secondsMax)
    }
}
