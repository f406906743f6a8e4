/// One member of an object, `key: value`. Keys are compared by ``ReferenceString/unescaped``, never by spelling.
package struct ReferenceMember: Equatable, Sendable {
    package var key: ReferenceString
    package var value: ReferenceJSON

    package init(key: ReferenceString, value: ReferenceJSON) {
        self.key = key
        self.value = value
    }
}
