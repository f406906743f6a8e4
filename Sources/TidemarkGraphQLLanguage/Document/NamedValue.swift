/// A name with a value, `name: value`: an argument, or a field of an object value.
package struct NamedValue: Hashable, Sendable {
    package var name: Name
    package var value: Value

    package init(name: Name, value: Value) {
        self.name = name
        self.value = value
    }
}
