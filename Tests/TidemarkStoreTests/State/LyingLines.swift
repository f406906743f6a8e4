import TidemarkTesting

/// Streams with false numbers: far ahead of the log, or on a line that is cut after the number.
enum LyingLines {
    private static let mark = Array("\"sequence\":".utf8)
    /// The false numbers; the largest possible one is among them.
    private static let numbers = [
        "9000000000000000000", "9223372036854775807", "9223372036854775806", "100000", "5000",
    ]

    /// Returns a stream with copies of a few of its lines, each with a false number or cut after its number.
    static func spoiled(_ stream: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var result: [UInt8] = []
        for line in stream.split(separator: 0x0A, omittingEmptySubsequences: false) {
            result += line
            result.append(0x0A)
            guard random.chance(20), let place = start(of: mark, in: Array(line)) else { continue }
            let line = Array(line)
            let end = line[(place + mark.count)...].firstIndex { !(0x30...0x39).contains($0) } ?? line.count
            var lie = Array(line[..<(place + mark.count)]) + Array(random.pick(numbers).utf8)
            // A number at the end of a line may be cut, so something follows it.
            lie += random.chance(500) ? Array(",\"event\":{\"Res".utf8) : Array(line[end...])
            result += lie
            result.append(0x0A)
        }
        return result
    }

    /// Returns every line once or twice, with neighbours exchanged.
    static func shuffled(_ log: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var lines = log.split(separator: 0x0A).flatMap { random.chance(200) ? [$0, $0] : [$0] }
        for index in lines.indices { lines.swapAt(index, random.below(lines.count)) }
        return lines.flatMap { Array($0) + [0x0A] }
    }

    private static func start(of mark: [UInt8], in line: [UInt8]) -> Int? {
        guard line.count >= mark.count else { return nil }
        return (0...line.count - mark.count).first { line[$0...].starts(with: mark) }
    }
}
