import TidemarkModel

/// A field of a resource that can be indexed: a parsed JSON Pointer.
package struct FieldPath: Hashable, Sendable {
    /// The pointer in the form of RFC 6901; empty for the whole resource.
    package let text: ByteString
    let pointer: RulePointer

    /// Parses a pointer.
    ///
    /// - Parameter text: A JSON Pointer without JSON escapes, such as `/content_kind`.
    /// - Throws: A ``MembershipError`` whose message completes a sentence that begins with the place: what is wrong,
    ///   and what to write instead.
    package init(_ text: ByteString) throws(MembershipError) {
        pointer = try RulePointer(text.bytes)
        self.text = text
    }

    /// Returns the uncut code that orders the field's value.
    ///
    /// - Parameter payload: One validated object without insignificant white space.
    /// - Complexity: O(payload.count).
    package func code(in payload: UnsafeRawBufferPointer) -> [UInt8] {
        var code: [UInt8] = []
        ValueCode.appendOrdered(pointer.value(in: payload), of: payload, to: &code)
        return code
    }

    /// Returns the uncut code that orders the field's value, for a payload whose members are already located.
    package func code(in resource: ResourceView) -> [UInt8] {
        var code: [UInt8] = []
        ValueCode.appendOrdered(resource.value(at: pointer), of: resource.bytes, to: &code)
        return code
    }

    /// Returns the field's value as JSON, with the code by which values are equal; nil if the field has no value.
    ///
    /// - Parameter payload: One validated object without insignificant white space.
    /// - Complexity: O(payload.count).
    package func value(in payload: UnsafeRawBufferPointer) -> (code: [UInt8], json: [UInt8])? {
        pointer.value(in: payload).map { (ValueCode.exact($0, of: payload), Array(payload[$0])) }
    }
}
