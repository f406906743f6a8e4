import Tidemark

/// Why an operation of RFC 6902 cannot be applied to a value.
struct PatchError: Error, Hashable, Sendable {
    var message: String
}

/// Applies the changes of watched documents: the operations `add`, `remove`, `replace` and `move`.
///
/// - Source: RFC 6902, section 4.
enum JSONPatchApplier {
    static func apply(_ operation: JSONValue, to value: inout JSONValue) throws(PatchError) {
        let path = try steps(operation["path"])
        switch operation["op"]?.string {
        case "add": try edit(&value, path[...], .add(operation["value"] ?? .null))
        case "replace": try edit(&value, path[...], .replace(operation["value"] ?? .null))
        case "remove": try edit(&value, path[...], .remove)
        case "move":
            let from = try steps(operation["from"])
            guard let moved = Self.value(value, from[...]) else { throw PatchError(message: "nothing is at from") }
            try edit(&value, from[...], .remove)
            try edit(&value, path[...], .add(moved))
        default: throw PatchError(message: "the operation is not known")
        }
    }

    private enum Edit {
        case add(JSONValue)
        case replace(JSONValue)
        case remove
    }

    private static func steps(_ pointer: JSONValue?) throws(PatchError) -> [String] {
        guard let text = pointer?.string, text.isEmpty || text.hasPrefix("/") else {
            throw PatchError(message: "a path is no JSON Pointer")
        }
        return text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { step in
            step.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
                .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
        }
    }

    private static func value(_ value: JSONValue, _ path: ArraySlice<String>) -> JSONValue? {
        guard let first = path.first else { return value }
        let inner =
            switch value {
            case .object: value[first]
            case .array: Int(first).flatMap { value[$0] }
            default: JSONValue?.none
            }
        return inner.flatMap { self.value($0, path.dropFirst()) }
    }

    private static func edit(
        _ value: inout JSONValue, _ path: ArraySlice<String>, _ edit: Edit
    ) throws(PatchError) {
        guard let first = path.first else {
            switch edit {
            case .add(let new), .replace(let new): value = new
            case .remove: value = .null
            }
            return
        }
        switch value {
        case .object(var members):
            value = .null
            try self.edit(&members, first, path.dropFirst(), edit)
            value = .object(members)
        case .array(var elements):
            value = .null
            try self.edit(&elements, first, path.dropFirst(), edit)
            value = .array(elements)
        default: throw PatchError(message: "a path leads into a value that is no object and no list")
        }
    }

    private static func edit(
        _ members: inout [JSONMember], _ name: String, _ rest: ArraySlice<String>, _ edit: Edit
    ) throws(PatchError) {
        let index = members.firstIndex { $0.name == name }
        guard rest.isEmpty else {
            guard let index else { throw PatchError(message: "a path leads nowhere") }
            return try self.edit(&members[index].value, rest, edit)
        }
        switch (edit, index) {
        case (.add(let new), let index?), (.replace(let new), let index?): members[index].value = new
        case (.add(let new), nil): members.append(JSONMember(name, new))
        case (.remove, let index?): members.remove(at: index)
        case (.replace, nil), (.remove, nil): throw PatchError(message: "a path leads nowhere")
        }
    }

    private static func edit(
        _ elements: inout [JSONValue], _ name: String, _ rest: ArraySlice<String>, _ edit: Edit
    ) throws(PatchError) {
        let index = name == "-" ? elements.count : Int(name) ?? -1
        guard rest.isEmpty else {
            guard elements.indices.contains(index) else { throw PatchError(message: "a path leads nowhere") }
            return try self.edit(&elements[index], rest, edit)
        }
        switch edit {
        case .add(let new) where (0...elements.count).contains(index): elements.insert(new, at: index)
        case .replace(let new) where elements.indices.contains(index): elements[index] = new
        case .remove where elements.indices.contains(index): elements.remove(at: index)
        case .add, .replace, .remove: throw PatchError(message: "a path leads nowhere")
        }
    }
}
