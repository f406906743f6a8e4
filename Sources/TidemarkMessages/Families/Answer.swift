import TidemarkJSON

/// Formats the `result` of each method as JSON. Each family adds the results of its methods.
///
/// - Source: Protocol/sessions.md.
package enum Answer {
    /// The result of a method that has nothing to say.
    package static let empty = Array("{}".utf8)

    /// Returns an object.
    package static func object(_ members: (inout JSONLine) -> Void) -> [UInt8] {
        var line = JSONLine()
        line.object(members)
        return line.bytes
    }
}

extension JSONLine {
    /// Formats a span in seconds, as requests give it, with decimals only if needed.
    package static func seconds(_ milliseconds: Int64) -> String {
        let rest = milliseconds % 1_000
        return "\(milliseconds / 1_000)" + (rest == 0 ? "" : ".\(String(rest + 1_000).dropFirst())")
    }
}
