import TidemarkModel

/// A document with its names looked up: which definitions spread which fragments, and which variables each one uses.
struct DocumentOutline {
    /// The definitions in their original order.
    let definitions: [ExecutableDocument.Definition]
    /// The operations, as indices into `definitions`.
    private(set) var operations: [Int] = []
    /// The fragments, as indices into `definitions`.
    private(set) var fragments: [Int] = []
    /// The indices of fragments by name; of several with one name the first.
    private(set) var fragmentIndices: [ByteString: Int] = [:]
    /// The spreads in each definition, in their original order.
    private(set) var spreads: [[FragmentSpread]] = []
    /// The first use of each variable in each definition, with the place of the value, in their original order.
    private(set) var uses: [[Name]] = []

    init(_ document: ExecutableDocument) {
        definitions = document.definitions
        for (index, definition) in definitions.enumerated() {
            switch definition {
            case .operation: operations.append(index)
            case .fragment(let fragment):
                fragments.append(index)
                if fragmentIndices[fragment.name.text] == nil { fragmentIndices[fragment.name.text] = index }
            }
            var facts = DefinitionFacts()
            facts.collect(definition.directives)
            facts.collect(definition.selections)
            spreads.append(facts.spreads)
            uses.append(facts.uses)
        }
    }

    /// Returns an operation.
    ///
    /// - Precondition: `index` is one of `operations`.
    func operation(_ index: Int) -> OperationDefinition {
        guard case .operation(let operation) = definitions[index] else {
            preconditionFailure("definition \(index) of \(definitions.count) is not an operation")
        }
        return operation
    }

    /// Returns a fragment.
    ///
    /// - Precondition: `index` is one of `fragments`.
    func fragment(_ index: Int) -> FragmentDefinition {
        guard case .fragment(let fragment) = definitions[index] else {
            preconditionFailure("definition \(index) of \(definitions.count) is not a fragment")
        }
        return fragment
    }

    /// Returns a definition and the fragments that it spreads, directly or through others, each once.
    func reachable(from index: Int) -> [Int] {
        var found = [index]
        var seen: Set<Int> = [index]
        var next = 0
        while next < found.count {
            for spread in spreads[found[next]] {
                guard let fragment = fragmentIndices[spread.name.text], seen.insert(fragment).inserted else { continue }
                found.append(fragment)
            }
            next += 1
        }
        return found
    }

    /// Returns the operations, and the fragments that are never spread, in their original order.
    func rootDefinitions() -> [Int] {
        let spread = Set(spreads.joined().compactMap { fragmentIndices[$0.name.text] })
        return definitions.indices.filter { !spread.contains($0) }
    }
}

/// Collects the spreads and variables of one definition.
private struct DefinitionFacts {
    var spreads: [FragmentSpread] = []
    var uses: [Name] = []
    private var used: Set<ByteString> = []

    mutating func collect(_ selections: [Selection]) {
        for selection in selections {
            switch selection {
            case .field(let field):
                for argument in field.arguments { collect(argument.value) }
            case .spread(let spread): spreads.append(spread)
            case .inline: break
            }
            collect(selection.directives)
            collect(selection.selections)
        }
    }

    mutating func collect(_ directives: [Directive]) {
        for directive in directives {
            for argument in directive.arguments { collect(argument.value) }
        }
    }

    private mutating func collect(_ value: Value) {
        switch value.kind {
        case .variable(let name):
            if used.insert(name).inserted { uses.append(Name(name, at: value.place)) }
        case .list(let elements): for element in elements { collect(element) }
        case .object(let fields): for field in fields { collect(field.value) }
        case .int, .float, .string, .boolean, .null, .enumeration: break
        }
    }
}
