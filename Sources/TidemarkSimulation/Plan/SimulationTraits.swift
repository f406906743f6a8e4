import TidemarkTesting

/// The properties of a whole schedule, drawn once from its seed.
package struct SimulationTraits: Sendable {
    /// The weights of ``SimulationInput/Kind``, in order; some are zero.
    package let weights: [Int]
    /// True if the log names epochs.
    package let hasEpochs: Bool
    /// True if the log skips sequences, as a filtered stream does.
    package let isFiltered: Bool
    /// True if the cache has an upstream for missing events.
    package let hasUpstream: Bool
    /// True if entities stay in memory only until they are written.
    package let isDiskOnly: Bool
    /// The limit on entities in both tiers; nil for no limit.
    package let entityCountMax: Int64?
    /// How many ids there are besides the five that are drawn half of the time.
    package let coldIDCount: Int

    /// True if valid lines may name sequences far ahead of the log.
    package let hasLies: Bool

    /// True if the cache sends edits to the server itself.
    package let sends: Bool

    /// True if a GraphQL client uses the cache in addition to the host.
    package let asksGraph: Bool

    /// True if answers name no log position, so that the order of questions and of other writes decides. Libraries are
    /// then cleared too, and the server numbers its writes.
    package let asksRacing: Bool

    /// True if scopes are served to clients, whose lines and state are checked.
    package let hasScopes: Bool

    /// How many entities it takes for the database to store them in blocks; nil for never.
    package let blockEntityCountMin: Int64?

    /// Draws the properties.
    ///
    /// - Parameter isQuiet: True for a schedule without faults.
    package init(seed: UInt64, isQuiet: Bool = false) {
        var random = SeededGenerator(seed: seed ^ 0x7261_6974)
        hasEpochs = random.chance(600)
        isFiltered = random.chance(250)
        hasUpstream = random.chance(750)
        isDiskOnly = random.chance(400)
        let evicts = random.chance(150)
        entityCountMax = evicts ? Int64(4 + random.below(8)) : nil
        let coldIDs = random.pick([2, 10, 40])
        let hasFaults = random.chance(800) && !isQuiet
        hasLies = hasFaults && random.chance(250)
        // Drawn from generators of their own, so that adding these properties did not change other schedules.
        var chances = SeededGenerator(seed: seed ^ 0x6F75_7462_6F78)
        sends = chances.chance(200)
        var forms = SeededGenerator(seed: seed ^ 0x626C_6F63_6B73)
        blockEntityCountMin = forms.chance(500) ? Int64(1 + forms.below(20)) : nil
        var documents = SeededGenerator(seed: seed ^ 0x6772_6170_6871)
        // With false sequences the position of an answer is unknown, because it is the cursor at the time of the
        // question. With eviction the unselected fields of an evicted entity are unknown.
        let mayAskGraph = !hasLies && entityCountMax == nil && documents.chance(300)
        var races = SeededGenerator(seed: seed ^ 0x7175_6573_7469)
        // Requests of the outbox name positions, and a cache that evicts may show an older value again.
        asksRacing = !hasLies && !sends && entityCountMax == nil && !isQuiet && races.chance(400)
        asksGraph = mayAskGraph || asksRacing && races.chance(400)
        var clients = SeededGenerator(seed: seed ^ 0x7363_6F70_6573)
        // A server of scopes evicts nothing.
        hasScopes = entityCountMax == nil && !isQuiet && clients.chance(300)
        // With few ids, answers and events more often concern the same entity.
        coldIDCount = asksRacing ? min(coldIDs, 10) : coldIDs
        var weights: [Int] = []
        for kind in SimulationInput.Kind.allCases {
            let drawn = random.pick([0, 1, 1, 4])
            weights.append(Self.weight(kind, drawn: drawn, hasFaults: hasFaults))
        }
        func weigh(_ kind: SimulationInput.Kind, _ weight: Int) {
            if let place = SimulationInput.Kind.allCases.firstIndex(of: kind) { weights[place] = weight }
        }
        // A test that ends a process at every change of its disk needs many changes.
        if isQuiet { for kind in [SimulationInput.Kind.wait, .flush, .update, .answerUpdate, .put] { weigh(kind, 8) } }
        if sends { weigh(.update, 10) }
        if !hasEpochs { weigh(.restart, 0) }
        if asksGraph {
            for kind in [SimulationInput.Kind.writeDocument, .fetchDocument, .watchDocument, .mutateDocument] {
                weigh(kind, documents.pick(asksRacing ? [6, 12, 16] : [0, 6, 12]))
            }
        }
        if asksRacing {
            for kind in [SimulationInput.Kind.invalidate, .clear, .put] { weigh(kind, races.pick([0, 3, 8])) }
            for kind in [SimulationInput.Kind.fetch, .answerUpdate] { weigh(kind, races.pick([8, 16, 24])) }
            weigh(.update, 8)
            weigh(.wait, 16)
            // After a server was restored, older values are correct.
            weigh(.restore, 0)
        }
        self.weights = weights
    }

    /// Returns the weight of a kind. Most inputs of a schedule are events; faults are rare, and absent from some
    /// schedules.
    private static func weight(_ kind: SimulationInput.Kind, drawn: Int, hasFaults: Bool) -> Int {
        switch kind {
        case .change: 30
        case .deliver: 24
        case .batch: 2 * drawn
        case .wait, .flush: 2 + 2 * drawn
        case .update, .answerUpdate, .put, .fetch, .observe: 3 * drawn
        case .heartbeat, .cancel, .stall, .invalidate, .remove, .rollBack, .waitLong: drawn
        case .drop, .duplicate, .reorder, .truncate, .rubbish, .lateCopy: hasFaults ? 2 * drawn : 0
        case .lie: hasFaults ? 1 : 0
        case .writeDocument, .fetchDocument, .watchDocument, .mutateDocument, .clear: 0
        case .poison, .restart, .restore, .upstreamFault, .upstreamLate, .queryFault: hasFaults ? drawn : 0
        case .slowDisk, .diskFails, .diskFull, .readFails, .stopAtChange, .kill, .reopen: hasFaults ? drawn : 0
        }
    }
}
