/// How large the suite of scopes is.
struct ScopeSizes {
    let isSmoke: Bool
    /// The clients of one scope, for the memory of one.
    var memoryClientCount: Int { isSmoke ? 50 : 2_000 }
    /// The scopes for the memory of one, and the entities of each.
    var scopeCount: Int { isSmoke ? 20 : 2_000 }
    let scopeEntityCount = 100
    /// The clients, scopes, entities and events of a busy server.
    var busyClientCount: Int { isSmoke ? 40 : 1_000 }
    var busyScopeCount: Int { isSmoke ? 8 : 200 }
    var busyEntityCount: Int { isSmoke ? 400 : 20_000 }
    var busyEventCount: Int { isSmoke ? 600 : 200_000 }
    var hiddenEventCount: Int { isSmoke ? 600 : 100_000 }
    /// The events at a fixed rate, which leaves a third of the processors free.
    var pacedEventCount: Int { isSmoke ? 500 : 30_000 }
    var pacedEventsPerSecond: Int { isSmoke ? 1_000 : 5_000 }
    static let pieceEventCount = 50
    /// The entities that one membership moves, and those of a first state.
    var movedEntityCount: Int { isSmoke ? 200 : 10_000 }
    /// The clients, scopes and entities of an idle server.
    var idleClientCount: Int { isSmoke ? 100 : 10_000 }
    var idleScopeCount: Int { isSmoke ? 20 : 2_000 }
    var idleEntityCount: Int { isSmoke ? 1_000 : 1_000_000 }
}
