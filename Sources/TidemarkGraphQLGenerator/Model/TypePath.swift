/// The names that lead to a Swift type, such as `HeroName`, `Data`, `Hero`.
package struct TypePath: Hashable, Sendable, CustomStringConvertible {
    /// The names from the outermost type to the type itself.
    package var names: [String]

    /// Creates a path from its names.
    package init(_ names: [String]) {
        self.names = names
    }

    /// The name of the type itself.
    package var last: String { names.last ?? "" }

    /// The path of the enclosing type.
    package var enclosing: TypePath { TypePath(Array(names.dropLast())) }

    /// Returns the path of a nested type.
    package func appending(_ name: String) -> TypePath { TypePath(names + [name]) }

    /// The path in the notation of Swift, such as `HeroName.Data.Hero`.
    package var description: String { names.joined(separator: ".") }
}
