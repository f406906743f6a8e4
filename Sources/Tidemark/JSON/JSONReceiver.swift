/// A receiver of the values in a text, in the order of the text. ``JSONScan`` calls it.
///
/// A receiver sees only tokens that fulfil the grammar; when the scan fails, what the receiver has is to be dropped.
protocol JSONReceiver {
    /// The state of an open object or array. It lives on the stack of the scan, so it costs no allocation.
    associatedtype Container
    associatedtype Value

    /// Whether the scan refuses strings that are not UTF-8. A receiver without this has a caller that checked the text,
    /// or that treats strings as bytes.
    static var requiresUTF8: Bool { get }

    /// Begins an object or an array.
    ///
    /// - Parameter start: The offset of its bracket.
    mutating func open(isObject: Bool, at start: Int) -> Container

    /// Receives the name of a member; its value follows.
    mutating func name(_ name: JSONStringToken, in object: inout Container)

    /// Receives the value of the last name, or the next element.
    mutating func add(_ value: Value, to container: inout Container)

    /// Ends an object or an array.
    ///
    /// - Parameter end: The offset after its bracket.
    mutating func close(_ container: consuming Container, at end: Int) -> Value

    mutating func string(_ string: JSONStringToken) -> Value
    mutating func number(_ range: Range<Int>, isInteger: Bool) -> Value
    mutating func word(_ word: JSONWord, _ range: Range<Int>) -> Value
}

/// A string or a name in a text.
struct JSONStringToken {
    /// The offsets of the bytes between the quotes.
    var range: Range<Int>
    /// Whether there is a backslash among them.
    var isEscaped: Bool
    /// Whether all of them are known to be ASCII; false when some are not, and sometimes when all are.
    var isASCII: Bool
}

/// A value that is written as a word.
enum JSONWord {
    case `true`, `false`, null
}

/// The first fault of a text that should be JSON.
struct JSONFault {
    /// The offset of the first wrong byte, from 0; the length of the text when it ends too early.
    var offset: Int
    /// A description of the byte that was found, or of the one that is missing.
    var message: StaticString
    /// Whether the fault is one more open container than is allowed.
    var isTooDeep = false
}
