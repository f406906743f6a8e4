import TidemarkModel

extension IdentityRules {
    /// Reads `@typePolicy` and `@fieldPolicy` from a document of type definitions.
    ///
    /// - Throws: All errors in these directives, ordered by place. Other errors of the document are found when it is
    ///   read as a policy or a schema.
    /// - Source: Protocol/graphql.md, identity.
    package static func read(_ document: Document) throws(GraphQLErrors) -> IdentityRules {
        var reader = IdentityReader()
        for case .type(let type) in document.definitions { reader.collect(type) }
        for case .type(let type) in document.definitions { reader.read(type) }
        reader.checkFields()
        let conflicts = reader.rules.handDown(reader.interfaces)
        for name in conflicts {
            let words = DocumentParser.excerpt(name.description)
            reader.errors.append(
                .interfaceConflict,
                "\(words) gets different key fields from its interfaces; give \(words) a @typePolicy of its own",
                at: reader.places[name] ?? SourcePlace(line: 1, column: 1))
        }
        guard reader.errors.count == 0 else {
            reader.errors.sort()
            throw reader.errors
        }
        return reader.rules
    }
}

/// Collects the rules of identity in one document.
struct IdentityReader {
    var rules = IdentityRules()
    var errors = GraphQLErrors()
    /// The place of each type's definition.
    var places: [ByteString: SourcePlace] = [:]
    /// The names of each field's arguments, by type and field.
    private var fields: [ByteString: [ByteString: Set<ByteString>]] = [:]
    /// The interfaces that each type names, each once.
    private(set) var interfaces: [ByteString: [ByteString]] = [:]
    /// The key fields of types, which are looked up when all fields are known.
    private var keys: [(type: Name, field: ByteString, place: SourcePlace)] = []
    private var lookups: [(type: Name, lookup: FieldLookup, place: SourcePlace)] = []

    /// Records the fields of a type.
    mutating func collect(_ type: TypeDefinition) {
        let name = type.name.text
        if !type.isExtension { places[name] = type.name.place }
        switch type.body {
        case .object(let names, let definitions), .interface(let names, let definitions):
            var known = Set(interfaces[name] ?? [])
            interfaces[name, default: []] += names.map(\.text).filter { known.insert($0).inserted }
            for field in definitions {
                fields[name, default: [:]][field.name.text] = Set(field.arguments.map(\.name.text))
            }
        case .scalar, .union, .enumeration, .input: break
        }
    }

    /// Reads the directives of a type.
    mutating func read(_ type: TypeDefinition) {
        for directive in type.directives {
            let isType = directive.name.text == "typePolicy"
            guard isType || directive.name.text == "fieldPolicy" else { continue }
            switch type.body {
            case .object: isType ? readType(directive, of: type.name) : readField(directive, of: type.name)
            case .interface where isType: readType(directive, of: type.name)
            default:
                errors.append(
                    .misplacedDirective,
                    "@\(directive.name.text) has no meaning here; write it on an object type"
                        + (isType ? " or an interface" : ""), at: directive.place)
            }
        }
    }

    private mutating func readType(_ directive: Directive, of type: Name) {
        var rule = TypeIdentity()
        for argument in arguments(directive, ["keyFields", "events"]) {
            switch argument.name.text {
            case "keyFields":
                rule.keyFields = names(argument)
                for field in rule.keyFields ?? [] { keys.append((type, field, argument.value.place)) }
            default:
                switch argument.value.kind {
                case .enumeration("MERGE"): rule.mergesEvents = true
                case .enumeration("REPLACE"): rule.mergesEvents = false
                default: badArgument(argument, "MERGE or REPLACE")
                }
            }
        }
        if directive.arguments.isEmpty {
            errors.append(.emptyDirective, "@typePolicy sets nothing; give it keyFields or events", at: directive.place)
        }
        let name = type.text
        guard rules.declared[name] == nil else {
            return errors.append(
                .duplicateDirective,
                "\(DocumentParser.excerpt(name.description)) has a @typePolicy already; write one", at: directive.place)
        }
        rules.declared[name] = rule
        rules.effective[name] = rule
    }

