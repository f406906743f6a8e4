import TidemarkGraphQLLanguage
import TidemarkModel

/// Determines the structures of a document: which fields each place of the response has, and their Swift names.
///
/// It is pure: its result depends only on the schema, the fragments and the names. A fragment is resolved once, when it
/// is first needed.
///
/// - Complexity: O(selections with fragments inlined × views of their place).
struct SelectionResolver {
    let schema: GraphQLSchema
    let policy: CachePolicy
    let fragments: [ByteString: FragmentDefinition]
    /// The Swift names of the fragments.
    let fragmentPaths: [ByteString: TypePath]
    /// The names that a nested type must not hide.
    let topNames: Set<String>
    /// The structures of fragments, by name. Bounded by the fragments.
    private(set) var resolved: [ByteString: SelectionModel] = [:]
    /// How many places were merged into each field of a resolved structure.
    private var placeCounts: [PlaceKey: Int] = [:]

    private struct PlaceKey: Hashable {
        var path: TypePath
        var responseName: String
    }

    init(
        schema: GraphQLSchema, policy: CachePolicy, fragments: [ByteString: FragmentDefinition],
        fragmentPaths: [ByteString: TypePath], topNames: Set<String>
    ) {
        self.schema = schema
        self.policy = policy
        self.fragments = fragments
        self.fragmentPaths = fragmentPaths
        self.topNames = topNames
    }

    /// Returns the structure of a fragment.
    mutating func fragment(_ name: ByteString) -> SelectionModel? {
        if let known = resolved[name] { return known }
        guard let fragment = fragments[name], let path = fragmentPaths[name],
            let type = schema.id(fragment.typeCondition.text)
        else { return nil }
        let source = SelectionSource(
            selections: fragment.selections, parent: type, types: Set(schema[type].possibleTypes))
        let model = selection([source], type: type, path: path)
        resolved[name] = model
        return model
    }

    /// Returns the structure of one place.
    ///
    /// - Parameter type: The type that the schema declares there.
    mutating func selection(_ sources: [SelectionSource], type: SchemaTypeID, path: TypePath) -> SelectionModel {
        let items = SelectionItems(sources, schema: schema, fragments: fragments)
        let base = Set(schema[type].possibleTypes)
        var names = NestedNames(topNames.union(path.names))
        var model = level(items, base, type, path, &names, around: nil)
        for condition in viewConditions(items, base) {
            let typeName = names.type("As" + SwiftName.type(schema[condition.type].name.description))
            let name = names.member(SwiftName.member(typeName))
            var inner = NestedNames(topNames.union(path.names + [typeName]))
            let view = level(
                items, condition.types, condition.type, path.appending(typeName), &inner, around: model)
            model.views.append(SelectionViewModel(name: name, selection: view))
        }
        addViewSpreads(to: &model, items)
        return model
    }

    /// Returns the sets of object types that have further selections, each once.
    private func viewConditions(
        _ items: SelectionItems, _ base: Set<SchemaTypeID>
    ) -> [(type: SchemaTypeID, types: Set<SchemaTypeID>)] {
        var seen: Set<Set<SchemaTypeID>> = [base]
        return items.conditions.compactMap { condition in
            let types = condition.types.intersection(base)
            guard !types.isEmpty, seen.insert(types).inserted else { return nil }
            return (condition.type, types)
        }
    }

    // MARK: One level

    /// Returns the structure with the fields that every object of some types has.
    ///
    /// - Parameter around: The structure that a view belongs to.
    private mutating func level(
        _ items: SelectionItems, _ types: Set<SchemaTypeID>, _ type: SchemaTypeID, _ path: TypePath,
        _ names: inout NestedNames, around: SelectionModel?
    ) -> SelectionModel {
        var model = SelectionModel(
            path: path, typename: schema[type].name.description,
            typenames: types.sorted().map { schema[$0].name.description })
        model.description = schema[type].description?.description
        model.isRoot = schema.roots.values.contains(type)
        var order: [ByteString] = []
        var groups: [ByteString: [FieldItem]] = [:]
        for item in items.fields where item.types.isSuperset(of: types) {
            let name = item.field.responseName
            if groups[name] == nil { order.append(name) }
            groups[name, default: []].append(item)
        }
        for name in order {
            guard let group = groups[name], let field = field(group, type, path, &names, around) else { continue }
            model.fields.append(field)
        }
        addFragments(items, types, to: &model, &names, around)
        return model
    }

