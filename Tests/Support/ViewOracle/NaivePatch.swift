import TidemarkReferenceModel

/// Applies a JSON Patch as RFC 6902 says, one operation after the other, to a value with members of any depth.
package enum NaivePatch {
    package struct Refusal: Error, CustomStringConvertible {
        package var description: String
    }

    package static func apply(_ patch: ReferenceJSON, to value: ReferenceJSON) throws -> ReferenceJSON {
        var value = value
        for operation in patch.elements ?? [] {
            let path = tokens(operation.member("path"))
            switch operation.member("op").map(NaiveView.string) {
            case "add": value = try change(value, path[...], .insert(operation.member("value") ?? .null))
            case "replace": value = try change(value, path[...], .replace(operation.member("value") ?? .null))
            case "remove": value = try change(value, path[...], .remove)
            case "move":
                let from = tokens(operation.member("from"))
                let moved = try read(value, from[...])
                value = try change(value, from[...], .remove)
                value = try change(value, path[...], .insert(moved))
            default: throw Refusal(description: "no such operation: \(operation)")
            }
        }
        return value
    }

    private enum Change {
        case insert(ReferenceJSON), replace(ReferenceJSON), remove
    }

    private static func tokens(_ path: ReferenceJSON?) -> [String] {
        NaiveView.string(path ?? .null).split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            $0.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
                .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
        }
    }

    private static func read(_ value: ReferenceJSON, _ path: ArraySlice<String>) throws -> ReferenceJSON {
        guard let first = path.first else { return value }
        if let elements = value.elements {
            return try read(elements[try index(first, elements.count - 1)], path.dropFirst())
        }
        guard let inner = value.member(first) else { throw Refusal(description: "no member \(first)") }
        return try read(inner, path.dropFirst())
    }

    private static func index(_ token: String, _ last: Int) throws -> Int {
        guard let index = Int(token), String(index) == token, index >= 0, index <= last else {
            throw Refusal(description: "no element \(token), the last is \(last)")
        }
        return index
    }

    private static func change(
        _ value: ReferenceJSON, _ path: ArraySlice<String>, _ change: Change
    ) throws -> ReferenceJSON {
        guard let token = path.first else {
            guard case .replace(let new) = change else { throw Refusal(description: "the whole is only replaced") }
            return new
        }
        let isLast = path.count == 1
        if var elements = value.elements {
            if isLast, case .insert(let new) = change {
                elements.insert(new, at: try index(token, elements.count))
                return .array(elements)
            }
            let at = try index(token, elements.count - 1)
            if isLast, case .remove = change {
                elements.remove(at: at)
            } else {
                elements[at] = try self.change(elements[at], path.dropFirst(), change)
            }
            return .array(elements)
        }
        guard var members = value.members else { throw Refusal(description: "nothing inside \(value)") }
        let at = members.lastIndex { $0.key.unescaped == Array(token.utf8) }
        if isLast {
            switch change {
            case .insert(let new):
                members.removeAll { $0.key.unescaped == Array(token.utf8) }
                members.append(ReferenceMember(key: ReferenceString(Array(token.utf8)), value: new))
            case .replace(let new):
                guard let at else { throw Refusal(description: "no member \(token) to replace") }
                members[at].value = new
            case .remove:
                guard at != nil else { throw Refusal(description: "no member \(token) to remove") }
                members.removeAll { $0.key.unescaped == Array(token.utf8) }
            }
            return .object(members)
        }
        guard let at else { throw Refusal(description: "no member \(token)") }
        members[at].value = try self.change(members[at].value, path.dropFirst(), change)
        return .object(members)
    }

    /// A value as readers see it: members sorted, of repeated ones the last, strings spelled alike.
    package static func plain(_ value: ReferenceJSON) -> ReferenceJSON {
        switch value {
        case .string(let string): return .string(ReferenceString(string.unescaped))
        case .array(let elements): return .array(elements.map(plain))
        case .object(let members):
            let last = Dictionary(members.map { ($0.key.unescaped, $0.value) }) { _, last in last }
            return .object(
                last.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
                    ReferenceMember(key: ReferenceString($0.key), value: plain($0.value))
                })
        case .null, .bool, .number: return value
        }
    }
}
