extension DocumentParser {
    /// Reads the type of a field or an input.
    ///
    /// - Parameter depth: The number of open brackets around the type.
    mutating func type(depth: Int = 0) throws(GraphQLError) -> TypeReference {
        let type: TypeReference
        if token.kind == .bracketLeft {
            try checkDepth(depth + 1)
            let place = try advance().place
            let element = try self.type(depth: depth + 1)
            try expect(.bracketRight, "\"]\" after the type of the elements")
            type = .list(element, place)
        } else {
            type = .named(try name("a type, such as String, Song! or [Song!]"))
        }
        return try skip(.bang) ? .nonNull(type) : type
    }

    /// Reads an optional `implements A & B`.
    mutating func interfaces() throws(GraphQLError) -> [Name] {
        guard try skip(word: "implements") else { return [] }
        return try names(between: .ampersand, "the name of an interface")
    }

    /// Reads an optional `= A | B`.
    mutating func unionMembers() throws(GraphQLError) -> [Name] {
        guard try skip(.equals) else { return [] }
        return try names(between: .pipe, "the name of a type of this union")
    }

    /// Reads names with a sign between them. The sign may also precede the first name.
    private mutating func names(between sign: Token.Kind, _ expected: String) throws(GraphQLError) -> [Name] {
        _ = try skip(sign)
        var names: [Name] = []
        repeat {
            try countMember()
            names.append(try name(expected))
        } while try skip(sign)
        if token.kind == .name, sign == .ampersand, !startsDefinition {
            throw unexpected("\"&\" between interfaces, or \"{\"")
        }
        return names
    }

    /// Reads an optional `{ field … }`.
    mutating func fields() throws(GraphQLError) -> [FieldDefinition] {
        try members(.braceLeft, .braceRight, "the name of a field") { parser, description throws(GraphQLError) in
            let name = try parser.name("the name of a field; leave out braces with nothing in them")
            let arguments = try parser.inputs(.parenthesisLeft, .parenthesisRight, "an argument")
            try parser.expect(.colon, "\":\" and the type of the field")
            return FieldDefinition(
                description: description, name: name, arguments: arguments, type: try parser.type(),
                directives: try parser.directives(isConstant: true))
        }
    }

    /// Reads optional arguments in parentheses, or the optional fields of an input type in braces.
    mutating func inputs(
        _ opening: Token.Kind, _ closing: Token.Kind, _ noun: String
    ) throws(GraphQLError) -> [InputValueDefinition] {
        try members(opening, closing, "the name of \(noun)") { parser, description throws(GraphQLError) in
            let name = try parser.name("the name of \(noun); leave out brackets with nothing in them")
            try parser.expect(.colon, "\":\" and the type of \(noun)")
            let type = try parser.type()
            let defaultValue = try parser.skip(.equals) ? try parser.value(isConstant: true) : nil
            return InputValueDefinition(
                description: description, name: name, type: type, defaultValue: defaultValue,
                directives: try parser.directives(isConstant: true))
        }
    }

    /// Reads an optional `{ VALUE … }`.
    mutating func enumValues() throws(GraphQLError) -> [EnumValueDefinition] {
        try members(.braceLeft, .braceRight, "the name of a value") { parser, description throws(GraphQLError) in
            if parser.isWord("true") || parser.isWord("false") || parser.isWord("null") {
                throw parser.unexpected("the name of an enum's value; true, false and null are values of their own")
            }
            let name = try parser.name("the name of a value; leave out braces with nothing in them")
            return EnumValueDefinition(
                description: description, name: name, directives: try parser.directives(isConstant: true))
        }
    }

    /// Reads at least one member between two signs. Each member may have a description.
    private mutating func members<Member>(
        _ opening: Token.Kind, _ closing: Token.Kind, _ expected: String,
        _ member: (inout DocumentParser, StringValue?) throws(GraphQLError) -> Member
    ) throws(GraphQLError) -> [Member] {
        guard try skip(opening) else { return [] }
        var members: [Member] = []
        repeat {
            try countMember()
            let description = try description()
            if description != nil, token.kind != .name { throw unexpected("\(expected) after its description") }
            members.append(try member(&self, description))
        } while try !skip(closing)
        return members
    }
}