    private mutating func field(
        _ group: [FieldItem], _ type: SchemaTypeID, _ path: TypePath, _ names: inout NestedNames,
        _ around: SelectionModel?
    ) -> FieldModel? {
        let first = group[0]
        let name = first.field.name.text
        guard let definition = schema.field(name, of: type) ?? schema.field(name, of: first.parent) else { return nil }
        let responseName = first.field.responseName.description
        let isTypename = responseName == TypenameWriter.name.description
        var model = FieldModel(
            responseName: responseName,
            name: isTypename ? "typename" : names.member(SwiftName.member(responseName)), type: definition.type,
            description: definition.description?.description, isConditional: group.allSatisfy(\.isConditional),
            maxAge: age(of: group, in: type), selection: nil)
        placeCounts[PlaceKey(path: path, responseName: responseName)] = group.count
        guard schema[definition.type.named].isComposite else { return model }
        if let path = shared(group, model, around) {
            model.selection = .shared(path)
            return model
        }
        let inner = schema[definition.type.named].possibleTypes
        let sources = group.map { item in
            SelectionSource(
                selections: item.field.selections, parent: definition.type.named, types: Set(inner),
                isConditional: item.isConditional && group.count > 1, via: nil,
                operationAge: OperationAge(item.field.directives).seconds)
        }
        let element = definition.type.isList ? SwiftName.singular(responseName) : responseName
        let typeName = names.type(SwiftName.type(element))
        model.selection = .own(
            selection(sources, type: definition.type.named, path: path.appending(typeName)))
        return model
    }

    /// Returns a structure that already has the same fields: that of the fragment which contains all places, or of the
    /// selection around a view.
    private mutating func shared(_ group: [FieldItem], _ field: FieldModel, _ around: SelectionModel?) -> TypePath? {
        var candidates: [SelectionModel] = around.map { [$0] } ?? []
        if let via = group[0].via, group.allSatisfy({ $0.via == via }), let fragment = fragment(via) {
            candidates.append(fragment)
        }
        for candidate in candidates {
            let key = PlaceKey(path: candidate.path, responseName: field.responseName)
            guard placeCounts[key] == group.count,
                let known = candidate.fields.first(where: { $0.responseName == field.responseName }),
                known.type.named == field.type.named, known.isConditional == field.isConditional
            else { continue }
            return known.selection?.path
        }
        return nil
    }

    private func age(of group: [FieldItem], in type: SchemaTypeID) -> Int? {
        let own = group.compactMap { OperationAge($0.field.directives).seconds }
        if let least = own.min() { return least }
        if let least = group.compactMap(\.operationAge).min() { return least }
        let name = schema[type].name
        return policy.limit(
            of: group[0].field.name.text, in: name, reachedWith: policy.rootLimit(of: name)
        ).seconds
    }

    // MARK: Fragments

    private mutating func addFragments(
        _ items: SelectionItems, _ types: Set<SchemaTypeID>, to model: inout SelectionModel,
        _ names: inout NestedNames, _ around: SelectionModel?
    ) {
        var seen: Set<ByteString> = []
        var fragmentNames = NameScope(["base", "self", "init"])
        for spread in items.spreads where spread.types.isSuperset(of: types) {
            guard seen.insert(spread.name).inserted, let path = fragmentPaths[spread.name] else { continue }
            let name = fragmentNames.reserve(SwiftName.member(spread.name.description), suffix: "Fragment")
            model.spreads.append(SpreadModel(name: name, path: path, view: nil))
        }
        for item in items.conditionals where item.outerTypes.isSuperset(of: types) {
            guard let fragment = item.name, let path = fragmentPaths[fragment], seen.insert(fragment).inserted,
                around?.conditionals.contains(where: { $0.path == path }) != true
            else { continue }
            let name = names.member(SwiftName.member(fragment.description), suffix: "Fragment")
            model.conditionals.append(
                ConditionalModel(name: name, path: path, typenames: typenames(item, among: types)))
        }
        for item in items.deferrals where item.outerTypes.isSuperset(of: types) {
            // The structure around a view has everything that applies to all types.
            guard around?.deferrals.contains(where: { $0.place == item.place }) != true else { continue }
            if let deferral = deferral(item, types, model.path, &seen, &names) { model.deferrals.append(deferral) }
        }
    }

