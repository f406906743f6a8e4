import TidemarkModel

/// The part of ``Freshness`` that follows from the fields of a response and does not change with time.
package struct FreshnessBasis: Hashable, Sendable {
    let lifetime: Int64
    let isExplicit: Bool
    /// The age when the response arrived or was last confirmed, in milliseconds.
    let initialAge: Int64
    let directives: CacheDirectives

    /// Evaluates the fields of a response.
    ///
    /// - Complexity: O(bytes of the fields).
    package init(_ stored: StoredHead) {
        directives = CacheDirectives(stored.head.fields)
        (lifetime, isExplicit) = Freshness.lifetime(stored.head, directives, answeredAt: stored.answeredAt)
        initialAge = Freshness.initialAge(stored)
    }
}

/// The lifetime and the age of a stored response by RFC 9111, section 4.2, for a private cache.
///
/// Messages give whole seconds, but comparisons are made in milliseconds, so that a request with `max-age=0` is
/// revalidated even within the second in which the response was stored.
package struct Freshness: Hashable, Sendable {
    /// The lifetime in seconds. `s-maxage` does not apply to a private cache.
    package var lifetime: Int64
    /// True if the response itself states its lifetime; false for a heuristic.
    package var isExplicit: Bool
    private var ageMilliseconds: Int64
    /// True if the age is unknown because of the clock; see ``StoredHead/isFromFuture(at:)``.
    private var isFromFuture: Bool
    /// The directives of the response.
    package var directives: CacheDirectives

    /// The longest heuristic lifetime, in seconds: one day.
    package static let heuristicMax: Int64 = 86_400

    /// Evaluates a stored response at a time.
    package init(_ stored: StoredHead, at now: Int64) { self.init(FreshnessBasis(stored), of: stored, at: now) }

    /// Evaluates a stored response at a time, with the part that was computed before.
    ///
    /// - Parameter basis: The constant part for this response.
    package init(_ basis: FreshnessBasis, of stored: StoredHead, at now: Int64) {
        directives = basis.directives
        lifetime = basis.lifetime
        isExplicit = basis.isExplicit
        ageMilliseconds = min(
            basis.initialAge.addingClamped(stored.millisecondsSinceConfirmed(at: now)),
            CacheDirectives.secondsMax * 2_000)
        isFromFuture = stored.isFromFuture(at: now)
    }

    /// The age in whole seconds, rounded down, for the field `Age`.
    package var age: Int64 { ageMilliseconds / 1_000 }

    /// True if the response is fresh; false if its age is unknown.
    package var isFresh: Bool { !isFromFuture && lifetime * 1_000 > ageMilliseconds }

    /// How long ago the response became stale, in seconds; 0 while it is fresh, nil if its age is unknown.
    package var staleness: Int64? { isFromFuture ? nil : max(0, ageMilliseconds - lifetime * 1_000) / 1_000 }

    /// How long the response stays fresh, in seconds; negative once it is stale, 0 if its age is unknown.
    package var left: Int64 { isFromFuture ? 0 : lifetime - age }

    /// True if the response is fresh, or became stale at most this many seconds ago; false if its age is unknown.
    package func isStale(byAtMost seconds: Int64) -> Bool {
        !isFromFuture && ageMilliseconds - lifetime * 1_000 <= seconds * 1_000
    }

    /// True if the response stays fresh for this many seconds.
    func isFresh(for seconds: Int64) -> Bool {
        !isFromFuture && lifetime * 1_000 - ageMilliseconds >= seconds * 1_000
    }

    /// True if the response is older than a request accepts. With `max-age=0` that is so after a millisecond.
    ///
    /// - Source: RFC 9111, section 5.2.1.1.
    func isOlder(than seconds: Int64) -> Bool { ageMilliseconds > seconds * 1_000 }

    /// Returns the lifetime of a response.
    ///
    /// - Source: RFC 9111, sections 4.2.1 and 4.2.2.
    static func lifetime(
        _ head: ResponseHead, _ directives: CacheDirectives, answeredAt: Int64
    ) -> (seconds: Int64, isExplicit: Bool) {
        if let maxAge = directives.maxAge { return (maxAge, true) }
        let now = answeredAt / 1_000
        let date = Freshness.date(head) ?? now
        let expires = head.fields.values("expires")
        if !expires.isEmpty {
            // Of several dates the earliest counts; an invalid one means that the response is stale (5.3).
            let instants = expires.map { HTTPDate.parse($0, now: now) }
            let seconds = instants.map { $0.map { max(0, $0.subtractingClamped(date)) } ?? 0 }.min() ?? 0
            return (min(seconds, CacheDirectives.secondsMax), true)
        }
        guard StorageRules.heuristicStatuses.contains(head.status) || directives.isPublic,
            let modified = head.fields.first("last-modified").flatMap({ HTTPDate.parse($0, now: now) }),
            modified < date
        else { return (0, false) }
        return (min(heuristicMax, (date - modified) / 10), false)
    }

    /// Returns the age that a response had when it arrived, in milliseconds. Its current age is this plus the time
    /// since.
    ///
    /// - Source: RFC 9111, section 4.2.3.
    static func initialAge(_ stored: StoredHead) -> Int64 {
        let answered = stored.answeredAt / 1_000
        let apparent = date(stored.head).map { max(0, answered.subtractingClamped($0)) } ?? 0
        let delay = max(0, stored.answeredAt.subtractingClamped(stored.requestedAt))
        return max(
            min(apparent, CacheDirectives.secondsMax * 2) * 1_000, (ageValue(stored.head) * 1_000).addingClamped(delay))
    }

    /// Returns the value of `Age`: the first of a list, and 0 if it is invalid.
    ///
    /// - Source: RFC 9111, section 5.1.
    static func ageValue(_ head: ResponseHead) -> Int64 {
        guard let value = head.fields.first("age"), let first = ASCII.members(value.bytes).first else { return 0 }
        return ASCII.number(first, max: CacheDirectives.secondsMax) ?? 0
    }

    /// Returns the time in `Date`, in seconds since 1970; nil if it is absent or invalid.
    static func date(_ head: ResponseHead) -> Int64? {
        head.fields.first("date").flatMap { HTTPDate.parse($0) }
    }
}
