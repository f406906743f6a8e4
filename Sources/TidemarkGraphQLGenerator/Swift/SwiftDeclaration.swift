/// A declaration of Swift, before it is laid out in lines.
indirect enum SwiftDeclaration {
    case type(SwiftTypeDeclaration)
    case property(SwiftProperty)
    case function(SwiftFunction)
    /// `case name`, with the text behind the name.
    case enumerationCase(comment: String?, name: String, payload: String)

    /// Declarations of a group stand together; a blank line comes between groups.
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
    /// The access modifier with a space after it, or an empty text.
    var access = ""
    /// `struct`, `enum` or `extension`.
    var keyword: String
    var name: String
    var conformances: [String] = []
    var members: [SwiftDeclaration] = []
    /// The declaration has a name of many parts, which cannot be broken into lines.
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
    /// The written type; nil where the initial value says it.
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
    /// `init`, or `func` with the name.
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
    /// `name(argument, argument)`.
    case call(String, [String])
    /// `[element, element]`.
    case list([String])
    /// A string with line ends.
    case lines(String)

    /// The expression on one line; nil where it has several.
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
    /// `target = value`.
    case assignment(String, SwiftExpression)
    /// `if let value { … }`.
    case branch(String, [SwiftStatement])
    /// `switch value { … }`, each case on a line.
    case choice(String, [(pattern: String, text: String)])
}
