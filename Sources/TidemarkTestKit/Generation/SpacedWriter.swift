import TidemarkTesting

/// Writes JSON text, with white space between tokens at a given rate.
package struct SpacedWriter: Sendable {
    /// The places between two tokens that get white space, per mille.
    private let whiteSpace: Int

    private static let gaps = [" ", "\t", "  ", " \r", "\t \t"]

    package init(whiteSpace: Int) { self.whiteSpace = whiteSpace }

    /// An object of members whose values are JSON text already.
    package func object(_ members: [(String, String)], _ random: inout SeededGenerator) -> String {
        var text = "{" + gap(&random)
        var isFirst = true
        for (name, value) in members {
            if !isFirst { text += "," + gap(&random) }
            isFirst = false
            text += Self.string(name) + gap(&random) + ":" + gap(&random) + value + gap(&random)
        }
        return text + "}"
    }

    /// An array of elements that are JSON text already.
    package func array(_ elements: [String], _ random: inout SeededGenerator) -> String {
        var text = "[" + gap(&random)
        var isFirst = true
        for element in elements {
            if !isFirst { text += "," + gap(&random) }
            isFirst = false
            text += element + gap(&random)
        }
        return text + "]"
    }

    /// A string with the fewest escapes.
    package static func string(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 0x20 }) else {
            return "\"" + text + "\""
        }
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

    private func gap(_ random: inout SeededGenerator) -> String {
        random.chance(whiteSpace) ? random.pick(Self.gaps) : ""
    }
}
