import TidemarkTesting

/// Writes JSON text, with white space between tokens at a given rate.
package struct SpacedWriter: Sendable {
    /// How many places between two tokens get white space, per mille.
    private let whiteSpace: Int

    private static let gaps = [" ", "\t", "  ", " \r", "\t \t"]

    /// Creates a writer.
    ///
    /// - Parameter whiteSpace: How many places between two tokens get white space, per mille.
    package init(whiteSpace: Int) { self.whiteSpace = whiteSpace }

    /// Returns an object with values that are JSON text already.
    package func object(_ members: [(String, String)], _ random: inout SeededGenerator) -> String {
        var text = ""
        for (name, value) in members {
            append(text.isEmpty ? "{" : ",", to: &text, &random)
            append(Self.string(name), to: &text, &random)
            append(":", to: &text, &random)
            append(value, to: &text, &random)
        }
        if members.isEmpty { append("{", to: &text, &random) }
        return text + "}"
    }

    /// Returns an array of elements that are JSON text already.
    package func array(_ elements: [String], _ random: inout SeededGenerator) -> String {
        var text = ""
        for element in elements {
            append(text.isEmpty ? "[" : ",", to: &text, &random)
            append(element, to: &text, &random)
        }
        if elements.isEmpty { append("[", to: &text, &random) }
        return text + "]"
    }

    /// Returns a string with the fewest escapes.
    package static func string(_ text: String) -> String {
        guard hasEscapes(text) else { return "\"" + text + "\"" }
        var spelled = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": spelled += "\\\""
            case "\\": spelled += "\\\\"
            case "\n": spelled += "\\n"
            case "\t": spelled += "\\t"
            default: spelled.unicodeScalars.append(scalar)
            }
        }
        return spelled + "\""
    }

    /// True if ``string(_:)`` escapes any character of the text.
    private static func hasEscapes(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { bytes in
            // Use a plain pointer: this module is not optimized in tests, and each byte of a collection would cost a
            // call.
            guard let base = bytes.baseAddress else { return false }
            for index in 0..<bytes.count where base[index] == 0x22 || base[index] == 0x5C || base[index] < 0x20 {
                return true
            }
            return false
        }
    }

    /// Appends a token, followed by white space at the given rate.
    private func append(_ token: String, to text: inout String, _ random: inout SeededGenerator) {
        text += token
        if random.chance(whiteSpace) { text += random.pick(Self.gaps) }
    }
}
