import TidemarkJSON
import TidemarkModel

/// Which top-level members of a type's entities are sent. `id` and `uuid` always are.
package struct ScopeProjection: Hashable, Sendable {
    /// The choices of a file.
    enum Choice: Hashable, Sendable {
        case all
        case fields(Set<[UInt8]>)
        case without(Set<[UInt8]>)
    }

    private static let identity: Set<[UInt8]> = [Array("id".utf8), Array("uuid".utf8)]
    private let choice: Choice

    init(_ choice: Choice) {
        self.choice = choice
    }

    /// Returns true if a member is sent.
    ///
    /// - Parameter name: The name without escapes.
    package func sends(_ name: [UInt8]) -> Bool {
        if ScopeProjection.identity.contains(name) { return true }
        return switch choice {
        case .all: true
        case .fields(let names): names.contains(name)
        case .without(let names): !names.contains(name)
        }
    }

    /// True if every member is sent.
    var sendsEverything: Bool { choice == .all }

    /// Returns what is sent of a resource: its members in their order and spelling. Names are compared without escapes,
    /// so that no spelling of a hidden name passes. Of a repeated member the last value counts.
    ///
    /// - Parameter resource: One validated JSON object without insignificant white space.
    /// - Complexity: O(resource.count).
    package func sent(_ resource: [UInt8]) -> [UInt8] {
        if sendsEverything { return resource }
        return resource.withUnsafeBytes { bytes in
            let object = JSONObject(bytes, range: 0..<bytes.count)
            var sent: [UInt8] = [UInt8(ascii: "{")]
            for member in object.members where sends(object.unescapedName(member)) {
                if sent.count > 1 { sent.append(UInt8(ascii: ",")) }
                sent += bytes[member.name.lowerBound - 1..<member.name.upperBound + 1]
                sent.append(UInt8(ascii: ":"))
                sent += bytes[member.value]
            }
            sent.append(UInt8(ascii: "}"))
            return sent
        }
    }
}