    private mutating func deferral(
        _ item: FragmentItem, _ types: Set<SchemaTypeID>, _ path: TypePath, _ seen: inout Set<ByteString>,
        _ names: inout NestedNames
    ) -> DeferralModel? {
        let typenames = typenames(item, among: types)
        if let fragment = item.name {
            guard let shared = fragmentPaths[fragment], seen.insert(fragment).inserted else { return nil }
            let name = names.member(SwiftName.member(item.label ?? fragment.description), suffix: "Fragment")
            return DeferralModel(
                name: name, label: item.label, place: item.place, typenames: typenames, selection: .shared(shared))
        }
        let word = item.label ?? "deferred"
        let name = names.member(SwiftName.member(word), suffix: "Fragment")
        if let via = item.source.via, let fragment = fragment(via),
            let known = fragment.allDeferrals.first(where: { $0.place == item.place })
        {
            return DeferralModel(
                name: name, label: item.label, place: item.place, typenames: typenames,
                selection: .shared(known.selection.path))
        }
        var source = item.source
        source.types = Set(schema[source.parent].possibleTypes)
        source.via = nil
        // The enclosing set selects the name of the type, which the views of the fragment need.
        if !schema.roots.values.contains(source.parent) { source.selections.insert(TypenameWriter.field, at: 0) }
        let typeName = names.type(SwiftName.type(word))
        let selection = selection([source], type: source.parent, path: path.appending(typeName))
        return DeferralModel(
            name: name, label: item.label, place: item.place, typenames: typenames, selection: .own(selection))
    }

    /// Returns the object types that satisfy a fragment's type condition; nil if all do.
    private func typenames(_ item: FragmentItem, among types: Set<SchemaTypeID>) -> [String]? {
        let allowed = types.intersection(schema[item.source.parent].possibleTypes)
        return allowed == types ? nil : allowed.sorted().map { schema[$0].name.description }
    }

    /// Makes fragments that only a view spreads accessible from the structure around it.
    private func addViewSpreads(to model: inout SelectionModel, _ items: SelectionItems) {
        var names = NameScope(Set(model.spreads.map(\.name)).union(["base", "self", "init"]))
        var paths = Set(model.spreads.map(\.path))
        for view in model.views {
            for spread in view.selection.spreads where paths.insert(spread.path).inserted {
                let name = names.reserve(spread.name, suffix: "Fragment")
                model.spreads.append(SpreadModel(name: name, path: spread.path, view: view.name))
            }
        }
    }
}

extension SelectionModel {
    /// The deferred fragments of the selection and of its views.
    fileprivate var allDeferrals: [DeferralModel] { deferrals + views.flatMap(\.selection.deferrals) }
}

/// The names inside one structure: its properties and its nested types.
struct NestedNames {
    private var members = NameScope(SwiftName.reservedMembers)
    private var types: NameScope

    init(_ topNames: Set<String>) {
        types = NameScope(topNames.union(SwiftName.reservedTypes))
    }

    mutating func member(_ name: String, suffix: String = "Field") -> String { members.reserve(name, suffix: suffix) }

    mutating func type(_ name: String) -> String { types.reserve(name, suffix: "Selection") }
}

/// The `@cacheControl(maxAge:)` of a document.
struct OperationAge {
    /// The maximum age in seconds; nil without the directive, or if the age is not a literal.
    let seconds: Int?

    init(_ directives: [Directive]) {
        let argument = directives.first { $0.name.text == "cacheControl" }?.arguments.first {
            $0.name.text == "maxAge"
        }
        if case .int(let digits)? = argument?.value.kind {
            seconds = Int(digits.description).map { max(0, $0) }
        } else {
            seconds = nil
        }
    }
}
