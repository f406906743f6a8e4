import TidemarkModel

extension DocumentParser {
    /// Reads one definition or extension.
    mutating func definition() throws(GraphQLError) -> Document.Definition {
        let description = try description()
        let place = token.place
        if isWord("extend") {
            guard description == nil else {
                throw unexpected("a definition after the description; extensions have none, write a # comment")
            }
            try advance()
            return try systemDefinition(nil, isExtension: true, at: place)
        }
        return try systemDefinition(description, isExtension: false, at: place)
    }

    /// Reads the string before a definition; nil if there is none.
    mutating func description() throws(GraphQLError) -> StringValue? {
        token.kind == .string || token.kind == .blockString ? try string() : nil
    }

    /// True if the token can be the first of a definition.
    var startsDefinition: Bool {
        let words: [StaticString] = [
            "schema", "scalar", "type", "interface", "union", "enum", "input", "directive", "extend",
        ]
        return words.contains(where: isWord)
    }

    private mutating func systemDefinition(
        _ description: StringValue?, isExtension: Bool, at place: SourcePlace
    ) throws(GraphQLError) -> Document.Definition {
        if isWord("schema") { return .schema(try schema(description, isExtension: isExtension, at: place)) }
        if isWord("directive"), !isExtension { return .directive(try directiveDefinition(description, at: place)) }
        guard startsDefinition, !isWord("extend"), !isWord("directive") else {
            throw unexpected(DocumentParser.expectedDefinition(isExtension: isExtension))
        }
        let keyword = text
        try advance()
        let name = try name("the name of the \(keyword)")
        let start = token
        var definition = TypeDefinition(
            description: description, name: name, isExtension: isExtension, directives: [], body: .scalar, at: place)
        try complete(&definition, keyword.description)
        if isExtension, token == start {
            throw unexpected("what the extension adds to \(DocumentParser.excerpt(name.text.description))")
        }
        return .type(definition)
    }

    /// Reads the part of a type definition after its name.
    private mutating func complete(
        _ definition: inout TypeDefinition, _ keyword: String
    ) throws(GraphQLError) {
        let interfaces = keyword == "type" || keyword == "interface" ? try interfaces() : []
        definition.directives = try directives(isConstant: true)
        switch keyword {
        case "type": definition.body = .object(interfaces: interfaces, fields: try fields())
        case "interface": definition.body = .interface(interfaces: interfaces, fields: try fields())
        case "union": definition.body = .union(members: try unionMembers())
        case "enum": definition.body = .enumeration(values: try enumValues())
        case "input":
            definition.body = .input(fields: try inputs(.braceLeft, .braceRight, "a field of this input"))
        default: definition.body = .scalar
        }
    }

    private static func expectedDefinition(isExtension: Bool) -> String {
        isExtension
            ? "schema, scalar, type, interface, union, enum or input after extend"
            : "a definition: schema, scalar, type, interface, union, enum, input, directive or extend"
    }

    private mutating func schema(
        _ description: StringValue?, isExtension: Bool, at place: SourcePlace
    ) throws(GraphQLError) -> SchemaDefinition {
        try advance()
        let directives = try directives(isConstant: true)
        var roots: [SchemaDefinition.Root] = []
        if try skip(.braceLeft) {
            repeat { roots.append(try root()) } while try !skip(.braceRight)
        } else if !isExtension || directives.isEmpty {
            throw unexpected("\"{\" and the types of the operations, such as query: Query")
        }
        return SchemaDefinition(
            description: description, isExtension: isExtension, directives: directives, roots: roots, at: place)
    }

    private mutating func root() throws(GraphQLError) -> SchemaDefinition.Root {
        try countMember()
        guard token.kind == .name, let operation = OperationKind(rawValue: text.description) else {
            throw unexpected("query, mutation or subscription")
        }
        let place = try advance().place
        try expect(.colon, "\":\" and the type of the operation")
        return SchemaDefinition.Root(operation: operation, type: try name("the name of a type"), at: place)
    }

    private mutating func directiveDefinition(
        _ description: StringValue?, at place: SourcePlace
    ) throws(GraphQLError) -> DirectiveDefinition {
        try advance()
        try expect(.at, "\"@\" and the name of the directive")
        let name = try name("the name of the directive after \"@\"")
        let arguments = try inputs(.parenthesisLeft, .parenthesisRight, "an argument")
        let isRepeatable = try skip(word: "repeatable")
        guard try skip(word: "on") else { throw unexpected("\"on\" and where the directive may stand") }
        _ = try skip(.pipe)
        var locations: [DirectiveDefinition.Location] = []
        repeat { locations.append(try location()) } while try skip(.pipe)
        return DirectiveDefinition(
            description: description, name: name, arguments: arguments, isRepeatable: isRepeatable,
            locations: locations, at: place)
    }

    private mutating func location() throws(GraphQLError) -> DirectiveDefinition.Location {
        try countMember()
        guard token.kind == .name, let location = DirectiveLocation(rawValue: text.description) else {
            throw unexpected("where the directive may stand, such as OBJECT or FIELD_DEFINITION")
        }
        return DirectiveDefinition.Location(location, at: try advance().place)
    }
}
