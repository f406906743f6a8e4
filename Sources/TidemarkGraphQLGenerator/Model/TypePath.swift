/// The names that lead to a Swift type: `HeroName`, `Data`, `Hero`.
package struct TypePath: Hashable, Sendable, CustomStringConvertible {
    package var names: [String]

    package init(_ names: [String]) {
        self.names = names
    }

    /// The name of the type itself.
    package var last: String { names.last ?? "" }

    /// The type around it.
    package var enclosing: TypePath { TypePath(Array(names.dropLast())) }

    package func appending(_ name: String) -> TypePath { TypePath(names + [name]) }

    /// `HeroName.Data.Hero`.
    package var description: String { names.joined(separator: ".") }
}
