import TidemarkModel

/// One case of a cell of Protocol/sequencing.md: a state, an input, and the whole outcome.
struct SequencingCell: Sendable, CustomStringConvertible {
    /// The cell's id on the page, such as `live/ahead`.
    let id: String
    /// The difference of this case from others of the cell.
    let note: String
    let start: Start
    let hasUpstream: Bool
    let heldEventCountMax: Int
    let heldByteCountMax: Int
    let expected: String
    let input: @Sendable (SequencingRig) throws -> Void

    var description: String { note.isEmpty ? id : "\(id), \(note)" }

    init(
        _ id: String, _ note: String = "", from start: Start, hasUpstream: Bool = false, heldEventCountMax: Int = 4_096,
        heldByteCountMax: Int = 8 << 20, gives expected: String,
        _ input: @escaping @Sendable (SequencingRig) throws -> Void
    ) {
        self.id = id
        self.note = note
        self.start = start
        self.hasUpstream =
            hasUpstream || start == .reconciling || start == .reconcilingNamed || start == .reconcilingLossy
        self.heldEventCountMax = heldEventCountMax
        self.heldByteCountMax = heldByteCountMax
        self.expected = expected
        self.input = input
    }

    /// The state at the beginning. A cursor, where there is one, is 5; `named` states have the epoch `a`.
    enum Start: Sendable {
        case cold
        /// The log was reset to `b`, and there is no cursor.
        case anew
        case live
        case liveNamed
        /// Event 8 is held.
        case gap
        case gapNamed
        /// Event 8 is held, and attempt 1 asks from 6 on.
        case reconciling
        case reconcilingNamed
        /// Number 4 is lost.
        case stale
        case staleNamed
        /// The log went back from 9 to 5.
        case staleAgain
        /// Number 4 is lost, and a query was refreshed since.
        case liveLossy
        /// Number 4 is lost, and event 8 is held.
        case gapLossy
        /// Number 4 is lost, event 8 is held, and attempt 2 asks from 6 on.
        case reconcilingLossy
    }

    /// Runs the case.
    func outcome() throws -> String {
        var limits = Limits()
        limits.heldEventCountMax = heldEventCountMax
        limits.heldByteCountMax = heldByteCountMax
        let rig = try SequencingRig(hasUpstream: hasUpstream, limits: limits)
        try prepare(rig)
        rig.begin()
        try input(rig)
        rig.checkInvariants()
        return rig.outcome
    }

    private func prepare(_ rig: SequencingRig) throws {
        switch start {
        case .cold: try rig.unsequenced()
        case .anew: try rig.reset("b")
        case .live: try rig.event(5)
        case .liveNamed: try rig.event(5, epoch: "a")
        case .gap, .reconciling:
            try rig.event(5)
            try rig.event(8)
        case .gapNamed, .reconcilingNamed:
            try rig.event(5, epoch: "a")
            try rig.event(8, epoch: "a")
        case .stale, .staleNamed:
            try rig.event(3, epoch: start == .stale ? nil : "a")
            try rig.event(5)
            rig.inputEnds()
        case .liveLossy, .gapLossy, .reconcilingLossy:
            try rig.event(3)
            try rig.event(5)
            rig.inputEnds()
            if hasUpstream { rig.fail(isFinal: true) }
            if start == .liveLossy { try rig.refreshQuery() } else { try rig.event(8) }
        case .staleAgain:
            try rig.event(9)
            try rig.heartbeat(5)
        }
        if start == .reconciling || start == .reconcilingNamed || start == .reconcilingLossy { rig.windowExpires() }
    }
}
