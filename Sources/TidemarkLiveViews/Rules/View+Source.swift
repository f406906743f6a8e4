import Tidemark

extension View {
    /// The entities of one type under an alias, whose fields the clauses of a view name.
    ///
    /// ```swift
    /// struct Issue: PatchableResource {
    ///     static let resourceType = "issue"
    ///     static var fieldNames: [PartialKeyPath<Issue>: String] { [\.title: "title", \.labels: "labels"] }
    ///     var id: String
    ///     var title: String
    ///     var labels: [String]
    /// }
    /// let issue = View.Source(Issue.self)
    /// let urgent = View(issue, where: issue["/labels/0"] == "urgent" && issue.title != "")
    /// print(try urgent.json())
    /// ```
    ///
    /// Fields of a ``/Tidemark/PatchableResource`` are its properties, so the compiler checks their names and types.
    /// The subscript with a JSON Pointer reaches every other value.
    @dynamicMemberLookup public struct Source<R>: Sendable {
        let type: String
        let alias: String
        let conventions: ResourceConventions

        /// Makes a source of a Swift type.
        ///
        /// - Parameters:
        ///   - type: The type of the entities.
        ///   - alias: 1 to 64 letters, digits and `_`, used once in a view; nil for the type's name.
        public init(_ type: R.Type, as alias: String? = nil) where R: Resource {
            self.type = R.resourceType
            self.alias = alias ?? R.resourceType
            conventions = R.conventions
        }

        /// Makes a source of a type that has no Swift type here.
        ///
        /// - Parameters:
        ///   - type: The type's name on the wire.
        ///   - alias: 1 to 64 letters, digits and `_`, used once in a view; nil for the type's name.
        public init(type: String, as alias: String? = nil) where R == JSONValue {
            self.type = type
            self.alias = alias ?? type
            conventions = ResourceConventions()
        }

        /// A field by its property. One that ``/Tidemark/PatchableResource/fieldNames`` lacks is a mistake, which the
        /// first use of the view names.
        public subscript<Value>(dynamicMember property: KeyPath<R, Value>) -> Field<Value>
        where R: PatchableResource {
            field(property)
        }

        /// An optional field by its property. It is compared with values that are not optional;
        /// ``View/Field/isNull`` and ``View/Field/exists`` test whether it has one.
        public subscript<Value>(dynamicMember property: KeyPath<R, Value?>) -> Field<Value>
        where R: PatchableResource {
            field(property)
        }

        /// Any value of the resource.
        ///
        /// - Parameter pointer: A JSON Pointer with the names on the wire, such as `/labels/0`; empty for the whole
        ///   resource.
        public subscript(pointer: String) -> Field<JSONValue> {
            Field(alias: alias, pointer: pointer, conventions: conventions)
        }

        private func field<Value>(_ property: PartialKeyPath<R>) -> Field<Value> where R: PatchableResource {
            do throws(CacheError) {
                let pointer = JSONPointer(tokens: [try R.fieldName(property)])
                return Field(alias: alias, pointer: pointer.description, conventions: conventions)
            } catch {
                return Field(alias: alias, pointer: "", conventions: conventions, mistake: error)
            }
        }
    }
}
