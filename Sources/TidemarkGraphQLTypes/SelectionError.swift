/// The error of JSON that does not fit a generated type: the reason and the position.
public struct SelectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why JSON does not fit.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The object lacks a selected field.
        case missingField = "missing_field"
        /// The value is of another kind than the field's type, or does not fit into it.
        case wrongKind = "wrong_kind"
        /// The bytes are not JSON.
        case malformed
    }

    /// Why the JSON does not fit.
    public var reason: Reason
    /// The type, field or character that was expected.
    public var expected: String
    /// The offset in the JSON text, in bytes.
    public var offset: Int
    /// The response names and list indices that lead to the value. Set when the complete text is known; empty before.
    public var path: [SelectionPathElement]

    /// Creates an error at an offset.
    public init(_ reason: Reason, expected: String, offset: Int, path: [SelectionPathElement] = []) {
        self.reason = reason
        self.expected = expected
        self.offset = offset
        self.path = path
    }

    /// A sentence with the place, such as `hero.friends[2] lacks the field name`.
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
    /// The member with this response name.
    case name(String)
    /// The element at this index, from 0.
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
