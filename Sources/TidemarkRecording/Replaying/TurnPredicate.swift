import Tidemark
import TidemarkModel
import TidemarkStore

/// A condition on a cache's state, to search for the step that changes it.
package indirect enum TurnPredicate: Sendable {
    /// Holds if the returned predicate holds for at least one library. The closure is called for each existing library
    /// at each evaluation.
    case ofAnyLibrary(@Sendable (ByteString) -> TurnPredicate)
    /// Holds if an entity exists in its visible form, pending edits included.
    case exists(EntityKey)
    /// Holds if an entity exists in its visible form and meets a rule.
    case matches(EntityKey, Membership)
    /// Holds if the stored list of a query contains an entity.
    case holds(QueryKey, EntityKey)
    /// Holds if a library is in a state.
    case isIn(library: ByteString, phase: LibraryPhase)
    /// Holds if a function returns true: for parts of a cache that recordings do not know.
    case fulfils(@Sendable (SyncCache) async throws(CacheError) -> Bool)

    /// Creates a predicate that holds if an entity meets a condition.
    ///
    /// - Parameter condition: A `where` as in Protocol/queries.md, in JSON.
    /// - Throws: ``/TidemarkStore/MembershipError`` when the condition is malformed.
    package init(_ key: EntityKey, where condition: [UInt8]) throws(MembershipError) {
        self = .matches(key, try TurnPredicate.rule(key.type, where: condition))
    }

    /// Returns the rule for a condition on entities of one type.
    ///
    /// - Throws: ``/TidemarkStore/MembershipError`` when the condition is malformed.
    package static func rule(_ type: ByteString, where condition: [UInt8]) throws(MembershipError) -> Membership {
        try Membership(json: Array(#"{"resource_type":"\#(type)","where":"#.utf8) + condition + Array("}".utf8))
    }

    /// Returns true if the predicate holds now.
    ///
    /// - Throws: ``/Tidemark/CacheError`` when an entity cannot be read.
    package func holds(in cache: SyncCache) async throws(CacheError) -> Bool {
        switch self {
        case .ofAnyLibrary(let predicate):
            for library in await cache.libraries().map(\.library) {
                if try await predicate(library).holds(in: cache) { return true }
            }
            return false
        case .exists(let key):
            return try await cache.read(EntityRequest(key)).entity != nil
        case .matches(let key, let rule):
            guard let entity = try await cache.read(EntityRequest(key)).entity else { return false }
            return entity.withUnsafeBytes { rule.matches($0) }
        case .holds(let query, let key):
            return await cache.holds(key, in: query) ?? false
        case .isIn(let library, let phase):
            return await cache.status(of: library).phase == phase
        case .fulfils(let condition):
            return try await condition(cache)
        }
    }
}
