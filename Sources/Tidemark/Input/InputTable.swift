import TidemarkModel
import TidemarkWire

/// The inputs of a cache, with the progress of each. Bounded by the callers that open them.
struct InputTable {
    private var positions: [InputID: InputPosition] = [:]
    private var nextNumber: UInt32 = 0
    /// True once the last input has ended. No event arrives until another input is opened.
    private(set) var hasEnded = false
    /// Decodes lines that are in memory; nil before the first of them.
    private var lineDecoder: EventDecoder?

    /// True if late events may still arrive in lines that the cache has not seen.
    var mayBringLateEvents: Bool { positions.values.contains(where: \.mayBringLateEvents) }

    /// True if some applied line is not acknowledged.
    var isAcknowledgementDue: Bool { positions.values.contains { $0.lines > $0.acknowledged } }

    /// Returns the number of a new input.
    mutating func newID() -> InputID {
        defer { nextNumber &+= 1 }
        return InputID(nextNumber)
    }

    mutating func open(_ position: InputPosition) -> InputID {
        let input = newID()
        positions[input] = position
        hasEnded = false
        return input
    }

    mutating func close(_ input: InputID) {
        positions.removeValue(forKey: input)?.acknowledgements.finish()
    }

    /// Records the end of an input.
    ///
    /// - Returns: True if it was the last one.
    mutating func ended() -> Bool {
        guard positions.count <= 1 else { return false }
        hasEnded = true
        return true
    }

    /// Records that an input's lines up to this one were applied, or are held.
    mutating func applied(through line: Int64, of input: InputID) { positions[input]?.lines = line }

    /// Records that the first lines of a batch were applied, or are held. Lines that a log's reader wrote itself do not
    /// count.
    mutating func applied(_ batch: EventBatch, lines count: Int) {
        guard batch.origin != .reader else { return }
        applied(through: batch.firstLine + Int64(count) - 1, of: batch.input)
    }

    /// Returns how many of an input's lines are durable.
    func durableLineCount(of input: InputID) -> Int64 { positions[input]?.acknowledged ?? 0 }

    /// Returns, for each input, the last line that was applied together with all lines before it.
    ///
    /// - Parameter firstHeld: Returns the first line of an input that is held; nil when none is.
    func appliedLines(firstHeld: (InputID) -> Int64?) -> [InputID: Int64] {
        var lines: [InputID: Int64] = [:]
        for (input, position) in positions {
            lines[input] = firstHeld(input).map { min($0 - 1, position.lines) } ?? position.lines
        }
        return lines
    }

    /// Sends acknowledgements to inputs whose lines became durable.
    mutating func acknowledge(_ lines: [InputID: Int64], _ libraries: [ByteString: EventSequence]) {
        for (input, lines) in lines {
            guard let position = positions[input], lines > position.acknowledged else { continue }
            positions[input]?.acknowledged = lines
            position.acknowledgements.yield(Acknowledgement(lines: lines, libraries: libraries))
        }
    }

    /// Returns the decoder of lines that are in memory, and keeps it for later calls.
    ///
    /// - Throws: ``WireError`` when memory runs out.
    mutating func decoder(limits: Limits) throws(WireError) -> EventDecoder {
        if let lineDecoder { return lineDecoder }
        let decoder = try EventDecoder(limits: limits)
        lineDecoder = decoder
        return decoder
    }

    /// Frees the decoder with its buffers.
    mutating func releaseDecoder() { lineDecoder = nil }

    /// Ends the acknowledgements of all inputs.
    func finishAcknowledgements() {
        for position in positions.values { position.acknowledgements.finish() }
    }
}
