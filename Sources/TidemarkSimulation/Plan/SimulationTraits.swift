import TidemarkTesting

/// The properties of a whole schedule, drawn once from its seed.
package struct SimulationTraits: Sendable {
    /// The weights of ``SimulationInput/Kind``, in order; some are zero.
    package let weights: [Int]
    package let hasEpochs: Bool
    /// Whether the log skips sequences, as a stream that somebody filters does.
    package let isFiltered: Bool
    package let hasUpstream: Bool
    /// Whether no written entity stays in memory.
    package let isDiskOnly: Bool
    /// The limit of entities in both tiers; nil for any number.
    package let entityCountMax: Int64?
    /// The number of ids beside the five that are drawn all the time.
    package let coldIDCount: Int

    /// Whether valid lines come whose numbers are far ahead of the log.
    package let hasLies: Bool

    /// Whether the cache sends edits to the server by itself.
    package let sends: Bool

    /// Whether a GraphQL client uses the cache beside the host.
    package let asksGraph: Bool

    /// Whether answers name no place in the log, so that the order of questions and of what happens meanwhile decides;
    /// libraries are cleared, too, and writes of the server are numbered.
    package let asksRacing: Bool

    /// The number of entities from which the database keeps them in blocks; nil: never.
    package let blockEntityCountMin: Int64?

    /// - Parameter isQuiet: Whether nothing goes wrong by itself.
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
        // Drawn apart, so that every other schedule is what it was before edits were sent.
        var chances = SeededGenerator(seed: seed ^ 0x6F75_7462_6F78)
        sends = chances.chance(200)
        var forms = SeededGenerator(seed: seed ^ 0x626C_6F63_6B73)
        blockEntityCountMin = forms.chance(500) ? Int64(1 + forms.below(20)) : nil
        var documents = SeededGenerator(seed: seed ^ 0x6772_6170_6871)
        // False numbers leave the place of an answer open, which is the cursor when it was asked for; and an answer
        // with some fields of an evicted entity leaves the others open.
        let mayAskGraph = !hasLies && entityCountMax == nil && documents.chance(300)
        var races = SeededGenerator(seed: seed ^ 0x7175_6573_7469)
        // Requests of the outbox name places, and a cache that evicts may show what it shows again.
        asksRacing = !hasLies && !sends && entityCountMax == nil && !isQuiet && races.chance(400)
        asksGraph = mayAskGraph || asksRacing && races.chance(400)
        // With few ids, answers and events concern the same entity more often.
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
            // After a server was restored, what is older is right.
            weigh(.restore, 0)
        }
        self.weights = weights
    }

    /// The weight of a kind. Most schedules are mostly events; faults are rare in each, and absent from some.
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
