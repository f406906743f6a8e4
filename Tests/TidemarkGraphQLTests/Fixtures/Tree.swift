import Tidemark

/// JSON as plain dictionaries, for naive models.
indirect enum Tree: Hashable {
    /// The text of a scalar.
    case scalar(String)
    case list([Tree])
    case object([String: Tree])

    init(parsing bytes: [UInt8]) throws {
        self.init(try JSONValue(parsing: bytes))
    }

    init(_ value: JSONValue) {
        switch value {
        case .array(let elements): self = .list(elements.map { Tree($0) })
        case .object(let members):
            self = .object(Dictionary(members.map { ($0.name, Tree($0.value)) }) { $1 })
        default: self = .scalar(value.text)
        }
    }

    /// Compact JSON with sorted names.
    var text: String {
        switch self {
        case .scalar(let text): text
        case .list(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":" + $0.value.text }.joined(separator: ",")
                + "}"
        }
    }

    var bytes: [UInt8] { Array(text.utf8) }
}
