/// Applies a JSON Patch to an array of whole elements, as a subscriber does.
///
/// It shares no code with the writer of patches: it reads the patch with the reference parser, one operation at a time,
/// and refuses whatever RFC 6902 refuses.
package enum ReferencePatch {
    /// Applies a patch.
    ///
    /// - Parameters:
    ///   - patch: An array of `add`, `remove`, `replace` and `move` operations.
    ///   - list: An array.
    /// - Returns: The array after all operations.
    /// - Throws: ``ReferencePatchError`` at the first operation that cannot be applied.
    package static func apply(_ patch: ReferenceJSON, to list: ReferenceJSON) throws(ReferencePatchError)
        -> ReferenceJSON
    {
        guard let operations = patch.elements else { throw ReferencePatchError("the patch is no array: \(patch)") }
        guard var elements = list.elements else { throw ReferencePatchError("the list is no array: \(list)") }
        for operation in operations { try apply(operation, to: &elements) }
        return .array(elements)
    }

    private static func apply(
        _ operation: ReferenceJSON, to elements: inout [ReferenceJSON]
    ) throws(ReferencePatchError) {
        let name = operation.member("op")?.text.map { String(decoding: $0, as: UTF8.self) }
        switch name {
        case "add":
            let value = try value(of: operation)
            elements.insert(value, at: try index("path", of: operation, upTo: elements.count, appends: true))
        case "remove":
            elements.remove(at: try index("path", of: operation, upTo: elements.count - 1))
        case "replace":
            let value = try value(of: operation)
            elements[try index("path", of: operation, upTo: elements.count - 1)] = value
        case "move":
            let element = elements.remove(at: try index("from", of: operation, upTo: elements.count - 1))
            elements.insert(element, at: try index("path", of: operation, upTo: elements.count, appends: true))
        default:
            throw ReferencePatchError("no operation on whole elements: \(operation)")
        }
    }

    private static func value(of operation: ReferenceJSON) throws(ReferencePatchError) -> ReferenceJSON {
        guard let value = operation.member("value") else { throw ReferencePatchError("no value: \(operation)") }
        return value
    }

    /// Returns the index that a one-token JSON Pointer names.
    private static func index(
        _ name: String, of operation: ReferenceJSON, upTo indexMax: Int, appends: Bool = false
    ) throws(ReferencePatchError) -> Int {
        guard let pointer = operation.member(name)?.text, pointer.first == UInt8(ascii: "/") else {
            throw ReferencePatchError("no \(name): \(operation)")
        }
        let token = String(decoding: pointer.dropFirst(), as: UTF8.self)
        if appends, token == "-" { return indexMax }
        // An array index has no sign and no leading zeros.
        guard let index = Int(token), String(index) == token, index >= 0, index <= indexMax else {
            throw ReferencePatchError("\(name) is not 0 to \(indexMax): \(operation)")
        }
        return index
    }
}

/// Why a patch cannot be applied.
package struct ReferencePatchError: Error, Equatable, CustomStringConvertible {
    /// The reason in words.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
