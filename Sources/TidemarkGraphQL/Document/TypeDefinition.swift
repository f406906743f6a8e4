/// A type definition, or an extension of a type.
package struct TypeDefinition: Hashable, Sendable {
    /// The description; nil in an extension.
    package var description: StringValue?
    package var name: Name
    package var isExtension: Bool
    package var directives: [Directive]
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
        case scalar
        case object(interfaces: [Name], fields: [FieldDefinition])
        case interface(interfaces: [Name], fields: [FieldDefinition])
        case union(members: [Name])
        case enumeration(values: [EnumValueDefinition])
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
