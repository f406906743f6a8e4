import TidemarkJSON

/// A statement as it was written, before its names are looked up.
struct SQLQuery {
    /// What is selected; nil for `*`.
    var items: [SQLItem]?
    var from: SQLSource
    var joins: [SQLJoin] = []
    var condition: SQLExpression?
    var group: [SQLColumn] = []
    var having: SQLExpression?
    var order: [(term: SQLOperand, direction: String?)] = []
    var limit: String?
    var offset: String?
}

/// A type with its alias.
struct SQLSource {
    var type: String
    var alias: String?
    var place: SQLToken

    var name: String { alias ?? type }
}

/// A source with the condition that joins it.
struct SQLJoin {
    var source: SQLSource
    var isLeft: Bool
    var condition: SQLExpression
}

/// A column of the result.
struct SQLItem {
    var value: SQLOperand
    var alias: String?
    var place: SQLToken
}

/// Names with points between them: a source, and members one inside the other.
struct SQLColumn {
    struct Part {
        var text: String
        /// True for a name without quotes.
        var isBare: Bool
    }

    var parts: [Part]
    var place: SQLToken

    /// The name without a source; nil for several parts.
    var single: String? { parts.count == 1 ? parts[0].text : nil }
}

/// A call of an aggregate function.
struct SQLCall {
    /// The name in lower case.
    var function: String
    /// The column; nil for `*`.
    var argument: SQLColumn?
    var isDistinct = false
    var filter: SQLExpression?
    var place: SQLToken
}

/// One side of a comparison.
enum SQLOperand {
    case column(SQLColumn)
    indirect case call(SQLCall)
    case literal(JSONValue)
    case parameter(String)
}

/// A condition.
indirect enum SQLExpression {
    case all([SQLExpression])
    case any([SQLExpression])
    case not(SQLExpression)
    case test(SQLTest)
}

/// A comparison, or another test of one value.
struct SQLTest {
    enum Operator: String {
        case equal = "eq"
        case unequal = "ne"
        case less = "lt"
        case lessOrEqual = "lte"
        case greater = "gt"
        case greaterOrEqual = "gte"
        case isNull
        case isNotNull
        /// In a list of literals, a parameter or the array of a column.
        case isIn = "in"
        case isNotIn
        case begins = "prefix"
        case beginsNot

        /// The test that holds where this one does not, apart from values that are null.
        var negated: Operator {
            switch self {
            case .equal: .unequal
            case .unequal: .equal
            case .less: .greaterOrEqual
            case .lessOrEqual: .greater
            case .greater: .lessOrEqual
            case .greaterOrEqual: .less
            case .isNull: .isNotNull
            case .isNotNull: .isNull
            case .isIn: .isNotIn
            case .isNotIn: .isIn
            case .begins: .beginsNot
            case .beginsNot: .begins
            }
        }

        /// The operator with its sides exchanged.
        var mirrored: Operator {
            switch self {
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            default: self
            }
        }
    }

    var left: SQLOperand
    var test: Operator
    var right: SQLOperand
    var place: SQLToken
}
