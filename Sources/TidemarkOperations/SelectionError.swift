/// The reason why JSON does not fit a generated type, and the place.
public struct SelectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reasons.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The object lacks a selected field.
        case missingField = "missing_field"
        /// The value is of another kind than the field's type, or does not fit into it.
        case wrongKind = "wrong_kind"
        /// The bytes are not JSON.
        case malformed
    }

    public var reason: Reason
    /// The type, field or character that was wanted.
    public var expected: String
    /// The byte of the JSON text.
    public var offset: Int
    /// The response names and list indices that lead to the place; filled in when the whole text is known.
    public var path: [SelectionPathElement]

    public init(_ reason: Reason, expected: String, offset: Int, path: [SelectionPathElement] = []) {
        self.reason = reason
        self.expected = expected
        self.offset = offset
        self.path = path
    }

    /// `hero.friends[2].name is missing (missing_field)`.
    public var description: String {
        let place = path.isEmpty ? "the data" : SelectionPathElement.text(of: path)
        return switch reason {
        case .missingField: "\(place) lacks the field \(expected); select it where the data is written"
        case .wrongKind: "\(place) is no \(expected)"
        case .malformed: "the data is no JSON at byte \(offset): \(expected) expected"
        }
    }
}

/// One step of a path into data.
public enum SelectionPathElement: Hashable, Sendable {
    case name(String)
    case index(Int)

    static func text(of path: [SelectionPathElement]) -> String {
        path.reduce("") { text, element in
            switch element {
            case .name(let name): text.isEmpty ? name : "\(text).\(name)"
            case .index(let index): "\(text)[\(index)]"
            }
        }
    }
}
