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
    let input: @Sendable (SequencingFixture) throws -> Void

    var description: String { note.isEmpty ? id : "\(id), \(note)" }

    init(
        _ id: String, _ note: String = "", from start: Start, hasUpstream: Bool = false, heldEventCountMax: Int = 4_096,
        heldByteCountMax: Int = 8 << 20, gives expected: String,
        _ input: @escaping @Sendable (SequencingFixture) throws -> Void
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
        let fixture = try SequencingFixture(hasUpstream: hasUpstream, limits: limits)
        try prepare(fixture)
        fixture.begin()
        try input(fixture)
        fixture.checkInvariants()
        return fixture.outcome
    }

    private func prepare(_ fixture: SequencingFixture) throws {
        switch start {
        case .cold: try fixture.unsequenced()
        case .anew: try fixture.reset("b")
        case .live: try fixture.event(5)
        case .liveNamed: try fixture.event(5, epoch: "a")
        case .gap, .reconciling:
            try fixture.event(5)
            try fixture.event(8)
        case .gapNamed, .reconcilingNamed:
            try fixture.event(5, epoch: "a")
            try fixture.event(8, epoch: "a")
        case .stale, .staleNamed:
            try fixture.event(3, epoch: start == .stale ? nil : "a")
            try fixture.event(5)
            fixture.inputEnds()
        case .liveLossy, .gapLossy, .reconcilingLossy:
            try fixture.event(3)
            try fixture.event(5)
            fixture.inputEnds()
            if hasUpstream { fixture.fail(isFinal: true) }
            if start == .liveLossy { try fixture.refreshQuery() } else { try fixture.event(8) }
        case .staleAgain:
            try fixture.event(9)
            try fixture.heartbeat(5)
        }
        if start == .reconciling || start == .reconcilingNamed || start == .reconcilingLossy { fixture.windowExpires() }
    }
}
