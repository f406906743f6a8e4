/// One member of an object. Keys are compared by ``ReferenceString/unescaped``, never by spelling.
package struct ReferenceMember: Equatable, Sendable {
    /// The name.
    package var key: ReferenceString
    /// The value.
    package var value: ReferenceJSON

    /// Creates a member.
    package init(key: ReferenceString, value: ReferenceJSON) {
        self.key = key
        self.value = value
    }
}
