import TidemarkModel

/// A field of a resource that may be indexed: a JSON Pointer, parsed once.
package struct FieldPath: Hashable, Sendable {
    /// The pointer in the form of RFC 6901; empty for the whole resource.
    package let text: ByteString
    let pointer: RulePointer

    /// Parses a pointer.
    ///
    /// - Parameter text: The pointer without the escapes of JSON, such as `/content_kind`.
    /// - Throws: An error that says what is wrong and what to write instead, as the end of a sentence that begins with
    ///   the place.
    package init(_ text: ByteString) throws(MembershipError) {
        pointer = try RulePointer(text.bytes)
        self.text = text
    }

    /// Returns the complete code that orders the field's value.
    ///
    /// - Parameter payload: One validated object without insignificant white space.
    /// - Complexity: O(payload.count).
    package func code(in payload: UnsafeRawBufferPointer) -> [UInt8] {
        var code: [UInt8] = []
        ValueCode.appendOrdered(pointer.value(in: payload), of: payload, to: &code)
        return code
    }

    /// Does the same as ``code(in:)``, for a payload whose members were located.
    package func code(in resource: ResourceView) -> [UInt8] {
        var code: [UInt8] = []
        ValueCode.appendOrdered(resource.value(at: pointer), of: resource.bytes, to: &code)
        return code
    }

    /// Returns the code that decides the equality of the field's value, and the value's JSON; nil when the field has no
    /// value.
    ///
    /// - Parameter payload: One validated object without insignificant white space.
    /// - Complexity: O(payload.count).
    package func value(in payload: UnsafeRawBufferPointer) -> (code: [UInt8], json: [UInt8])? {
        pointer.value(in: payload).map { (ValueCode.exact($0, of: payload), Array(payload[$0])) }
    }
}
