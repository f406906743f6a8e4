import TidemarkModel

extension DocumentParser {
    /// Parses a document of operations and fragments.
    ///
    /// - Parameter bytes: The document in UTF-8, with or without a byte order mark.
    /// - Throws: ``DocumentError`` with the first error of the grammar as the only finding, or with the limit that
    ///   was exceeded.
    /// - Complexity: O(bytes). Recursion is bounded by ``ExecutableLimits/nestingDepthMax``.
    /// - Source: GraphQL, October 2021, section 2; Protocol/graphql.md, documents.
    package static func parseExecutable(
        _ bytes: [UInt8], limits: ExecutableLimits = ExecutableLimits()
    ) throws(DocumentError) -> ExecutableDocument {
        do throws(GraphQLError) {
            var parser = try DocumentParser(bytes, limits: limits.documentLimits)
            return try parser.executableDocument()
        } catch {
            throw DocumentError(syntax: error)
        }
    }

    private mutating func executableDocument() throws(GraphQLError) -> ExecutableDocument {
        var definitions: [ExecutableDocument.Definition] = []
        repeat {
            guard definitions.count < limits.definitionCountMax else {
                throw GraphQLError(
                    .tooManyDefinitions,
                    "more than \(limits.definitionCountMax) definitions; leave out what is not needed", at: token.place)
            }
            definitions.append(try executableDefinition())
        } while token.kind != .end
        return ExecutableDocument(definitions: definitions)
    }

    private mutating func executableDefinition() throws(GraphQLError) -> ExecutableDocument.Definition {
        if token.kind == .braceLeft {
            let place = token.place
            return .operation(
                OperationDefinition(
                    kind: .query, name: nil, variables: [], directives: [], selections: try selections(depth: 1),
                    at: place))
        }
        if isWord("fragment") { return .fragment(try fragment()) }
        if isWord("query") { return .operation(try operation(.query)) }
        if isWord("mutation") { return .operation(try operation(.mutation)) }
        if isWord("subscription") { return .operation(try operation(.subscription)) }
        throw unexpected("an operation or a fragment: query, mutation, subscription, fragment or \"{\"")
    }

    private mutating func operation(_ kind: OperationKind) throws(GraphQLError) -> OperationDefinition {
        let place = try advance().place
        let name: Name? = token.kind == .name ? try self.name("the name of the operation") : nil
        let variables = try variableDefinitions()
        let directives = try directives(isConstant: false)
        guard token.kind == .braceLeft else { throw unexpected("\"{\" and the fields to select") }
        return OperationDefinition(
            kind: kind, name: name, variables: variables, directives: directives, selections: try selections(depth: 1),
            at: place)
    }

    private mutating func fragment() throws(GraphQLError) -> FragmentDefinition {
        let place = try advance().place
        guard !isWord("on") else { throw unexpected("the name of the fragment; no fragment can be named \"on\"") }
        let name = try name("the name of the fragment")
        guard try skip(word: "on") else { throw unexpected("\"on\" and the type that the fragment is for") }
        let typeCondition = try self.name("the type that the fragment is for")
        let directives = try directives(isConstant: false)
        guard token.kind == .braceLeft else { throw unexpected("\"{\" and the fields to select") }
        return FragmentDefinition(
            name: name, typeCondition: typeCondition, directives: directives, selections: try selections(depth: 1),
            at: place)
    }

    private mutating func variableDefinitions() throws(GraphQLError) -> [VariableDefinition] {
        guard try skip(.parenthesisLeft) else { return [] }
        var variables: [VariableDefinition] = []
        repeat {
            try countMember()
            let place = token.place
            try expect(.dollar, "\"$\" and the name of a variable; leave out brackets with nothing in them")
            let name = Name(try name("the name of the variable").text, at: place)
            try expect(.colon, "\":\" and the type of the variable")
            let type = try type()
            let defaultValue = try skip(.equals) ? try value(isConstant: true) : nil
            variables.append(
                VariableDefinition(
                    name: name, type: type, defaultValue: defaultValue, directives: try directives(isConstant: true)))
        } while try !skip(.parenthesisRight)
        return variables
    }

    /// Reads a selection set from its `{` on.
    ///
    /// - Parameter depth: The level of this set; 1 for that of an operation.
    private mutating func selections(depth: Int) throws(GraphQLError) -> [Selection] {
        try checkDepth(depth)
        try advance()
        var selections: [Selection] = []
        repeat { selections.append(try selection(depth: depth)) } while try !skip(.braceRight)
        return selections
    }

    private mutating func selection(depth: Int) throws(GraphQLError) -> Selection {
        try countMember()
        guard token.kind == .spread else { return .field(try field(depth: depth)) }
        let place = try advance().place
        if token.kind == .name, !isWord("on") {
            let name = try name("the name of a fragment")
            return .spread(FragmentSpread(name: name, directives: try directives(isConstant: false), at: place))
        }
        let typeCondition: Name? = try skip(word: "on") ? try name("the type that the fragment is for") : nil
        let directives = try directives(isConstant: false)
        guard token.kind == .braceLeft else {
            throw unexpected("the name of a fragment, \"on\" or \"{\" after \"...\"")
        }
        return .inline(
            InlineFragment(
                typeCondition: typeCondition, directives: directives, selections: try self.selections(depth: depth + 1),
                at: place))
    }

    private mutating func field(depth: Int) throws(GraphQLError) -> Field {
        var name = try name("a field, \"...\" or \"}\"; leave out braces with nothing in them")
        var alias: Name?
        if try skip(.colon) {
            alias = name
            name = try self.name("the name of the field after its alias")
        }
        let arguments = try arguments(isConstant: false)
        let directives = try directives(isConstant: false)
        let selections = token.kind == .braceLeft ? try self.selections(depth: depth + 1) : []
        return Field(alias: alias, name: name, arguments: arguments, directives: directives, selections: selections)
    }
}
