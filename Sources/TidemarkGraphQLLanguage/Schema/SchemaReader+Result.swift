import TidemarkModel

extension SchemaReader {
    /// Finds the types of the operations: those that the document names, or else those with the usual names.
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

    /// Computes the object types that a value of each type can have. A type names every interface that it implements,
    /// including those of its interfaces.
    mutating func workOutPossibleTypes() {
        for index in schema.types.indices {
            let id = SchemaTypeID(index)
            schema.types[index].interfaces = declaredInterfaces[index].sorted()
            guard schema[id].kind == .object else { continue }
            addPossible(id, to: id)
            for interface in declaredInterfaces[index] { addPossible(id, to: interface) }
        }
        for index in schema.types.indices {
            for member in members[index] { addPossible(member, to: SchemaTypeID(index)) }
            schema.types[index].possibleTypes.sort()
        }
        refuseCircles()
    }

    private mutating func refuseCircles() {
        var waiting = declaredInterfaces.map(\.count)
        var implementers: [[Int]] = Array(repeating: [], count: schema.types.count)
        for (index, interfaces) in declaredInterfaces.enumerated() {
            for interface in interfaces { implementers[interface.index].append(index) }
        }
        var order = schema.types.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < order.count {
            for index in implementers[order[next]] {
                waiting[index] -= 1
                if waiting[index] == 0 { order.append(index) }
            }
            next += 1
        }
        for index in schema.types.indices where waiting[index] > 0 && schema.types[index].kind == .interface {
            errors.append(
                .interfaceCycle,
                "\(schema.types[index].name) implements itself, or an interface that does; break the cycle",
                at: places[schema.types[index].name] ?? SourcePlace(line: 1, column: 1))
        }
    }

    private mutating func addPossible(_ object: SchemaTypeID, to id: SchemaTypeID) {
        guard schema.types[id.index].possibleTypeSet.insert(object).inserted else { return }
        schema.types[id.index].possibleTypes.append(object)
    }
}
