import TidemarkTesting

/// A random log of units of several lines, states, heartbeats and new epochs, and what a bad connection makes of it.
struct UnitStream {
    /// True for a log with new epochs, states, and heartbeats without numbers.
    let hasStates: Bool
    private var random: SeededGenerator
    private var epoch = 0
    private var sequence: Int64 = 0
    private(set) var log: [String] = []

    init(seed: UInt64, hasStates: Bool, unitCount: Int) {
        self.hasStates = hasStates
        random = SeededGenerator(seed: seed)
        for _ in 0..<unitCount { addStep() }
    }

    private mutating func addStep() {
        switch hasStates ? random.below(20) : random.below(13) {
        case 0..<12: addUnit()
        case 12: add(nil, change())
        case 13: addState()
        case 14: addState()
        case 15: addReset()
        case 16: epoch += 1
        default: addHeartbeat()
        }
    }

    private mutating func addUnit() {
        let count = 1 + random.below(4)
        let isCut = random.chance(60)
        for place in 1...count {
            let step: Int64 = random.chance(150) ? 3 : 1
            let before = sequence
            sequence += step
            let previous = step == 1 && random.chance(500) ? nil : before
            add(sequence, event(), previous: previous, hasMore: place < count || isCut)
        }
    }

    private mutating func addState() {
        epoch += 1
        sequence = 0
        add(0, #"{"Reset":{"state":true}}"#)
        for _ in 0..<random.below(6) {
            sequence += 1
            add(sequence, event(), previous: sequence - 1)
        }
        guard !random.chance(250) else { return }
        sequence += 1
        let stale = random.chance(150) ? #","stale":true"# : ""
        add(sequence, #"{"Heartbeat":{"last_sequence":\#(sequence)\#(stale)}}"#, previous: sequence - 1)
    }

    private mutating func addReset() {
        epoch += 1
        sequence = Int64(random.below(3))
        add(random.chance(500) ? sequence : nil, #"{"Reset":{}}"#)
    }

    private mutating func addHeartbeat() {
        let last = max(0, sequence + Int64(random.pick([0, 0, 0, 0, 0, 0, 1, 2, -1])))
        let stale = random.chance(300) ? #","stale":true"# : ""
        add(nil, #"{"Heartbeat":{"last_sequence":\#(last)\#(stale)}}"#)
        sequence = max(sequence, last)
    }

    private mutating func event() -> String {
        switch random.below(10) {
        case 0..<5: change()
        case 5: #"{"ResourceBatchChanged":{"resource_type":"file","resources":[\#(resource()),\#(resource())]}}"#
        case 6: #"{"ResourceBatchChanged":{"resource_type":"file","resources":[]}}"#
        case 7: #"{"ResourceDeleted":{"resource_type":"file","resource_id":"k\#(random.below(8))","reason":"scope"}}"#
        case 8: #"{"ResourceDeleted":{"resource_type":"file","resource_id":"k\#(random.below(8))"}}"#
        default: #"{"New":{}}"#
        }
    }

    private mutating func change() -> String {
        let metadata = random.chance(200) ? #","metadata":{}"# : ""
        return #"{"ResourceChanged":{"resource_type":"file","resource":\#(resource())\#(metadata)}}"#
    }

    private mutating func resource() -> String { #"{"id":"k\#(random.below(8))","n":\#(random.below(4))}"# }

    private mutating func add(
        _ sequence: Int64?, _ event: String, previous: Int64? = nil, hasMore: Bool = false
    ) {
        var members = [#""library_id":"a""#]
        if hasStates { members.append(#""epoch":"e\#(epoch)""#) }
        if let sequence { members.append(#""sequence":\#(sequence)"#) }
        if let previous { members.append(#""prev":\#(previous)"#) }
        if hasMore { members.append(#""more":true"#) }
        log.append("{\(members.joined(separator: ",")),\"event\":\(event)}")
    }

    /// Returns the log with lines that are lost, repeated, exchanged and damaged.
    mutating func disturbed() -> [String] {
        var lines: [String] = []
        for line in log {
            switch random.below(100) {
            case 0..<3: continue
            case 3..<6: lines += [line, line]
            case 6..<8: lines.append(String(line.dropLast(8)))
            case 8..<14 where !lines.isEmpty: lines.insert(line, at: lines.count - 1)
            default: lines.append(line)
            }
        }
        return lines
    }
}
