import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkTesting

/// Random executable documents of every production, without places; most of them mean nothing.
struct ExecutableGenerator {
    var generator: SeededGenerator

    mutating func document() -> ExecutableDocument {
        ExecutableDocument(
            definitions: list(1, 4) { $0.generator.chance(300) ? .fragment($0.fragment()) : .operation($0.operation()) }
        )
    }

    private mutating func operation() -> OperationDefinition {
        let isShort = generator.chance(250)
        return OperationDefinition(
            kind: isShort ? .query : generator.pick(OperationKind.allCases),
            name: isShort || generator.chance(200) ? nil : name(),
            variables: isShort ? [] : list(0, 3) { $0.variable() },
            directives: isShort ? [] : directives(), selections: selections(depth: 0), at: .none)
    }

    private mutating func variable() -> VariableDefinition {
        VariableDefinition(
            name: name(), type: reference(), defaultValue: generator.chance(400) ? value(isConstant: true) : nil,
            directives: directives(isConstant: true))
    }

    private mutating func fragment() -> FragmentDefinition {
        var fragmentName = name()
        if fragmentName.text == "on" { fragmentName.text = "off" }
        return FragmentDefinition(
            name: fragmentName, typeCondition: name(), directives: directives(), selections: selections(depth: 0),
            at: .none)
    }

    private mutating func selections(depth: Int) -> [Selection] {
        list(1, depth == 0 ? 4 : 3) { $0.selection(depth: depth) }
    }

    private mutating func selection(depth: Int) -> Selection {
        switch generator.below(10) {
        case 0:
            var spreadName = name()
            if spreadName.text == "on" { spreadName.text = "off" }
            return .spread(FragmentSpread(name: spreadName, directives: directives(), at: .none))
        case 1 where depth < 4:
            return .inline(
                InlineFragment(
                    typeCondition: generator.chance(600) ? name() : nil, directives: directives(),
                    selections: selections(depth: depth + 1), at: .none))
        default:
            return .field(
                Field(
                    alias: generator.chance(200) ? name() : nil, name: name(), arguments: arguments(),
                    directives: directives(),
                    selections: depth < 4 && generator.chance(350) ? selections(depth: depth + 1) : []))
        }
    }

    private mutating func directives(isConstant: Bool = false) -> [Directive] {
        generator.chance(200)
            ? list(1, 2) { Directive(name: $0.name(), arguments: $0.arguments(isConstant: isConstant), at: .none) } : []
    }

    private mutating func arguments(isConstant: Bool = false) -> [NamedValue] {
        generator.chance(300)
            ? list(1, 3) { NamedValue(name: $0.name(), value: $0.value(isConstant: isConstant)) } : []
    }

    private mutating func reference(depth: Int = 0) -> TypeReference {
        var type: TypeReference = .named(name())
        if depth < 4, generator.chance(300) { type = .list(reference(depth: depth + 1), .none) }
        return generator.chance(300) ? .nonNull(type) : type
    }

    private mutating func value(isConstant: Bool, depth: Int = 0) -> Value {
        Value(kind(isConstant: isConstant, depth: depth), at: .none)
    }

    private mutating func kind(isConstant: Bool, depth: Int) -> Value.Kind {
        switch generator.below(depth < 3 ? 9 : 7) {
        case 0: .int(generator.pick(["0", "-0", "7", "-12", "2147483648", "123456789012345678901234567890"]))
        case 1: .float(generator.pick(["0.0", "-1.50", "1e9", "6E-3", "0.5e+00", "12e1"]))
        case 2: .string(string())
        case 3: .boolean(generator.chance(500))
        case 4: .null
        case 5: .enumeration(generator.pick(["A", "on", "type", "_", "nulls", "e1"]))
        case 6: isConstant ? .null : .variable(name().text)
        case 7: .list(list(0, 3) { $0.value(isConstant: isConstant, depth: depth + 1) })
        default:
            .object(
                list(0, 3) { NamedValue(name: $0.name(), value: $0.value(isConstant: isConstant, depth: depth + 1)) })
        }
    }

    private mutating func string() -> StringValue {
        var texts = DocumentGenerator(generator: generator)
        let string = texts.string()
        generator = texts.generator
        return string.withoutPlace
    }

    private mutating func name() -> Name {
        let names: [ByteString] = [
            "a", "_", "__x", "Song", "type", "on", "query", "fragment", "A1_b", "mutation", "true", "null", "e3", "x0",
        ]
        return Name(generator.pick(names), at: .none)
    }

    private mutating func list<Element>(
        _ least: Int, _ most: Int, _ element: (inout ExecutableGenerator) -> Element
    ) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(least + generator.below(most - least + 1)) { elements.append(element(&self)) }
        return elements
    }
}

extension StringValue {
    fileprivate var withoutPlace: StringValue { StringValue(text, isBlock: isBlock, at: .none) }
}