    private mutating func readField(_ directive: Directive, of type: Name) {
        var lookup = FieldLookup(field: "")
        for argument in arguments(directive, ["forField", "keyArgs", "membership"]) {
            switch argument.name.text {
            case "forField":
                guard case .string(let name) = argument.value.kind, !name.text.bytes.isEmpty else {
                    badArgument(argument, "the name of a field in quotes")
                    continue
                }
                lookup.field = name.text
            case "keyArgs": lookup.keyArguments = names(argument)
            default:
                guard case .object = argument.value.kind else {
                    badArgument(argument, "an object with where and order")
                    continue
                }
                lookup.membership = argument.value
            }
        }
        guard !lookup.field.bytes.isEmpty else {
            if !directive.arguments.contains(where: { $0.name.text == "forField" }) {
                errors.append(
                    .missingArgument, "@fieldPolicy without forField; name the field it is for", at: directive.place
                )
            }
            return
        }
        if lookup.keyArguments == nil, lookup.membership == nil,
            !directive.arguments.contains(where: { $0.name.text != "forField" })
        {
            errors.append(
                .emptyDirective, "@fieldPolicy sets nothing; give it keyArgs or membership", at: directive.place)
        }
        guard rules.lookups[type.text]?[lookup.field] == nil else {
            return errors.append(
                .duplicateDirective,
                "\(DocumentParser.excerpt(lookup.field.description)) has a @fieldPolicy already; write one",
                at: directive.place)
        }
        rules.lookups[type.text, default: [:]][lookup.field] = lookup
        lookups.append((type, lookup, directive.place))
    }

    /// Checks the arguments of a directive.
    ///
    /// - Returns: The known arguments, each once. Others are reported as errors.
    private mutating func arguments(_ directive: Directive, _ known: [ByteString]) -> [NamedValue] {
        var seen: Set<ByteString> = []
        return directive.arguments.filter { argument in
            let name = DocumentParser.excerpt(argument.name.text.description)
            guard known.contains(argument.name.text) else {
                errors.append(
                    .unknownArgument,
                    "@\(directive.name.text) has no argument \(name); it has "
                        + known.map(\.description).joined(separator: ", "), at: argument.name.place)
                return false
            }
            guard seen.insert(argument.name.text).inserted else {
                errors.append(.duplicateArgument, "\(name) is given twice; give it once", at: argument.name.place)
                return false
            }
            return true
        }
    }

    /// Parses names that are separated by white space.
    ///
    /// - Returns: nil if the value is not a string of names, which is reported.
    private mutating func names(_ argument: NamedValue) -> [ByteString]? {
        guard case .string(let string) = argument.value.kind else {
            badArgument(argument, "names in quotes, with spaces between them")
            return nil
        }
        let names = string.text.bytes.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        let areNames = names.allSatisfy { Lexer.isNameStart($0[$0.startIndex]) && $0.allSatisfy(Lexer.isNamePart) }
        guard !names.isEmpty, areNames, Set(names).count == names.count else {
            badArgument(argument, "one name or several different ones, with spaces between them")
            return nil
        }
        return names.map { ByteString($0) }
    }

    private mutating func badArgument(_ argument: NamedValue, _ wanted: String) {
        errors.append(
            .badArgument, "\(argument.name.text) has an invalid value; write \(wanted)",
            at: argument.value.place)
    }

    /// Reports names of fields and arguments that do not exist.
    mutating func checkFields() {
        for (type, field, place) in keys {
            var known = fields[type.text] ?? [:]
            for interface in interfaces[type.text] ?? [] { known.merge(fields[interface] ?? [:]) { own, _ in own } }
            guard !known.isEmpty else { continue }
            let words = DocumentParser.excerpt("\(type.text).\(field)")
            if known[field] == nil {
                errors.append(
                    .unknownField, "\(words) is not declared; name key fields that the type declares", at: place)
            } else if known[field]?.isEmpty == false {
                errors.append(
                    .badArgument, "\(words) has arguments and cannot be a key; name a field without", at: place)
            }
        }
        for (type, lookup, place) in lookups {
            let words = DocumentParser.excerpt("\(type.text).\(lookup.field)")
            guard let arguments = fields[type.text]?[lookup.field] else {
                errors.append(.unknownField, "\(words) is not declared; name a field that the type declares", at: place)
                continue
            }
            for name in lookup.keyArguments ?? [] where !arguments.contains(name) {
                errors.append(
                    .unknownArgument,
                    "\(words) has no argument \(DocumentParser.excerpt(name.description)); name one that it has",
                    at: place)
            }
        }
    }
}
