import TidemarkModel

/// Section 5.3.2: fields that meet under one name in a response can be merged.
///
/// Two checks are made, each once for a whole definition with its fragments spread. First, all fields that meet must
/// have the same shape; each is compared with the first of its name. Second, fields that can meet in one object must be
/// the same field with the same arguments. For that, fields of one object type, name and parent form one node of a
/// tree, and only nodes whose types can be one object are compared. Comparing all pairs of fields would take quadratic
/// time for a document that repeats one field, and exponential time for nested fragments.
///
/// - Complexity: O(fields with fragments spread) for nodes; pairs of nodes up to
///   ``ExecutableLimits/fieldPairCountMax``.
/// - Source: GraphQL, October 2021, section 5.3.2, FieldsInSetCanMerge and SameResponseShape.
struct FieldMerging {
    let tree: MergingTree
    let schema: GraphQLSchema
    let limits: ExecutableLimits
    private var nodes: [Node] = []
    private var pairCount = 0
    /// The places that have a finding. Bounded by the fields of the document.
    private var refused: Set<SourcePlace> = []

    /// Fields of one response name, one object type or none, and one parent node.
    struct Node {
        /// The first field of the node.
        var field: Int
        /// The object type of the parent; nil if it is an interface, a union or unknown, so that the node can meet any
        /// other.
        var object: SchemaTypeID?
        /// The selection sets of all its fields.
        var sets: [MergingTree.TypedSet]
        /// The nodes below; nil until they are needed.
        var children: Children?
    }

    /// The nodes below one node.
    struct Children {
        /// The response names, in their original order.
        var names: [ByteString] = []
        /// The nodes of each response name, by object type.
        var nodes: [ByteString: [SchemaTypeID?: Int]] = [:]
    }

    init(_ outline: DocumentOutline, _ schema: GraphQLSchema, _ limits: ExecutableLimits) {
        tree = MergingTree(outline, schema)
        self.schema = schema
        self.limits = limits
    }

    /// Checks all definitions.
    ///
    /// - Precondition: No fragment is spread inside itself.
    /// - Throws: ``DocumentError`` `limitExceeded` if too many pairs would have to be compared.
    mutating func check(into findings: inout FindingList) throws(DocumentError) {
        for set in tree.roots {
            guard !findings.isFull else { return }
            nodes = [Node(field: 0, object: nil, sets: [set])]
            try expandAll(0, &findings)
            checkShapes([set], &findings)
        }
    }

    // MARK: Shapes

    private mutating func checkShapes(_ sets: [MergingTree.TypedSet], _ findings: inout FindingList) {
        guard !findings.isFull else { return }
        var names: [ByteString] = []
        var groups: [ByteString: (first: MergingTree.TypedField, sets: [MergingTree.TypedSet])] = [:]
        var conflicts: [(Int, SchemaTypeReference, Int, SchemaTypeReference)] = []
        tree.forEachField(in: sets) { field in
            let name = tree.fields[field.field].responseName
            guard let first = groups[name]?.first else {
                names.append(name)
                groups[name] = (field, tree.set(of: field).map { [$0] } ?? [])
                return
            }
            if let set = tree.set(of: field) { groups[name]?.sets.append(set) }
            guard let type = field.definition?.type, let other = first.definition?.type,
                !haveSameShape(type, other)
            else { return }
            conflicts.append((first.field, other, field.field, type))
        }
        for (left, type, right, other) in conflicts {
            let (left, right) = (tree.fields[left], tree.fields[right])
            refuse(
                "\(DocumentValidator.excerpt(left.responseName)) is \(schema.text(of: type)) and \(schema.text(of: other)) "
                    + "here; give one of them an alias.", at: max(left.place, right.place), &findings)
        }
        for name in names {
            guard let sets = groups[name]?.sets, !sets.isEmpty else { continue }
            checkShapes(sets, &findings)
        }
    }

