/// A type definition, or an extension of a type.
package struct TypeDefinition: Hashable, Sendable {
    /// The description; nil in an extension.
    package var description: StringValue?
    /// The name of the type.
    package var name: Name
    /// True for `extend`.
    package var isExtension: Bool
    /// The directives on the definition.
    package var directives: [Directive]
    /// The kind of the type, with its fields, members or values.
    package var body: Body
    /// The place of the first word, which is `extend` in an extension; a description comes before it.
    package var place: SourcePlace

    package init(
        description: StringValue?, name: Name, isExtension: Bool, directives: [Directive], body: Body,
        at place: SourcePlace
    ) {
        self.description = description
        self.name = name
        self.isExtension = isExtension
        self.directives = directives
        self.body = body
        self.place = place
    }
}

extension TypeDefinition {
    /// The contents of the six kinds of types, in the order written.
    package enum Body: Hashable, Sendable {
        /// A scalar.
        case scalar
        /// An object type, with the interfaces that it implements.
        case object(interfaces: [Name], fields: [FieldDefinition])
        /// An interface, with the interfaces that it implements.
        case interface(interfaces: [Name], fields: [FieldDefinition])
        /// A union, with the object types that are its members.
        case union(members: [Name])
        /// An enum, with its values.
        case enumeration(values: [EnumValueDefinition])
        /// An input type, with its fields.
        case input(fields: [InputValueDefinition])

        /// The word that begins the definition.
        package var keyword: String {
            switch self {
            case .scalar: "scalar"
            case .object: "type"
            case .interface: "interface"
            case .union: "union"
            case .enumeration: "enum"
            case .input: "input"
            }
        }
    }
}
