import TidemarkModel

extension PolicyReader {
    /// Returns the rule in a directive. An invalid argument is added to the errors and left out of the rule.
    ///
    /// - Returns: The rule; for a `@cacheControlField` also the name of its field.
    mutating func control(_ directive: Directive) -> (control: CacheControl, field: StringValue?) {
        var control = CacheControl(place: directive.place)
        var field: StringValue?
        var inherits = false
        var seen: Set<ByteString> = []
        for argument in directive.arguments {
            let name = argument.name
            let isNew = seen.insert(name.text).inserted
            guard isNew else {
                errors.append(
                    .duplicateArgument, "\(PolicyReader.excerpt(name.text)) is given twice; give it once",
                    at: name.place)
                continue
            }
            switch (name.text.description, PolicyDirective(directive)) {
            case ("maxAge", _): control.age = age(argument.value)
            case ("inheritMaxAge", _): inherits = boolean(argument)
            case ("cascadeDeletion", _): control.cascades = boolean(argument)
            case ("name", .field):
                guard case .string(let string) = argument.value.kind else {
                    wrongType(argument, "the name of a field in quotes, such as \"title\"")
                    continue
                }
                field = string
            default:
                let known = PolicyDirective(directive) == .field ? "name, maxAge" : "maxAge"
                errors.append(
                    .unknownArgument,
                    "@\(directive.name.text) has no argument \(PolicyReader.excerpt(name.text)); it has \(known), "
                        + "inheritMaxAge and cascadeDeletion", at: name.place)
            }
        }
        if inherits {
            if seen.contains("maxAge") {
                errors.append(
                    .ageContradiction, "maxAge together with inheritMaxAge: true; leave out one of them",
                    at: directive.place)
            } else {
                control.age = .inherited
            }
        }
        refuseEmpty(directive, seen)
        return (control, field)
    }

    /// Sets the rules of fields whose directives are on their type.
    mutating func applyFieldDirectives(to index: Int) {
        for directive in types[index].fieldDirectives {
            let (control, name) = control(directive)
            guard let name else { continue }
            let type = PolicyReader.excerpt(types[index].name.text)
            let words = "\(type).\(PolicyReader.excerpt(name.text))"
            guard let field = types[index].fieldIndices[name.text] else {
                errors.append(
                    .unknownField,
                    "\(type) declares no field \(PolicyReader.excerpt(name.text)); name one that it declares",
                    at: name.place)
                continue
            }
            if let own = types[index].fields[field].own {
                refuseSecond(directive, of: words, after: own)
            } else {
                types[index].fields[field].own = control
            }
        }
    }

    mutating func refuseSecond(_ directive: Directive, of owner: String, after first: CacheControl) {
        errors.append(
            .duplicateDirective,
            "\(owner) has a rule from \(first.place.line):\(first.place.column) already; write one of them",
            at: directive.place)
    }

    private mutating func refuseEmpty(_ directive: Directive, _ seen: Set<ByteString>) {
        let isField = PolicyDirective(directive) == .field
        if isField, !seen.contains("name") {
            errors.append(
                .missingArgument, "@cacheControlField without a name; name the field it is for", at: directive.place
            )
        }
        if seen.subtracting(isField ? ["name"] : []).isEmpty {
            errors.append(
                .emptyDirective,
                "@\(directive.name.text) sets nothing; give it maxAge, inheritMaxAge or cascadeDeletion, or remove it",
                at: directive.place)
        }
    }

    private mutating func age(_ value: Value) -> AgeRule? {
        guard case .int(let digits) = value.kind else {
            wrongType("maxAge", value, "whole seconds, such as 60")
            return nil
        }
        let text = digits.description
        let seconds = Int(text)
        if text.hasPrefix("-"), seconds != 0 {
            errors.append(
                .negativeAge,
                "maxAge \(DocumentParser.excerpt(text)); write 0 for always stale, leave it out for never",
                at: value.place)
            return nil
        }
        guard let seconds, seconds <= PolicyReader.ageMax else {
            errors.append(
                .ageTooLarge,
                "maxAge \(DocumentParser.excerpt(text)); the most is \(PolicyReader.ageMax), leave it out for never",
                at: value.place)
            return nil
        }
        return .seconds(seconds)
    }

    /// - Returns: The value; false when the argument is no boolean, which is added to the errors.
    private mutating func boolean(_ argument: NamedValue) -> Bool {
        guard case .boolean(let value) = argument.value.kind else {
            wrongType(argument, "true or false")
            return false
        }
        return value
    }

    private mutating func wrongType(_ argument: NamedValue, _ wanted: String) {
        wrongType(argument.name.text.description, argument.value, wanted)
    }

    private mutating func wrongType(_ name: String, _ value: Value, _ wanted: String) {
        errors.append(.badArgument, "\(name) is \(value.kind.words); write \(wanted)", at: value.place)
    }
}

extension Value.Kind {
    /// The kind in words, with an article.
    fileprivate var words: String {
        switch self {
        case .variable: "a variable"
        case .int: "an integer"
        case .float: "a number with a fraction or an exponent"
        case .string: "a string"
        case .boolean: "true or false"
        case .null: "null"
        case .enumeration: "a word without quotes"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
