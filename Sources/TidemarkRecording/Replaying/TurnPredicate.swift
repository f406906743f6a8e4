import Tidemark
import TidemarkModel
import TidemarkStore

/// Something that is true of a cache, or not.
package indirect enum TurnPredicate: Sendable {
    /// It is true of one library at least of those that there are. Made for each of them anew, as they come.
    case ofAnyLibrary(@Sendable (ByteString) -> TurnPredicate)
    /// An entity is there, as its user sees it.
    case exists(EntityKey)
    /// It is there, and a condition holds for it.
    case matches(EntityKey, Membership)
    /// A query's list holds it.
    case holds(QueryKey, EntityKey)
    /// A library is in a state.
    case isIn(library: ByteString, phase: LibraryPhase)

    /// - Parameter condition: A `where` of Protocol/queries.md.
    /// - Throws: ``TidemarkStore/MembershipError``.
    package init(_ key: EntityKey, where condition: [UInt8]) throws(MembershipError) {
        self = .matches(key, try TurnPredicate.rule(key.type, where: condition))
    }

    /// The rule of a condition on entities of one type.
    ///
    /// - Throws: ``TidemarkStore/MembershipError``.
    package static func rule(_ type: ByteString, where condition: [UInt8]) throws(MembershipError) -> Membership {
        try Membership(json: Array(#"{"resource_type":"\#(type)","where":"#.utf8) + condition + Array("}".utf8))
    }

    /// Whether it is true now.
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
