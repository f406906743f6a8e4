/// A sorted run of keys: the rows of `key_runs` whose places have its number.
struct KeyRun: Hashable {
    /// The bits of a part in a place.
    private static let partBitCount = 20
    /// The bits of the sequence in a run's number; the level is above them.
    private static let sequenceBitCount = 39
    private static let partCountMax = 1 << partBitCount

    /// The size class of the run when it was begun, and a number that no other run of the class has.
    let level: Int
    let sequence: Int
    /// The parts that exist. Those before were merged.
    var parts: Range<Int>

    /// The number of the row of a part.
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

    /// Returns the run of one part, by the number of its row.
    ///
    /// - Returns: nil for a number that no part has.
    init?(place: Int64) {
        guard place >= 0 else { return nil }
        let (run, part) = (Int(place) >> KeyRun.partBitCount, Int(place) & (KeyRun.partCountMax - 1))
        let level = run >> KeyRun.sequenceBitCount
        guard level <= KeyRun.levelMax else { return nil }
        self.init(level: level, sequence: run & (1 << KeyRun.sequenceBitCount - 1), parts: part..<part + 1)
    }

    /// The highest size class: eight parts to the seventh power are more than a run has.
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
