import TidemarkModel
import TidemarkViews

/// One scope that somebody holds: its uses of views, its entities and its log.
struct HeldScope: Sendable {
    /// How far a scope is.
    enum Phase: Sendable {
        /// Its rules are being evaluated.
        case filling
        /// Its log goes on.
        case open
        /// `require` does not hold. If the scope never had a log, its types are not evaluated either: how long that
        /// takes would tell how much there is to hide.
        case forbidden
        /// It is not in the file any more, or the file defines it in another way.
        case replaced
    }

    let definition: ScopeDefinition
    let parameters: ScopeParameters
    let library: ByteString
    /// The uses of `require`, then those of the types.
    var uses: [ViewUseID]
    var phase = Phase.filling
    var holderCount = 1
    /// How many of the uses are evaluated.
    var filledCount = 0
    /// For each condition of `require`, how many rows it has.
    var matchCounts: [Int]
    /// The entities that the rules let in, while the scope shows none of them.
    var withheld: Set<UInt32> = []
    /// The log; nil before the scope was open for the first time.
    var log: ScopeLog?
    /// How the scope ends for its readers, once it is replaced; nil if they are given another one.
    var bye: ScopeBye?
    /// A stored log, until the scope is evaluated.
    var image: ScopeLogImage?

    /// True while every condition of `require` has a match.
    var isAllowed: Bool { matchCounts.allSatisfy { $0 > 0 } }

    /// What is sent of entities of a type.
    func projection(of type: ByteString) -> ScopeProjection? {
        definition.types.first { $0.type == type }?.projection
    }

    /// What is sent of an entity with a resource.
    func sent(_ key: ViewKey, _ state: ViewEntityState) -> [UInt8]? {
        state.resource.flatMap { resource in projection(of: key.type)?.sent(resource) }
    }
}

/// The entities of a library as one scope shows them.
struct ShownEntities: ScopeSource {
    let scope: HeldScope
    let views: ViewSet
    let entities: any ViewEntities

    func key(of number: UInt32) -> ViewKey { views.key(of: number) }

    func sent(_ key: ViewKey) -> [UInt8]? { scope.sent(key, entities.state(of: key)) }
}
