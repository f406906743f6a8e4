import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkTesting

/// Random documents that a schema mostly allows: fields that are there, values that fit, fragments that can apply.
struct TypedGenerator {
    var generator: SeededGenerator
    let schema: GraphQLSchema
    /// The share of choices that may be wrong, in thousandths.
    let boldness: Int
    private var fragments: [FragmentDefinition] = []
    /// Variables that each definition uses, by name, with their types; the last is the one under way.
    private var uses: [[ByteString: SchemaTypeReference]] = [[:]]
    private var spreads: [Set<Int>] = [[]]

    init(_ generator: SeededGenerator, _ schema: GraphQLSchema, boldness: Int = 30) {
        self.generator = generator
        self.schema = schema
        self.boldness = boldness
    }

    mutating func document() -> ExecutableDocument {
        let composites = schema.types.filter { $0.isComposite && !$0.name.description.hasPrefix("__") }
        // A fragment spreads only those that were made before it: there are no circles.
        var facts: [(uses: [ByteString: SchemaTypeReference], spreads: Set<Int>)] = []
        for number in 0..<generator.below(4) {
            let type = generator.pick(composites)
            guard let id = schema.id(type.name) else { continue }
            uses = [[:]]
            spreads = [[]]
            let selections = selections(of: id, depth: 1)
            fragments.append(
                FragmentDefinition(
                    name: name("F\(number)"), typeCondition: Name(type.name, at: .none),
                    directives: isBold ? [directive("tag", [("name", .string(text("x")))])] : [],
                    selections: selections,
                    at: .none))
            facts.append((uses[0], spreads[0]))
        }
        var definitions: [ExecutableDocument.Definition] = []
        var reached: Set<Int> = []
        let count = 1 + (generator.chance(200) ? generator.below(3) : 0)
        for number in 0..<count {
            uses = [[:]]
            spreads = [[]]
            let kind = generator.chance(750) ? OperationKind.query : generator.pick(OperationKind.allCases)
            guard let root = schema.roots[kind] else { continue }
            var selections = selections(of: root, depth: 0)
            if kind == .subscription, !isBold { selections = Array(selections.prefix(1)) }
            var needed = uses[0]
            var waiting = spreads[0]
            while let next = waiting.popFirst() {
                reached.insert(next)
                needed.merge(facts[next].uses) { $1 }
                waiting.formUnion(facts[next].spreads)
            }
            let isNamed = count > 1 || generator.chance(500)
            var variables: [VariableDefinition] = []
            for (name, type) in needed.sorted(by: { $0.key < $1.key }) { variables.append(variable(name, type)) }
            definitions.append(
                .operation(
                    OperationDefinition(
                        kind: kind, name: isNamed && !isBold ? name("Op\(number)") : nil,
                        variables: variables, directives: [], selections: selections,
                        at: .none)))
        }
        for (index, fragment) in fragments.enumerated() where reached.contains(index) || isBold {
            definitions.append(.fragment(fragment))
        }
        return ExecutableDocument(definitions: definitions)
    }

    private var isBold: Bool { mutating get { generator.chance(boldness) } }

    private mutating func variable(
        _ name: ByteString, _ type: SchemaTypeReference
    ) -> VariableDefinition {
        let value = generator.chance(300) ? constant(type) : nil
        return VariableDefinition(
            name: Name(name, at: .none), type: reference(type), defaultValue: value,
            directives: generator.chance(50) ? [directive("upper", [("by", .int("2"))])] : [])
    }

    private func reference(_ type: SchemaTypeReference) -> TypeReference {
        switch type {
        case .named(let id): .named(Name(schema[id].name, at: .none))
        case .list(let element): .list(reference(element), .none)
        case .nonNull(let inner): .nonNull(reference(inner))
        }
    }

    // MARK: Selections

    private mutating func selections(of type: SchemaTypeID, depth: Int) -> [Selection] {
        var selections: [Selection] = []
        for _ in 0...generator.below(4) { selections.append(selection(of: type, depth: depth)) }
        return selections
    }

    private mutating func selection(of type: SchemaTypeID, depth: Int) -> Selection {
        if generator.chance(120), depth < 5 {
            let possible = schema.types.compactMap { schema.id($0.name) }
                .filter { schema[$0].isComposite && (schema.overlap($0, type)) }
            let condition = isBold ? nil : generator.pick(possible)
            return .inline(
                InlineFragment(
                    typeCondition: condition.map { Name(schema[$0].name, at: .none) }, directives: conditions(),
                    selections: selections(of: condition ?? type, depth: depth + 1), at: .none))
        }
        if generator.chance(150), !fragments.isEmpty {
            let index = generator.below(fragments.count)
            if let condition = schema.id(fragments[index].typeCondition.text),
                schema.overlap(condition, type) || isBold
            {
                spreads[0].insert(index)
                return .spread(FragmentSpread(name: fragments[index].name, directives: conditions(), at: .none))
            }
        }
        guard !schema[type].fields.isEmpty, generator.chance(930) else { return .field(typename()) }
        return .field(field(generator.pick(schema[type].fields), depth: depth))
    }

