/// A sorted run of keys: the rows of `key_runs` whose numbers contain the run's level and sequence.
struct KeyRun: Hashable {
    /// The bits of a part in a row's number.
    private static let partBitCount = 20
    /// The bits of the sequence in a run's number; the level is above them.
    private static let sequenceBitCount = 39
    private static let partCountMax = 1 << partBitCount

    /// The size class of the run when it was begun.
    let level: Int
    /// A number that no other run of the same level has.
    let sequence: Int
    /// The existing parts. Those before were merged.
    var parts: Range<Int>

    /// Returns the number of a part's row.
    func place(of part: Int) -> Int64 {
        // No input reaches it: a million parts have some 500 million keys, more than a file has blocks for.
        precondition(0..<KeyRun.partCountMax ~= part, "a run has no part \(part)")
        return Int64((level << KeyRun.sequenceBitCount | sequence) << KeyRun.partBitCount | part)
    }

    init(level: Int, sequence: Int, parts: Range<Int> = 0..<0) {
        self.level = level
        self.sequence = sequence
        self.parts = parts
    }

    /// Creates the run of a single part from the number of its row; nil for a number that no part has.
    init?(place: Int64) {
        guard place >= 0 else { return nil }
        let (run, part) = (Int(place) >> KeyRun.partBitCount, Int(place) & (KeyRun.partCountMax - 1))
        let level = run >> KeyRun.sequenceBitCount
        guard level <= KeyRun.levelMax else { return nil }
        self.init(level: level, sequence: run & (1 << KeyRun.sequenceBitCount - 1), parts: part..<part + 1)
    }

    /// The highest size class: eight to the seventh power is more parts than a run can have.
    static let levelMax = 7

    /// Returns the size class of a run: 0 for up to 7 parts, 1 for up to 63, and so on.
    static func level(partCount: Int) -> Int {
        var (level, rest) = (0, partCount / 8)
        while rest > 0, level < levelMax {
            level += 1
            rest /= 8
        }
        return level
    }
}
