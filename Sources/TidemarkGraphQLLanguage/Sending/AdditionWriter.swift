/// Inserts added selections into a document, at the end of their sets.
struct AdditionWriter {
    /// The additions of each set, in the order in which ``SelectionSets`` numbers the sets.
    private let additions: [[Selection]]
    private var next = 0

    init(_ additions: [[Selection]]) {
        self.additions = additions
    }

    mutating func write(_ document: ExecutableDocument) -> ExecutableDocument {
        var document = document
        for index in document.definitions.indices {
            switch document.definitions[index] {
            case .operation(var operation):
                operation.selections = write(operation.selections)
                document.definitions[index] = .operation(operation)
            case .fragment(var fragment):
                fragment.selections = write(fragment.selections)
                document.definitions[index] = .fragment(fragment)
            }
        }
        return document
    }

    private mutating func write(_ selections: [Selection]) -> [Selection] {
        let added = additions[next]
        next += 1
        var written: [Selection] = []
        written.reserveCapacity(selections.count + added.count)
        for selection in selections {
            switch selection {
            case .field where selection.selections.isEmpty: written.append(selection)
            case .field(var field):
                field.selections = write(field.selections)
                written.append(.field(field))
            case .spread: written.append(selection)
            case .inline(var fragment):
                fragment.selections = write(fragment.selections)
                written.append(.inline(fragment))
            }
        }
        written += added
        return written
    }
}
