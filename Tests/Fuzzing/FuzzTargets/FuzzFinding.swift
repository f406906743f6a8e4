/// A condition that must hold and does not.
package struct FuzzFinding: Error, CustomStringConvertible {
    /// The value found, and the value expected.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Checks a condition.
///
/// - Throws: ``FuzzFinding`` unless `condition` holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(FuzzFinding) {
    guard condition else { throw FuzzFinding(message()) }
}

/// Compares two values.
///
/// - Throws: ``FuzzFinding`` with both values, unless they are equal.
func requireEqual<Value: Equatable>(
    _ found: Value, _ wanted: Value, _ name: @autoclosure () -> String
) throws(FuzzFinding) {
    guard found == wanted else { throw FuzzFinding("\(name()):\n  is        \(found)\n  should be \(wanted)") }
}

extension [UInt8] {
    /// The bytes as text, for messages.
    var text: String { String(decoding: self, as: UTF8.self) }
}
