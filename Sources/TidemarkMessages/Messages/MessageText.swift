import TidemarkJSON
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Reads messages that arrive on their own rather than as lines of a stream.
package enum MessageText {
    /// Parses a message or a batch of messages.
    ///
    /// - Parameter text: JSON, with any white space between its tokens.
    /// - Returns: nil if the text is not a message.
    package static func value(of text: [UInt8], limits: Limits) -> JSONSlice? {
        do throws(WireError) {
            guard let batch = try EventDecoder.batches(of: onOneLine(text), limits: limits).first,
                let event = batch.events.first, event.kind == .message
            else { return nil }
            return JSONSlice(validated: batch.text(of: event))
        } catch {
            return nil
        }
    }

    /// Replaces line ends by spaces. JSON allows them only between tokens, where both are equivalent.
    package static func onOneLine(_ text: [UInt8]) -> [UInt8] {
        var line = text
        for index in line.indices where line[index] == 0x0A || line[index] == 0x0D { line[index] = 0x20 }
        return line
    }
}
