import TidemarkTesting

/// Writes JSON text, with white space between tokens at a given rate.
package struct SpacedWriter: Sendable {
    /// The places between two tokens that get white space, per mille.
    private let whiteSpace: Int

    package init(whiteSpace: Int) { self.whiteSpace = whiteSpace }

    /// An object of members whose values are JSON text already.
    package func object(_ members: [(String, String)], _ random: inout SeededGenerator) -> String {
        var text = "{" + gap(&random)
        for (index, member) in members.enumerated() {
            if index > 0 { text += "," + gap(&random) }
            text += Self.string(member.0) + gap(&random) + ":" + gap(&random) + member.1 + gap(&random)
        }
        return text + "}"
    }

    /// An array of elements that are JSON text already.
    package func array(_ elements: [String], _ random: inout SeededGenerator) -> String {
        var text = "[" + gap(&random)
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," + gap(&random) }
            text += element + gap(&random)
        }
        return text + "]"
    }

    /// A string with the fewest escapes.
    package static func string(_ text: String) -> String {
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
        random.chance(whiteSpace) ? random.pick([" ", "\t", "  ", " \r", "\t \t"]) : ""
    }
}
