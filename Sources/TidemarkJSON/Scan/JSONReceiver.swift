/// Receives the values of a text from ``JSONScan``, in the order of the text.
///
/// A receiver sees only tokens that follow the grammar. If the scan fails, the caller must drop what the receiver has
/// built.
package protocol JSONReceiver {
    /// The state of an open object or array. It is on the stack of the scan, so it costs no allocation.
    associatedtype Container
    associatedtype Value

    /// Whether the scan refuses strings that are not UTF-8. If false, the caller has checked the text or treats strings
    /// as bytes.
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
package struct JSONStringToken {
    /// The offsets of the bytes between the quotes.
    package var range: Range<Int>
    /// True if one of the bytes is a backslash.
    package var isEscaped: Bool
    /// True if all bytes are known to be ASCII. False if some are not, and sometimes if all are.
    package var isASCII: Bool

    @inlinable package init(range: Range<Int>, isEscaped: Bool, isASCII: Bool) {
        (self.range, self.isEscaped, self.isASCII) = (range, isEscaped, isASCII)
    }
}

/// A literal name: `true`, `false` or `null`.
package enum JSONWord {
    case `true`, `false`, null
}

/// The first fault of a text that is not JSON.
package struct JSONFault {
    /// The offset of the first wrong byte, from 0; the length of the text when it ends too early.
    package var offset: Int
    /// What was found, or what is missing.
    package var message: StaticString
    /// True if the fault is one open container more than is allowed.
    package var isTooDeep: Bool

    @inlinable package init(offset: Int, message: StaticString, isTooDeep: Bool = false) {
        (self.offset, self.message, self.isTooDeep) = (offset, message, isTooDeep)
    }
}
