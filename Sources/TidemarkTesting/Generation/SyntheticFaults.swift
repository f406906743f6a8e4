/// Adds the faults of a bad connection to a clean log: events that are missing, late, repeated or broken.
///
/// The faults have random numbers of their own, so that the log is the same with and without them. The first event of a
/// library always arrives whole and in time, because a reader uses it as the baseline. So does the last one unless
/// heartbeats name its number, because otherwise a reader could not know that it is missing.
struct SyntheticFaults {
    private let settings: SyntheticSettings
    private var random: SeededGenerator
    /// The lines that are due `n` events from now, by event number modulo its size. Bounded by `disorderDistance` + 1
    /// places.
    private var late: [[UInt8]]
    private var eventCount = 0
    private var lateCount = 0
    /// The line of each library's last event, while that event has not arrived. Bounded by one a library.
    private var withheld: [Int: [UInt8]] = [:]

    init(_ settings: SyntheticSettings) {
        self.settings = settings
        random = SeededGenerator(seed: settings.seed, index: .max - 1)
        late = Array(repeating: [], count: settings.disorderDistance + 1)
    }

    /// Appends the lines that arrive when `line` was sent.
    ///
    /// - Parameters:
    ///   - line: One event with its LF.
    ///   - position: Its position in the log.
    ///   - stream: The stream to append to.
    ///   - counts: The counts to update.
    mutating func pass(
        _ line: ArraySlice<UInt8>, at position: SyntheticLog.Position, to stream: inout [UInt8],
        _ counts: inout SyntheticCounts
    ) {
        eventCount += 1
        let choice = position.sequence == 1 ? Share.whole : random.below(Share.whole)
        let badLimit = settings.gapRate.partsPerMillion + settings.badLineRate.partsPerMillion
        if choice < settings.gapRate.partsPerMillion {
            counts.dropped += 1
            withhold(line, position)
        } else if choice < badLimit {
            appendBroken(line, to: &stream)
            counts.broken += 1
            counts.lines += 1
            withhold(line, position)
        } else if choice < badLimit + settings.disorderRate.partsPerMillion {
            delay(line)
            counts.delayed += 1
            release(position)
        } else {
            stream.append(contentsOf: line)
            counts.lines += 1
            release(position)
            if settings.duplicateRate > .none, random.below(Share.whole) < settings.duplicateRate.partsPerMillion {
                delay(line)
                counts.duplicated += 1
            }
        }
        appendDue(to: &stream, &counts)
    }

    /// Appends every line that is still delayed or withheld.
    mutating func finish(to stream: inout [UInt8], _ counts: inout SyntheticCounts) {
        for _ in 0..<late.count {
            eventCount += 1
            appendDue(to: &stream, &counts)
        }
        for library in withheld.keys.sorted() {
            stream.append(contentsOf: withheld[library, default: []])
            counts.lines += 1
        }
        withheld = [:]
    }

    private mutating func delay(_ line: ArraySlice<UInt8>) {
        let place = (eventCount + 1 + random.below(settings.disorderDistance)) % late.count
        late[place].append(contentsOf: line)
        lateCount += 1
    }

    private mutating func appendDue(to stream: inout [UInt8], _ counts: inout SyntheticCounts) {
        let place = eventCount % late.count
        guard lateCount > 0, !late[place].isEmpty else { return }
        let lineCount = late[place].count { $0 == UInt8(ascii: "\n") }
        stream.append(contentsOf: late[place])
        late[place].removeAll(keepingCapacity: true)
        counts.lines += lineCount
        lateCount -= lineCount
    }

    private mutating func withhold(_ line: ArraySlice<UInt8>, _ position: SyntheticLog.Position) {
        if settings.heartbeatInterval == 0 { withheld[position.library] = Array(line) }
    }

    private mutating func release(_ position: SyntheticLog.Position) {
        if !withheld.isEmpty { withheld[position.library] = nil }
    }

    /// Appends the line, broken in one of four ways. A reader must quarantine each of them.
    private mutating func appendBroken(_ line: ArraySlice<UInt8>, to stream: inout [UInt8]) {
        switch random.below(4) {
        case 0:
            stream.append(contentsOf: line.prefix(line.count * 3 / 4))
        case 1:
            stream.append(contentsOf: line.dropLast(2))
            stream.append(0xFF)
            stream.append("}")
        case 2:
            stream.append("<html>502 Bad Gateway</html>")
        default:
            // The line is cut off in its head, where the sequence cannot be read.
            stream.append(contentsOf: line.prefix(40))
        }
        stream.append("\n")
    }
}
