import TidemarkStore

/// Writes the changes of a list as a JSON Patch for the array of its elements.
///
/// - Source: RFC 6902; Protocol/sessions.md, `query.changed`.
package enum JSONPatch {
    /// Appends the operations as one JSON array, `[]` when there are none.
    ///
    /// - Parameters:
    ///   - operations: Operations whose elements are compact valid JSON, which is copied unchanged.
    ///   - output: The buffer to append to.
    /// - Complexity: O(bytes written).
    package static func append(_ operations: [ListOperation<[UInt8]>], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        for (index, operation) in operations.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            append(operation, to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    private static func append(_ operation: ListOperation<[UInt8]>, to output: inout [UInt8]) {
        switch operation {
        case .add(let element, let index): append("add", index, element, to: &output)
        case .replace(let element, let index): append("replace", index, element, to: &output)
        case .remove(let index): output += "{\"op\":\"remove\",\"path\":\"/\(index)\"}".utf8
        case .move(let from, let to):
            output += "{\"op\":\"move\",\"from\":\"/\(from)\",\"path\":\"/\(to)\"}".utf8
        }
    }

    private static func append(_ name: String, _ index: Int, _ element: [UInt8], to output: inout [UInt8]) {
        output += "{\"op\":\"\(name)\",\"path\":\"/\(index)\",\"value\":".utf8
        output += element
        output.append(UInt8(ascii: "}"))
    }
}
