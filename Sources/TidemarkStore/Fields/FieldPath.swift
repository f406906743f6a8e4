import TidemarkModel

/// A field of a resource that may be indexed: a JSON Pointer, read once.
package struct FieldPath: Hashable, Sendable {
    /// The pointer as RFC 6901 writes it; empty for the whole resource.
    package let text: ByteString
    let pointer: JSONPointer

    /// - Parameter text: Without the escapes of JSON, such as `/content_kind`.
    /// - Throws: What is wrong and what to write instead, as the end of a sentence that names the place.
    package init(_ text: ByteString) throws(MembershipError) {
        pointer = try JSONPointer(text.bytes)
        self.text = text
    }

    /// The code by which the field's value is put in order, whole.
    ///
    /// - Parameter payload: One validated object without insignificant white space.
    /// - Complexity: O(payload.count).
    package func code(in payload: UnsafeRawBufferPointer) -> [UInt8] {
        var code: [UInt8] = []
        ValueCode.appendOrdered(pointer.value(in: payload), of: payload, to: &code)
        return code
    }

    /// As ``code(in:)``, for a payload whose members were found.
    package func code(in resource: ResourceView) -> [UInt8] {
        var code: [UInt8] = []
        ValueCode.appendOrdered(resource.value(at: pointer), of: resource.bytes, to: &code)
        return code
    }

    /// The code by which the field's value equals others, and its JSON; both nil when it has none.
    ///
    /// - Parameter payload: One validated object without insignificant white space.
    /// - Complexity: O(payload.count).
    package func value(in payload: UnsafeRawBufferPointer) -> (code: [UInt8], json: [UInt8])? {
        pointer.value(in: payload).map { (ValueCode.exact($0, of: payload), Array(payload[$0])) }
    }
}
