/// A position in the log of a scope: how many units changed what the scope shows, since its log began.
///
/// No client sees it: it would tell how much happened before the client came. ``ScopeNumber`` is what clients see.
package struct ScopePosition: Hashable, Comparable, Sendable {
    /// The count of units.
    package let rawValue: UInt32

    /// Creates a position.
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Where a log begins.
    package static let start = ScopePosition(1)

    /// The next position. A log begins anew long before there is none.
    var next: ScopePosition { ScopePosition(rawValue + 1) }

    /// True if the log has to begin anew, after four billion units.
    var isNearTheEnd: Bool { rawValue > .max - 1_000_000 }

    /// Compares the counts.
    package static func < (left: ScopePosition, right: ScopePosition) -> Bool { left.rawValue < right.rawValue }
}

/// The sequence of a line as a client sees it: at which unit the client is, counted from its own state, and how many
/// lines behind it.
///
/// The last line of a unit or of a resumption has a count of lines of 0. A number with another count therefore shows by
/// itself that its line is inside a unit, and at which unit the client is. Lines that one client alone is sent, as the
/// one that settles its edit, take such numbers too, and no other client has a gap.
package struct ScopeNumber: Hashable, Comparable, Sendable {
    /// The bits for lines: a unit of a million lines and more, at most 2^52 in all, which JavaScript can represent.
    private static let lineBitCount: UInt64 = 20
    /// The most lines of one unit.
    static let lineCountMax = (1 << 20) - 1

    /// The sequence on the wire.
    package let rawValue: UInt64

    /// Creates a number of a sequence on the wire; nil if no log has such a one.
    package init?(wire: UInt64) {
        guard wire >> ScopeNumber.lineBitCount <= UInt64(UInt32.max) else { return nil }
        rawValue = wire
    }

    init(unit: UInt32, line: Int = 0) {
        rawValue = UInt64(unit) << ScopeNumber.lineBitCount | UInt64(line)
    }

    /// The unit at which a client with this number is, from the beginning of its state, which is 1. 0 is inside the
    /// state.
    var unit: UInt32 { UInt32(truncatingIfNeeded: rawValue >> ScopeNumber.lineBitCount) }

    /// The count of lines behind the unit.
    var line: Int { Int(rawValue & UInt64(ScopeNumber.lineCountMax)) }

    /// The number of the next line inside.
    var nextLine: ScopeNumber { ScopeNumber(unit: unit, line: line + 1) }

    /// Compares the sequences.
    package static func < (left: ScopeNumber, right: ScopeNumber) -> Bool { left.rawValue < right.rawValue }
}
