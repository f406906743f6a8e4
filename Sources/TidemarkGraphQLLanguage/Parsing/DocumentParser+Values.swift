extension DocumentParser {
    /// Reads a value.
    ///
    /// - Parameters:
    ///   - isConstant: True if the value must not contain variables.
    ///   - depth: The number of open lists and objects around the value.
    mutating func value(isConstant: Bool, depth: Int = 0) throws(GraphQLError) -> Value {
        try countMember()
        let place = token.place
        switch token.kind {
        case .int: return try scalar(.int(text))
        case .float: return try scalar(.float(text))
        case .string, .blockString: return Value(.string(try string()), at: place)
        case .name:
            if isWord("true") { return try scalar(.boolean(true)) }
            if isWord("false") { return try scalar(.boolean(false)) }
            if isWord("null") { return try scalar(.null) }
            return try scalar(.enumeration(text))
        case .dollar:
            guard !isConstant else {
                throw GraphQLError(
                    .variableInConstant, "found a variable, expected a constant value; definitions have no variables",
                    at: place)
            }
            try advance()
            return Value(.variable(try name("the name of a variable").text), at: place)
        case .bracketLeft: return try list(isConstant: isConstant, depth: depth + 1)
        case .braceLeft: return try object(isConstant: isConstant, depth: depth + 1)
        case .end, .bang, .ampersand, .parenthesisLeft, .parenthesisRight, .spread, .colon, .equals, .at, .bracketRight,
            .pipe, .braceRight:
            throw unexpected("a value, such as 60, \"text\", true, NAME, [1, 2] or {a: 1}")
        }
    }

    /// Reads the string of the current token.
    mutating func string() throws(GraphQLError) -> StringValue {
        let value = StringValue(text, isBlock: token.kind == .blockString, at: token.place)
        try advance()
        return value
    }

    /// Reads optional arguments, `(name: value, …)`.
    mutating func arguments(isConstant: Bool) throws(GraphQLError) -> [NamedValue] {
        guard try skip(.parenthesisLeft) else { return [] }
        var arguments: [NamedValue] = []
        repeat {
            let name = try name("the name of an argument; close the list with \")\", or leave out empty brackets")
            try expect(.colon, "\":\" and the value of the argument")
            arguments.append(NamedValue(name: name, value: try value(isConstant: isConstant)))
        } while try !skip(.parenthesisRight)
        return arguments
    }

    /// Reads any number of directives, `@name(…)`.
    mutating func directives(isConstant: Bool) throws(GraphQLError) -> [Directive] {
        var directives: [Directive] = []
        while token.kind == .at {
            try countMember()
            let place = try advance().place
            let name = try name("the name of a directive after \"@\"")
            directives.append(Directive(name: name, arguments: try arguments(isConstant: isConstant), at: place))
        }
        return directives
    }

    private mutating func scalar(_ kind: Value.Kind) throws(GraphQLError) -> Value {
        Value(kind, at: try advance().place)
    }

    private mutating func list(isConstant: Bool, depth: Int) throws(GraphQLError) -> Value {
        try checkDepth(depth)
        let place = try advance().place
        var elements: [Value] = []
        while try !skip(.bracketRight) { elements.append(try value(isConstant: isConstant, depth: depth)) }
        return Value(.list(elements), at: place)
    }

    private mutating func object(isConstant: Bool, depth: Int) throws(GraphQLError) -> Value {
        try checkDepth(depth)
        let place = try advance().place
        var fields: [NamedValue] = []
        while try !skip(.braceRight) {
            let name = try name("the name of a field of this object, or \"}\"")
            try expect(.colon, "\":\" and the value of the field")
            fields.append(NamedValue(name: name, value: try value(isConstant: isConstant, depth: depth)))
        }
        return Value(.object(fields), at: place)
    }
}
