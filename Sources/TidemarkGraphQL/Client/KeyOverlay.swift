import Tidemark

/// Restores the keys of objects in data that was read without them.
enum KeyOverlay {
    /// - Parameters:
    ///   - new: The changed data.
    ///   - shown: The data as it was read.
    ///   - full: The data as it was read, with a member `__ref` in each entity.
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` for a changed list whose objects cannot be matched.
    /// - Complexity: O(data), and quadratic in the length of a list whose elements move.
    static func restored(
        _ new: JSONValue, _ shown: JSONValue, _ full: JSONValue, path: [String]
    ) throws(CacheError) -> JSONValue {
        switch (new, shown, full) {
        case (.object(var members), .object, .object):
            for index in members.indices {
                let name = members[index].name
                guard let old = shown[name], let known = full[name] else { continue }
                members[index].value = try restored(members[index].value, old, known, path: path + [name])
            }
            if let key = full["__ref"] { members.append(JSONMember("__ref", key)) }
            return .object(members)
        case (.array(let elements), .array(let before), .array(let whole)):
            return .array(try list(elements, before, whole, path: path))
        default: return new
        }
    }

    private static func list(
        _ elements: [JSONValue], _ before: [JSONValue], _ whole: [JSONValue], path: [String]
    ) throws(CacheError) -> [JSONValue] {
        var restored = [JSONValue?](repeating: nil, count: elements.count)
        var isUsed = [Bool](repeating: false, count: before.count)
        // Match elements that stay in place before those that move, so that equal elements keep their own keys.
        for (index, element) in elements.enumerated() where index < before.count && element == before[index] {
            restored[index] = whole[index]
            isUsed[index] = true
        }
        for (index, element) in elements.enumerated() where restored[index] == nil {
            guard let old = before.indices.first(where: { !isUsed[$0] && before[$0] == element }) else { continue }
            restored[index] = whole[old]
            isUsed[old] = true
        }
        var result: [JSONValue] = []
        for (index, element) in elements.enumerated() {
            if let known = restored[index] {
                result.append(known)
            } else if elements.count == before.count, !isUsed[index] {
                result.append(try self.restored(element, before[index], whole[index], path: path + ["\(index)"]))
            } else if whole.contains(where: { $0["__ref"] != nil }), element.members != nil,
                element["__typename"] == nil
            {
                throw CacheError(
                    .invalidParams,
                    "\(path.joined(separator: ".")) has a new or changed object at \(index) without a key: "
                        + "select __typename and the key fields, and give them")
            } else {
                result.append(element)
            }
        }
        return result
    }
}
