import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// Converts a response into entities.
///
/// A pure function: the same plan and bytes give the same entities. A response that does not fit the plan gives none.
///
/// - Source: Protocol/graphql.md, identity and what is stored.
package struct ResponseNormalizer {
    /// How a response is read.
    package struct Options: Sendable {
        /// If true, selected fields may be absent.
        package var isPartial = false
        /// If true, the paths of entities are recorded in ``NormalizedResponse/keysByPath``.
        package var notesPlaces = false
        /// The places to be written. The rest of the response only identifies entities and root fields.
        package var mask = PayloadMask.whole
        /// If true, a member `__ref` identifies an entity whose key fields are not in the data.
        package var takesReferences = false

        /// Creates the options for a complete response.
        package init() {}
    }

    let plan: OperationPlan
    let outline: JSONOutline
    private let errors: ErrorPaths
    let options: Options
    private var path: ResponsePath = []
    /// The places below `path` to be written.
    private var mask: PayloadMask
    private var result = NormalizedResponse()
    /// The last `__typename` that was read, in its original bytes.
    private var lastTypename: ByteString?
    /// The types referenced so far within the current root field.
    private var referredTypes: Set<ByteString> = []

    private init(_ plan: OperationPlan, _ outline: JSONOutline, _ errors: ErrorPaths, _ options: Options) {
        self.plan = plan
        self.outline = outline
        self.errors = errors
        self.options = options
        mask = options.mask
    }

    /// Converts a response into entities.
    ///
    /// - Parameters:
    ///   - data: The response's `data` as JSON; null gives no entities.
    ///   - errors: The response's `errors`; nil if there are none.
    ///   - plan: The plan of the operation or fragment.
    ///   - key: The entity that a fragment's plan reads; nil for an operation.
    ///   - options: How the response is read.
    /// - Throws: ``ResponseError`` with the first place that does not fit.
    /// - Complexity: O(data).
    package static func normalize(
        _ data: [UInt8], errors: JSONSlice? = nil, plan: OperationPlan, key: GraphQLKey? = nil,
        options: Options = Options()
    ) throws(ResponseError) -> NormalizedResponse {
        guard let outline = JSONOutline(text: data) else {
            throw ResponseError(
                code: .notJSON, path: [], message: "is no JSON, or nests too deeply: send one JSON value")
        }
        var normalizer = ResponseNormalizer(plan, outline, ErrorPaths(errors), options)
        guard outline.kind(0) != .null else { return normalizer.result }
        guard outline.kind(0) == .object else { throw normalizer.fault(.wrongShape, "is no object") }
        if let key {
            try normalizer.fragment(of: key)
        } else {
            try normalizer.operation()
        }
        return normalizer.result
    }

    // MARK: Roots

    private mutating func operation() throws(ResponseError) {
        let collection = plan.collection(of: plan.rootSet, typename: plan.rootTypename)
        for field in collection.fields {
            let planned = field.planned
            if planned.isTypename { continue }
            referredTypes = []
            guard let value = try value(of: field, in: 0, node: errors.root) else { continue }
            guard case .operation(.query) = plan.root else { continue }
            let key = GraphQLKey(root: RootID.of(planned.storageName, field: planned.name))
            var id: [UInt8] = []
            CanonicalString.append(key.id.bytes, to: &id)
            var object = StoredObject(typename: nil)
            object.set("id", written: Array("id".utf8), .json(id[...]))
            object.set("value", written: Array("value".utf8), value)
            result.add(object, to: key)
            result.roots.append(
                NormalizedResponse.RootField(
                    key: key, storageName: planned.storageName, types: referredTypes.sorted(),
                    list: list(value, field)))
        }
    }

    /// Returns the rule and the elements of a root field whose list is maintained; nil if it has no such list.
    private func list(
        _ value: StoredValue, _ field: CollectedField
    ) -> (rule: MembershipRule, elements: [GraphQLKey])? {
        guard case .list(let elements) = value,
            let rule = MembershipRule(of: field.planned, field.type, plan.rules)
        else { return nil }
        var keys: [GraphQLKey] = []
        for element in elements {
            guard case .reference(let key) = element, key.type == rule.membership.resourceType else { return nil }
            keys.append(key)
        }
        return (rule, keys)
    }

    private mutating func fragment(of key: GraphQLKey) throws(ResponseError) {
        let typename = plan.rules.typename(of: key.type)
        let collection = plan.collection(of: plan.rootSet, typename: typename)
        var object = StoredObject(typename: nil)
        try fill(&object, collection, entry: 0, node: errors.root)
        result.add(object, to: key)
    }

    // MARK: Values

    /// Reads the value of a field.
    ///
    /// - Returns: nil for a field that is not stored, because it is absent, or null and explained by an error.
    private mutating func value(
        of field: CollectedField, in object: Int, node: Int?
    ) throws(ResponseError) -> StoredValue? {
        let planned = field.planned
        let step = ResponseStep.name(planned.responseName)
        path.append(step)
        defer { path.removeLast() }
        guard let entry = outline.value(named: planned.responseName, in: object) else {
            if field.isAdded || options.isPartial || !field.deferrals.isEmpty { return nil }
            throw fault(.missingField, "is selected and not there: answer every selected field")
        }
        if mask.isWhole { return try value(entry, field, field.type, node: errors.child(node, step)) }
        let outer = mask
        guard let inner = outer.child(step) else { return nil }
        mask = inner
        defer { mask = outer }
        let value = try value(entry, field, field.type, node: errors.child(node, step))
        // The payload has fields of that entity, not the reference to it.
        if case .reference? = value, !inner.isWhole { return nil }
        return value
    }

    private mutating func value(
        _ entry: Int, _ field: CollectedField, _ type: SchemaTypeReference?, node: Int?
    ) throws(ResponseError) -> StoredValue? {
        let kind = outline.kind(entry)
        if kind == .null { return node == nil ? .null : nil }
        let isList = kind == .array
        if let type, type.isList != isList, type.isList || !plan.rules.isCustomScalar(type) {
            // Unlike in input, a single value does not count as a list.
            throw fault(.wrongShape, type.isList ? "is no list" : "is a list, and its type is none")
        }
        if isList, field.set != nil || type?.isList == true {
            if mask.isWhole { return try list(entry, field, type, node: node) }
            return try elements(of: entry, field, type, node: node)
        }
        guard let set = field.set else { return try leaf(entry, type) }
        guard kind == .object else { throw fault(.wrongShape, "is no object, and fields of it are selected") }
        return try object(entry, set, type, node: node)
    }

    private mutating func list(
        _ entry: Int, _ field: CollectedField, _ type: SchemaTypeReference?, node: Int?
    ) throws(ResponseError) -> StoredValue? {
        let elementType = ResponseNormalizer.elementType(of: type)
        var elements: [StoredValue] = []
        elements.reserveCapacity(Int(outline[entry].count))
        var isWhole = true
        var element = entry + 1
        var index = 0
        while element < Int(outline[entry].next) {
            path.append(.index(index))
            if let value = try value(element, field, elementType, node: errors.child(node, .index(index))) {
                elements.append(value)
            } else {
                isWhole = false
            }
            path.removeLast()
            element = Int(outline[element].next)
            index += 1
        }
        return isWhole ? .list(elements) : nil
    }

    private static func elementType(of type: SchemaTypeReference?) -> SchemaTypeReference? {
        if case .list(let inner)? = type?.nullable { inner } else { nil }
    }

    /// Stores what a payload brought for the entities in an earlier list. A list of embedded objects is stored as a
    /// whole in its current state.
    private mutating func elements(
        of entry: Int, _ field: CollectedField, _ type: SchemaTypeReference?, node: Int?
    ) throws(ResponseError) -> StoredValue? {
        let outer = mask
        defer { mask = outer }
        var element = entry + 1
        var index = 0
        var isEmbedding = false
        while element < Int(outline[entry].next) {
            if let inner = outer.child(.index(index)) {
                mask = inner
                path.append(.index(index))
                let value = try value(
                    element, field, ResponseNormalizer.elementType(of: type), node: errors.child(node, .index(index)))
                path.removeLast()
                switch value {
                case .reference?, nil: if inner.isWhole { isEmbedding = true }
                case .json?, .embedded?, .list?: isEmbedding = true
                }
            }
            element = Int(outline[element].next)
            index += 1
        }
        guard isEmbedding else { return nil }
        mask = .whole
        return try list(entry, field, type, node: node)
    }

    private func leaf(_ entry: Int, _ type: SchemaTypeReference?) throws(ResponseError) -> StoredValue {
        let item = outline[entry]
        if let type, item.kind == .object, !plan.rules.isCustomScalar(type) {
            throw fault(.wrongShape, "is an object, and no fields of it are selected")
        }
        let quote = item.kind == .string ? 1 : 0
        let text = outline.bytes[Int(item.start) - quote..<Int(item.end) + quote]
        guard item.kind == .object || item.kind == .array else { return .json(text) }
        return .json(JSONSlice(validated: text).bytes)
    }

    // MARK: Objects

    private mutating func object(
        _ entry: Int, _ set: Int, _ type: SchemaTypeReference?, node: Int?
    ) throws(ResponseError) -> StoredValue {
        let reference = reference(of: entry)
        let typename =
            try typename(of: entry, set) ?? reference.map { plan.rules.typename(of: $0.type) }
            ?? plan.rules.objectTypename(of: type)
        if let schema = plan.rules.schema, let typename, schema.type(typename)?.kind != .object {
            throw fault(.unknownType, "has the __typename \(typename), which the schema does not have")
        }
        if let typename, let declared = plan.rules.objectTypename(of: type), typename != declared {
            throw fault(.unknownType, "has the __typename \(typename), where the schema declares \(declared)")
        }
        let collection = plan.collection(of: set, typename: typename)
        guard let typename, let key = key(of: entry, set, typename, collection) ?? reference else {
            var object = StoredObject(typename: typename)
            try fill(&object, collection, entry: entry, node: node)
            if typename == nil { try checkTypename(of: entry, collection) }
            return .embedded(object)
        }
        var object = StoredObject(typename: nil)
        if collection.hasDefaultKey, collection.keyFields[0].field?.planned.responseName != "id" {
            setDefaultKey(of: entry, set, in: &object)
        }
        let keyCount = object.fields.count
        try fill(&object, collection, entry: entry, node: node)
        if mask.isWhole || object.fields.count > keyCount { result.add(object, to: key) }
        if options.notesPlaces { result.keysByPath[path] = key }
        referredTypes.insert(key.type)
        return .reference(key)
    }

    /// Checks that `__typename` was not selected in an object whose type is unknown.
    private mutating func checkTypename(of entry: Int, _ collection: Collection) throws(ResponseError) {
        guard !options.isPartial,
            let field = collection.fields.first(where: { $0.planned.isTypename && !$0.isAdded && $0.deferrals.isEmpty })
        else { return }
        path.append(.name(field.planned.responseName))
        defer { path.removeLast() }
        guard outline.value(named: field.planned.responseName, in: entry) == nil else {
            throw fault(.wrongShape, "is no name of a type: answer the object's type")
        }
        throw fault(.missingField, "is selected and not there: answer every selected field")
    }

    /// Stores the member `id` of an object that is identified by it, even if the document does not select it under that
    /// name.
    private func setDefaultKey(of entry: Int, _ set: Int, in object: inout StoredObject) {
        guard !plan.uses("id", in: set), let id = outline.value(named: "id", in: entry) else { return }
        let item = outline[id]
        let quote = item.kind == .string ? 1 : 0
        guard item.kind == .string || item.kind == .number else { return }
        object.set(
            "id", written: Array("id".utf8), .json(outline.bytes[Int(item.start) - quote..<Int(item.end) + quote]))
    }

    private mutating func fill(
        _ object: inout StoredObject, _ collection: Collection, entry: Int, node: Int?
    ) throws(ResponseError) {
        let isOneEach = collection.hasUniqueNames && object.fields.isEmpty
        object.reserveCapacity(collection.fields.count)
        for field in collection.fields {
            let planned = field.planned
            if planned.isTypename { continue }
            guard let value = try value(of: field, in: entry, node: node) else { continue }
            if isOneEach {
                object.append(StoredObject.Field(planned, value))
            } else {
                object.set(planned.storageName, written: planned.writtenStorageName, value)
            }
        }
    }

    private mutating func typename(of entry: Int, _ set: Int) throws(ResponseError) -> ByteString? {
        guard let value = plan.typename(of: set, { outline.value(named: $0, in: entry) }) else { return nil }
        switch outline.kind(value) {
        case .null: return nil
        case .string:
            let item = outline[value]
            let written = outline.bytes[Int(item.start)..<Int(item.end)]
            // The objects of a list mostly have one type, so compare with the last one first.
            if let last = lastTypename, last.bytes.elementsEqual(written) { return last }
            let name = ByteString(outline.unescapedName(value))
            lastTypename =
                name.bytes.elementsEqual(written) && !name.bytes.isEmpty
                    && name.bytes.count <= Limits().typeByteCountMax ? name : nil
            return name.bytes.isEmpty || name.bytes.count > Limits().typeByteCountMax ? nil : name
        default: throw fault(.wrongShape, "has a __typename that is no string")
        }
    }

    private func fault(_ code: ResponseError.Code, _ message: String) -> ResponseError {
        ResponseError(code: code, path: path, message: message)
    }
}
