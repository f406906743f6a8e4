import TidemarkModel
import TidemarkJSON

/// The path of a value in `data`: names and indices from the root.
package typealias ResponsePath = [ResponseStep]

/// One step of a path.
package enum ResponseStep: Hashable, Sendable {
    /// The member with this response name.
    case name(ByteString)
    /// The element at this index, from 0.
    case index(Int)
}

extension [ResponseStep] {
    /// Appends the path as a JSON array.
    package func appendJSON(to line: inout JSONLine) {
        line.array { line in
            for step in self {
                switch step {
                case .name(let name): line.value(name)
                case .index(let index): line.value(index)
                }
            }
        }
    }

    /// The path in the notation for people, such as `hero.friends[2].name`; `data` for an empty path.
    package var words: String {
        var text = ""
        for step in self {
            switch step {
            case .name(let name): text += text.isEmpty ? name.description : "." + name.description
            case .index(let index): text += "[\(index)]"
            }
        }
        return text.isEmpty ? "data" : text
    }
}
