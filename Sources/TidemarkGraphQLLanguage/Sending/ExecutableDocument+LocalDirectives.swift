import TidemarkModel

extension ExecutableDocument {
    /// The document without the directives that servers do not know, and without the variables that only these used.
    var withoutLocalDirectives: ExecutableDocument {
        var stripped = self
        for index in stripped.definitions.indices {
            switch stripped.definitions[index] {
            case .operation(var operation):
                operation.directives = ExecutableDocument.kept(operation.directives)
                operation.selections = operation.selections.map(ExecutableDocument.kept)
                stripped.definitions[index] = .operation(operation)
            case .fragment(var fragment):
                fragment.directives = ExecutableDocument.kept(fragment.directives)
                fragment.selections = fragment.selections.map(ExecutableDocument.kept)
                stripped.definitions[index] = .fragment(fragment)
            }
        }
        stripped.removeVariables(usedIn: DocumentOutline(self), but: DocumentOutline(stripped))
        return stripped
    }

    private mutating func removeVariables(usedIn before: DocumentOutline, but after: DocumentOutline) {
        for index in before.operations {
            guard case .operation(var operation) = definitions[index], !operation.variables.isEmpty else { continue }
            let reachable = before.reachable(from: index)
            let old = Set(reachable.flatMap { before.uses[$0] }.map(\.text))
            let new = Set(reachable.flatMap { after.uses[$0] }.map(\.text))
            operation.variables.removeAll { old.contains($0.name.text) && !new.contains($0.name.text) }
            definitions[index] = .operation(operation)
        }
    }

    private static func kept(_ directives: [Directive]) -> [Directive] {
        directives.filter { !IntrospectionSchema.localDirectives.contains($0.name.text) }
    }

    private static func kept(_ selection: Selection) -> Selection {
        switch selection {
        case .field(var field):
            field.directives = kept(field.directives)
            field.selections = field.selections.map(kept)
            return .field(field)
        case .spread(var spread):
            spread.directives = kept(spread.directives)
            return .spread(spread)
        case .inline(var fragment):
            fragment.directives = kept(fragment.directives)
            fragment.selections = fragment.selections.map(kept)
            return .inline(fragment)
        }
    }
}

extension ExecutableDocument {
    /// True if a field is stored under a name of `@connection`.
    package var usesConnections: Bool { uses { $0 == "connection" } }

    /// True if a definition or selection has a directive that servers do not know.
    var usesLocalDirectives: Bool { uses { IntrospectionSchema.localDirectives.contains($0) } }

    private func uses(_ isWanted: (ByteString) -> Bool) -> Bool {
        definitions.contains { definition in
            definition.directives.contains { isWanted($0.name.text) }
                || ExecutableDocument.use(isWanted, definition.selections)
        }
    }

    private static func use(_ isWanted: (ByteString) -> Bool, _ selections: [Selection]) -> Bool {
        selections.contains { selection in
            selection.directives.contains { isWanted($0.name.text) } || use(isWanted, selection.selections)
        }
    }
}
