import TidemarkJSON
import TidemarkModel

/// The hints of a bulk operation: names and values that exclude queries which it cannot concern.
///
/// - Source: Protocol/queries.md, staleness.
struct Hints {
    /// The codes of the hinted values by unescaped name.
    private var members: [[UInt8]: [UInt8]] = [:]

    /// Parses hints.
    ///
    /// - Parameter hints: One valid compact value. A value that is not an object gives no hints.
    init(_ hints: UnsafeRawBufferPointer) {
        guard hints.first == UInt8(ascii: "{") else { return }
        let object = JSONObject(hints, range: 0..<hints.count)
        for member in object.members {
            members[object.unescapedName(member)] = ValueCode.exact(member.value, of: hints)
        }
    }

    /// Returns true if a query becomes stale: always, unless its input or tags have one of the names with other values
    /// only.
    ///
    /// - Parameters:
    ///   - input: The query's input as canonical JSON.
    ///   - tags: The query's tags as compact JSON; empty if it has none.
    func concern(input: ByteString, tags: [UInt8]) -> Bool {
        var seen: [[UInt8]: Bool] = [:]
        input.bytes.withUnsafeBytes { look($0, 0..<$0.count, &seen) }
        tags.withUnsafeBytes { look($0, 0..<$0.count, &seen) }
        return seen.values.allSatisfy { $0 }
    }

    /// Records for each name whether it occurs with the hinted value.
    private func look(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ seen: inout [[UInt8]: Bool]) {
        guard !range.isEmpty else { return }
        switch bytes[range.lowerBound] {
        case UInt8(ascii: "{"):
            let object = JSONObject(bytes, range: range)
            for member in object.members {
                let name = object.unescapedName(member)
                if let wanted = members[name] {
                    let isEqual = ValueCode.exact(member.value, of: bytes) == wanted
                    seen[name] = seen[name] ?? false || isEqual
                }
                look(bytes, member.value, &seen)
            }
        case UInt8(ascii: "["):
            var cursor = JSONCursor(bytes, at: range.lowerBound + 1)
            while cursor.byte != UInt8(ascii: "]") {
                look(bytes, cursor.value(), &seen)
                if cursor.byte == UInt8(ascii: ",") { cursor.step() }
            }
        default: break
        }
    }
}

/// The tags that an invalidation selects.
struct TagSelection {
    private enum Wanted {
        /// A query matches if it has any of these names.
        case names(Set<[UInt8]>)
        /// A query matches if it has all of these members; the values are codes.
        case members([[UInt8]: [UInt8]])
    }

    private let wanted: Wanted

    /// Parses a selection.
    ///
    /// - Parameter tags: Compact JSON: an array of strings, or an object.
    init(_ tags: UnsafeRawBufferPointer) {
        if tags.first == UInt8(ascii: "{") {
            let object = JSONObject(tags, range: 0..<tags.count)
            var members: [[UInt8]: [UInt8]] = [:]
            for member in object.members {
                members[object.unescapedName(member)] = ValueCode.exact(member.value, of: tags)
            }
            wanted = .members(members)
        } else {
            wanted = .names(TagSelection.names(tags))
        }
    }

    /// Returns true if a query's tags match.
    ///
    /// - Parameter tags: The query's tags as compact JSON; empty if it has none.
    func matches(_ tags: [UInt8]) -> Bool {
        tags.withUnsafeBytes { tags in
            guard let first = tags.first else { return false }
            switch wanted {
            case .names(let names):
                if first == UInt8(ascii: "[") { return !names.isDisjoint(with: TagSelection.names(tags)) }
                let object = JSONObject(tags, range: 0..<tags.count)
                return object.members.contains { names.contains(object.unescapedName($0)) }
            case .members(let members):
                guard first == UInt8(ascii: "{") else { return false }
                let object = JSONObject(tags, range: 0..<tags.count)
                let own = Dictionary(
                    object.members.map { (object.unescapedName($0), ValueCode.exact($0.value, of: tags)) },
                    uniquingKeysWith: { $1 })
                return members.allSatisfy { own[$0] == $1 }
            }
        }
    }

    /// Returns the unescaped strings of an array, and skips other elements.
    private static func names(_ array: UnsafeRawBufferPointer) -> Set<[UInt8]> {
        guard array.first == UInt8(ascii: "[") else { return [] }
        var names: Set<[UInt8]> = []
        var cursor = JSONCursor(array, at: 1)
        while cursor.byte != UInt8(ascii: "]") {
            if cursor.byte == UInt8(ascii: "\"") {
                names.insert(JSONText.unescaped(UnsafeRawBufferPointer(rebasing: array[cursor.string()])))
            } else {
                _ = cursor.value()
            }
            if cursor.byte == UInt8(ascii: ",") { cursor.step() }
        }
        return names
    }
}
