/// A Swift declaration, before it is laid out in lines.
indirect enum SwiftDeclaration {
    case type(SwiftTypeDeclaration)
    case property(SwiftProperty)
    case function(SwiftFunction)
    /// An enum case, with the text that follows its name.
    case enumerationCase(comment: String?, name: String, payload: String)

    /// The group of the declaration. Blank lines separate groups.
    var group: Int {
        switch self {
        case .enumerationCase: 0
        case .property(let property): property.isStatic ? 1 : property.getter.isEmpty ? 2 : 3
        case .function, .type: 4
        }
    }
}

/// A structure, an enum or an extension.
struct SwiftTypeDeclaration {
    var comment: String?
    /// The access modifier followed by a space, or an empty text.
    var access = ""
    /// `struct`, `enum` or `extension`.
    var keyword: String
    var name: String
    var conformances: [String] = []
    var members: [SwiftDeclaration] = []
    /// True if the name consists of many parts and cannot be broken into lines.
    var isLong = false
}

struct SwiftProperty {
    var comment: String?
    /// `@Deferred`, or empty.
    var attribute = ""
    var access = ""
    var isStatic = false
    var isConstant = false
    var name: String
    /// The written type; nil if it follows from the initial value.
    var type: String?
    var value: SwiftExpression?
    /// The body of a computed property.
    var getter: [SwiftStatement] = []
    var setter: [SwiftStatement] = []
    var observer: [SwiftStatement] = []
}

struct SwiftFunction {
    var comment: String?
    var access = ""
    /// `init`, or `func` followed by the name.
    var name: String
    var parameters: [SwiftParameter]
    /// `throws(SelectionError)` or `-> Value`, or empty.
    var effects = ""
    var body: [SwiftStatement]
}

struct SwiftParameter {
    /// The text before the colon: a label, or a label and a name.
    var name: String
    var type: String
    /// The default, or empty.
    var value = ""

    var text: String { "\(name): \(type)" + (value.isEmpty ? "" : " = \(value)") }
}

/// An expression that may need several lines.
indirect enum SwiftExpression {
    case text(String)
    /// A call: `name(argument, argument)`.
    case call(String, [String])
    /// An array literal: `[element, element]`.
    case list([String])
    /// A string that contains line ends.
    case lines(String)

    /// The expression on one line; nil if it needs several.
    var line: String? {
        switch self {
        case .text(let text): text
        case .call(let name, let arguments): "\(name)(\(arguments.joined(separator: ", ")))"
        case .list(let elements): "[\(elements.joined(separator: ", "))]"
        case .lines: nil
        }
    }
}

indirect enum SwiftStatement {
    case expression(SwiftExpression)
    /// An assignment: `target = value`.
    case assignment(String, SwiftExpression)
    /// A branch: `if let value { … }`.
    case branch(String, [SwiftStatement])
    /// A switch: `switch value { … }`, with each case on one line.
    case choice(String, [(pattern: String, text: String)])
}
