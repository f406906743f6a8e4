import TidemarkModel

/// The part of ``Freshness`` that time does not change: what the fields of an answer say.
package struct FreshnessBasis: Hashable, Sendable {
    let lifetime: Int64
    let isExplicit: Bool
    /// The age when the answer came, or was confirmed, in milliseconds.
    let initialAge: Int64
    let directives: CacheDirectives

    /// - Complexity: O(bytes of the fields).
    package init(_ stored: StoredHead) {
        directives = CacheDirectives(stored.head.fields)
        (lifetime, isExplicit) = Freshness.lifetime(stored.head, directives, answeredAt: stored.answeredAt)
        initialAge = Freshness.initialAge(stored)
    }
}

/// The lifetime and the age of an answer: RFC 9111, section 4.2, for a private cache.
///
/// Messages speak of whole seconds; what is compared here has milliseconds, so that a request with `max-age=0` is asked
/// also within the second in which the answer was stored.
package struct Freshness: Hashable, Sendable {
    /// The lifetime; `s-maxage` has no meaning for a private cache.
    ///
    /// In seconds.
    package var lifetime: Int64
    /// Whether the answer itself says how long it is fresh.
    package var isExplicit: Bool
    private var ageMilliseconds: Int64
    /// Whether the clock allows a judgement; see ``StoredHead/isFromFuture(at:)``.
    private var isFromFuture: Bool
    package var directives: CacheDirectives

    /// The longest heuristic lifetime: one day.
    package static let heuristicMax: Int64 = 86_400

    package init(_ stored: StoredHead, at now: Int64) { self.init(FreshnessBasis(stored), of: stored, at: now) }

    /// - Parameter basis: Of the answer.
    package init(_ basis: FreshnessBasis, of stored: StoredHead, at now: Int64) {
        directives = basis.directives
        lifetime = basis.lifetime
        isExplicit = basis.isExplicit
        ageMilliseconds = min(
            basis.initialAge.addingClamped(stored.millisecondsSinceConfirmed(at: now)),
            CacheDirectives.secondsMax * 2_000)
        isFromFuture = stored.isFromFuture(at: now)
    }

    /// The age in whole seconds, rounded down, as the field `Age` gives it.
    package var age: Int64 { ageMilliseconds / 1_000 }

    package var isFresh: Bool { !isFromFuture && lifetime * 1_000 > ageMilliseconds }

    /// The seconds since the answer stopped being fresh; 0 while it is, nil when the clock allows no judgement.
    package var staleness: Int64? { isFromFuture ? nil : max(0, ageMilliseconds - lifetime * 1_000) / 1_000 }

    /// The seconds until the answer is stale; negative afterwards.
    package var left: Int64 { isFromFuture ? 0 : lifetime - age }

    /// Tells whether the answer stopped being fresh at most so many seconds ago, or is fresh; false when the clock
    /// allows no judgement.
    package func isStale(byAtMost seconds: Int64) -> Bool {
        !isFromFuture && ageMilliseconds - lifetime * 1_000 <= seconds * 1_000
    }

    /// Tells whether the answer is fresh for so many seconds more.
    func isFresh(for seconds: Int64) -> Bool {
        !isFromFuture && lifetime * 1_000 - ageMilliseconds >= seconds * 1_000
    }

    /// Tells whether the answer is older than a request accepts: with `max-age=0` after a millisecond.
    ///
    /// - Source: RFC 9111, section 5.2.1.1.
    func isOlder(than seconds: Int64) -> Bool { ageMilliseconds > seconds * 1_000 }

    /// Returns the lifetime of an answer.
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
            // Of several the earliest counts; one that is no date means that the answer is stale (5.3).
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

    /// Returns the age in milliseconds that an answer had when it came; its current age is that and the time since.
    ///
    /// - Source: RFC 9111, section 4.2.3.
    static func initialAge(_ stored: StoredHead) -> Int64 {
        let answered = stored.answeredAt / 1_000
        let apparent = date(stored.head).map { max(0, answered.subtractingClamped($0)) } ?? 0
        let delay = max(0, stored.answeredAt.subtractingClamped(stored.requestedAt))
        return max(
            min(apparent, CacheDirectives.secondsMax * 2) * 1_000, (ageValue(stored.head) * 1_000).addingClamped(delay))
    }

    /// Returns the value of `Age`: the first of a list, 0 for one that cannot be read.
    ///
    /// - Source: RFC 9111, section 5.1.
    static func ageValue(_ head: ResponseHead) -> Int64 {
        guard let value = head.fields.first("age"), let first = ASCII.members(value.bytes).first else { return 0 }
        return ASCII.number(first, max: CacheDirectives.secondsMax) ?? 0
    }

    /// Returns the instant of `Date` in seconds; nil where it is absent or cannot be read.
    static func date(_ head: ResponseHead) -> Int64? {
        head.fields.first("date").flatMap { HTTPDate.parse($0) }
    }
}