    private func haveSameShape(_ left: SchemaTypeReference, _ right: SchemaTypeReference) -> Bool {
        switch (left, right) {
        case (.nonNull(let left), .nonNull(let right)), (.list(let left), .list(let right)):
            haveSameShape(left, right)
        case (.named(let left), .named(let right)):
            left == right || schema[left].isComposite && schema[right].isComposite
        case (.nonNull, _), (_, .nonNull), (.list, _), (_, .list): false
        }
    }

    // MARK: Sameness

    private mutating func expandAll(_ index: Int, _ findings: inout FindingList) throws(DocumentError) {
        guard !findings.isFull else { return }
        let children = expand(index, &findings)
        for name in children.names {
            guard let group = children.nodes[name] else { continue }
            let ordered = group.values.sorted()
            for child in ordered { try expandAll(child, &findings) }
            guard let open = group[nil] else { continue }
            for child in ordered where child != open { try compare(open, child, &findings) }
        }
    }

    private mutating func expand(_ index: Int, _ findings: inout FindingList) -> Children {
        if let children = nodes[index].children { return children }
        var children = Children()
        var nodes = nodes
        let tree = tree
        var conflicts: [(Int, Int)] = []
        self.nodes = []
        tree.forEachField(in: nodes[index].sets) { field in
            let name = tree.fields[field.field].responseName
            let object = field.parent.flatMap { schema[$0].kind == .object ? $0 : nil }
            let sets = tree.set(of: field).map { [$0] } ?? []
            if children.nodes[name] == nil { children.names.append(name) }
            guard let node = children.nodes[name]?[object] else {
                children.nodes[name, default: [:]][object] = nodes.count
                nodes.append(Node(field: field.field, object: object, sets: sets))
                return
            }
            if tree.fields[nodes[node].field].signature == tree.fields[field.field].signature {
                nodes[node].sets += sets
            } else {
                conflicts.append((nodes[node].field, field.field))
            }
        }
        nodes[index].children = children
        self.nodes = nodes
        for (left, right) in conflicts { refuse(left, right, &findings) }
        return children
    }

    /// Checks that two nodes that can meet in one object are the same field, and so are those below them.
    private mutating func compare(
        _ left: Int, _ right: Int, _ findings: inout FindingList
    ) throws(DocumentError) {
        guard !findings.isFull else { return }
        pairCount += 1
        guard pairCount <= limits.fieldPairCountMax else {
            throw DocumentError(
                .limitExceeded,
                "More than \(limits.fieldPairCountMax) pairs of fields meet under one name; give fields aliases, or ask "
                    + "in several documents.")
        }
        guard tree.fields[nodes[left].field].signature == tree.fields[nodes[right].field].signature else {
            return refuse(nodes[left].field, nodes[right].field, &findings)
        }
        guard !nodes[left].sets.isEmpty, !nodes[right].sets.isEmpty else { return }
        let below = expand(left, &findings)
        let others = expand(right, &findings)
        for name in below.names {
            guard let group = below.nodes[name], let others = others.nodes[name] else { continue }
            for (object, child) in group.sorted(by: { $0.value < $1.value }) {
                if object != nil {
                    if let other = others[object] { try compare(child, other, &findings) }
                    if let other = others[nil] { try compare(child, other, &findings) }
                } else {
                    for other in others.values.sorted() { try compare(child, other, &findings) }
                }
            }
        }
    }

    private mutating func refuse(_ left: Int, _ right: Int, _ findings: inout FindingList) {
        let (first, second) = (tree.fields[left], tree.fields[right])
        let name = DocumentValidator.excerpt(first.responseName)
        let why =
            first.name == second.name
            ? "with different arguments"
            : "as \(DocumentValidator.excerpt(first.name)) and as \(DocumentValidator.excerpt(second.name))"
        refuse(
            "\(name) is selected twice, \(why); give one of them an alias.", at: max(first.place, second.place),
            &findings)
    }

    /// Reports a conflict, at most one for each place, because an alias there resolves all of them.
    private mutating func refuse(_ message: String, at place: SourcePlace, _ findings: inout FindingList) {
        guard refused.insert(place).inserted else { return }
        findings.append(.conflictingFields, message, at: place)
    }
}
