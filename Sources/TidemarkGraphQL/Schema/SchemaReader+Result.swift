import TidemarkModel

extension SchemaReader {
    /// Finds the types of the operations: those that the document names, else those with the usual names.
    mutating func readRoots(of document: Document) {
        var isDefined = false
        for case .schema(let definition) in document.definitions {
            if !definition.isExtension { isDefined = true }
            for root in definition.roots {
                guard let id = known(root.type, "the type of an operation", as: .object) else { continue }
                if let other = schema.roots[root.operation], other != id {
                    errors.append(
                        .duplicateType,
                        "the type of \(root.operation.rawValue) is \(schema[other].name) already; name one",
                        at: root.place)
                }
                schema.roots[root.operation] = id
            }
        }
        guard !isDefined else { return }
        let names: [(OperationKind, ByteString)] = [
            (.query, "Query"), (.mutation, "Mutation"), (.subscription, "Subscription"),
        ]
        for (operation, name) in names where schema.roots[operation] == nil {
            guard let id = schema.id(name), schema[id].kind == .object else { continue }
            schema.roots[operation] = id
        }
    }

    /// Works out interfaces of interfaces, and the object types that a value of each type can have.
    mutating func workOutPossibleTypes() {
        for index in schema.types.indices {
            let id = SchemaTypeID(index)
            let interfaces = allInterfaces(of: id)
            schema.types[index].interfaces = interfaces
            if schema[id].kind == .interface, interfaces.contains(id) {
                errors.append(
                    .interfaceCycle,
                    "\(schema[id].name) implements itself, or an interface that does; break the circle",
                    at: places[schema[id].name] ?? SourcePlace(line: 1, column: 1))
            }
            guard schema[id].kind == .object else { continue }
            addPossible(id, to: id)
            for interface in interfaces { addPossible(id, to: interface) }
        }
        for index in schema.types.indices {
            for member in members[index] { addPossible(member, to: SchemaTypeID(index)) }
            schema.types[index].possibleTypes.sort()
        }
    }

    private mutating func addPossible(_ object: SchemaTypeID, to id: SchemaTypeID) {
        guard schema.types[id.index].possibleTypeSet.insert(object).inserted else { return }
        schema.types[id.index].possibleTypes.append(object)
    }

    private func allInterfaces(of id: SchemaTypeID) -> [SchemaTypeID] {
        var found: [SchemaTypeID] = []
        var seen: Set<SchemaTypeID> = []
        var waiting = declaredInterfaces[id.index]
        while let next = waiting.popLast() {
            guard seen.insert(next).inserted else { continue }
            found.append(next)
            waiting += declaredInterfaces[next.index]
        }
        return found.sorted()
    }
}