    private func typename() -> Field {
        Field(alias: nil, name: Name("__typename", at: .none), arguments: [], directives: [], selections: [])
    }

    private mutating func field(_ definition: SchemaField, depth: Int) -> Field {
        var arguments: [NamedValue] = []
        for input in definition.arguments.all where input.isRequired && !isBold || generator.chance(400) {
            arguments.append(NamedValue(name: Name(input.name, at: .none), value: value(input.type)))
        }
        let alias: ByteString? = generator.chance(250) ? generator.pick(["a", "b", "id", "x1", "name"]) : nil
        let composite = schema[definition.type.named].isComposite
        var inner: [Selection] = []
        if composite {
            inner = depth < 5 ? selections(of: definition.type.named, depth: depth + 1) : [.field(typename())]
        }
        var directives = conditions()
        if generator.chance(40) {
            directives.append(directive("cacheControl", [("maxAge", value(named: "Int").kind)]))
        }
        if generator.chance(30) {
            directives.append(directive("connection", [("key", value(named: "String", isNonNull: true).kind)]))
        }
        return Field(
            alias: alias.map { Name($0, at: .none) }, name: Name(definition.name, at: .none), arguments: arguments,
            directives: directives, selections: inner)
    }

    private mutating func conditions() -> [Directive] {
        guard generator.chance(100) else { return [] }
        return [
            directive(generator.pick(["include", "skip"]), [("if", value(named: "Boolean", isNonNull: true).kind)])
        ]
    }

    private func directive(_ name: ByteString, _ arguments: [(ByteString, Value.Kind)]) -> Directive {
        Directive(
            name: Name(name, at: .none),
            arguments: arguments.map { NamedValue(name: Name($0, at: .none), value: Value($1, at: .none)) }, at: .none)
    }

    // MARK: Values

    private mutating func value(named name: ByteString, isNonNull: Bool = false) -> Value {
        guard let id = schema.id(name) else { return Value(.null, at: .none) }
        return value(isNonNull ? .nonNull(.named(id)) : .named(id))
    }

    private mutating func value(_ type: SchemaTypeReference) -> Value {
        if generator.chance(250) {
            let letters = schema.text(of: type).filter { $0.isLetter || $0.isNumber }
            let name = ByteString("v\(letters)\(type.isNonNull ? 1 : 0)\(generator.below(2))")
            // One name has one type, mostly.
            if let known = uses[0][name], known != type, !isBold { return constant(type) }
            uses[0][name] = type
            return Value(.variable(name), at: .none)
        }
        return constant(type)
    }

    private mutating func constant(_ type: SchemaTypeReference, depth: Int = 0) -> Value {
        if !type.isNonNull, generator.chance(100) || depth > 3 { return Value(.null, at: .none) }
        switch type.nullable {
        case .list(let element):
            if generator.chance(200) { return constant(element, depth: depth + 1) }
            var elements: [Value] = []
            for _ in 0..<generator.below(3) { elements.append(constant(element, depth: depth + 1)) }
            return Value(.list(elements), at: .none)
        case .named(let id), .nonNull(.named(let id)): return Value(literal(schema[id], depth: depth), at: .none)
        case .nonNull: preconditionFailure("a nullable type is never non-null")
        }
    }

    private mutating func literal(_ type: SchemaType, depth: Int) -> Value.Kind {
        if isBold {
            return generator.pick([.int("1"), .float("1.5"), .boolean(true), .enumeration("ROCK"), .list([])])
        }
        switch type.name {
        case "Int": return .int(generator.pick(["0", "-1", "2147483647", isBold ? "2147483648" : "5"]))
        case "Float": return generator.chance(500) ? .float("1.50") : .int("3")
        case "Boolean": return .boolean(generator.chance(500))
        case "String": return .string(text(generator.pick(["", "a", "é\n", "\"x\""])))
        case "ID": return generator.chance(500) ? .int("7") : .string(text("id1"))
        default: break
        }
        switch type.kind {
        case .enumeration: return .enumeration(generator.pick(type.values.sorted()))
        case .input:
            var fields: [NamedValue] = []
            for input in type.inputs.all where input.isRequired && !isBold || generator.chance(400) {
                fields.append(
                    NamedValue(name: Name(input.name, at: .none), value: constant(input.type, depth: depth + 1)))
            }
            return .object(fields)
        default:
            return generator.pick([
                .int("1"), .string(text("2020")), .enumeration("NOW"),
                .object([NamedValue(name: name("year"), value: Value(.int("1"), at: .none))]),
            ])
        }
    }

    private func text(_ text: String) -> StringValue { StringValue(ByteString(text), isBlock: false, at: .none) }

    private func name(_ text: String) -> Name { Name(ByteString(text), at: .none) }
}
