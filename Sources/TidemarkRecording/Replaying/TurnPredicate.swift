import Tidemark
import TidemarkModel
import TidemarkStore

/// A statement about a cache that is true or false.
package indirect enum TurnPredicate: Sendable {
    /// The statement is true of at least one library. The closure is called for each existing library on each
    /// evaluation.
    case ofAnyLibrary(@Sendable (ByteString) -> TurnPredicate)
    /// An entity is visible.
    case exists(EntityKey)
    /// An entity is visible, and a condition holds for it.
    case matches(EntityKey, Membership)
    /// The list of a query contains an entity.
    case holds(QueryKey, EntityKey)
    /// A library is in a state.
    case isIn(library: ByteString, phase: LibraryPhase)

    /// - Parameter condition: A `where` as in Protocol/queries.md.
    /// - Throws: ``TidemarkStore/MembershipError``.
    package init(_ key: EntityKey, where condition: [UInt8]) throws(MembershipError) {
        self = .matches(key, try TurnPredicate.rule(key.type, where: condition))
    }

    /// Returns the rule for a condition on entities of one type.
    ///
    /// - Throws: ``TidemarkStore/MembershipError``.
    package static func rule(_ type: ByteString, where condition: [UInt8]) throws(MembershipError) -> Membership {
        try Membership(json: Array(#"{"resource_type":"\#(type)","where":"#.utf8) + condition + Array("}".utf8))
    }

    /// Tells whether the statement is true now.
    ///
    /// - Throws: ``Tidemark/CacheError`` when an entity cannot be read.
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
        }
    }
}
