import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// Builds an ``OperationPlan`` from a checked document.
struct PlanBuilder {
    /// Where the body of a fragment is inlined.
    private struct Place {
        var typeGuard: Int?
        var deferral: Int?
    }

    private let fragments: [ByteString: FragmentDefinition]
    private let variables: OperationVariables
    private let plan: OperationPlan

    private init(_ document: ExecutableDocument, _ variables: OperationVariables, _ plan: OperationPlan) {
        fragments = Dictionary(document.fragments.map { ($0.name.text, $0) }) { first, _ in first }
        self.variables = variables
        self.plan = plan
    }

    /// Builds the plan of an operation.
    ///
    /// - Parameters:
    ///   - document: ``OutgoingDocument/annotated``, or another checked document.
    ///   - operation: One of its operations.
    /// - Complexity: O(fields with fragments spread).
    static func plan(
        _ operation: OperationDefinition, of document: ExecutableDocument, variables: OperationVariables,
        rules: GraphQLRules
    ) -> OperationPlan {
        let plan = OperationPlan(
            rules: rules, root: .operation(operation.kind),
            rootMaxAge: PlanBuilder.age(operation.directives, variables).maxAge)
        let builder = PlanBuilder(document, variables, plan)
        _ = builder.add(operation.selections)
        return plan
    }

    /// Builds the plan of a fragment for one entity.
    static func plan(
        _ fragment: FragmentDefinition, of document: ExecutableDocument, variables: OperationVariables,
        rules: GraphQLRules
    ) -> OperationPlan {
        let plan = OperationPlan(rules: rules, root: .fragment, rootMaxAge: nil)
        let builder = PlanBuilder(document, variables, plan)
        plan.sets.append(PlanSet())
        plan.guards.append(PlanGuard(condition: fragment.typeCondition.text, outer: nil))
        builder.add(fragment.selections, to: plan.rootSet, at: Place(typeGuard: 0, deferral: nil))
        return plan
    }

    /// Adds a selection set.
    ///
    /// - Returns: The number of the new set.
    private func add(_ selections: [Selection]) -> Int {
        let set = plan.sets.count
        plan.sets.append(PlanSet())
        add(selections, to: set, at: Place())
        return set
    }

    private func add(_ selections: [Selection], to set: Int, at place: Place) {
        for selection in selections where isIncluded(selection.directives) {
            switch selection {
            case .field(let field):
                let inner = field.selections.isEmpty ? nil : add(field.selections)
                plan.fields.append(planned(field, inner))
                plan.sets[set].items.append(
                    PlanItem(field: plan.fields.count - 1, typeGuard: place.typeGuard, deferral: place.deferral))
            case .spread(let spread):
                guard let fragment = fragments[spread.name.text] else { continue }
                let inner = enter(fragment.typeCondition.text, spread.directives, from: place, in: set)
                add(fragment.selections, to: set, at: inner)
            case .inline(let fragment):
                let inner = enter(fragment.typeCondition?.text, fragment.directives, from: place, in: set)
                add(fragment.selections, to: set, at: inner)
            }
        }
    }

    private func enter(
        _ condition: ByteString?, _ directives: [Directive], from place: Place, in set: Int
    ) -> Place {
        var inner = place
        if let condition, !isOwnRoot(set) {
            plan.guards.append(PlanGuard(condition: condition, outer: place.typeGuard))
            inner.typeGuard = plan.guards.count - 1
        }
        guard let deferral = directives.first(where: { $0.name.text == "defer" }),
            value(of: "if", in: deferral) != .boolean(false)
        else { return inner }
        var label: ByteString?
        if case .string(let text)? = value(of: "label", in: deferral) { label = text }
        plan.deferrals.append(PlanDeferral(label: label, outerGuard: place.typeGuard, ownGuard: inner.typeGuard))
        inner.deferral = plan.deferrals.count - 1
        plan.sets[set].deferrals.append(plan.deferrals.count - 1)
        return inner
    }

    /// True for the set of an operation's root fields, if the name of their type is unknown. Servers choose that name
    /// freely, so every fragment there applies.
    private func isOwnRoot(_ set: Int) -> Bool {
        guard case .operation = plan.root, plan.rules.schema == nil else { return false }
        return set == plan.rootSet
    }

    private func planned(_ field: Field, _ set: Int?) -> PlanField {
        let storageName = StorageName.of(field, variables: variables.given)
        let age = PlanBuilder.age(field.directives, variables)
        if age.maxAge != nil || age.inherits { plan.hasAges = true }
        var arguments: [ByteString: InputValue] = [:]
        for argument in field.arguments {
            arguments[argument.name.text] = InputValue(argument.value, variables: variables.given)
        }
        return PlanField(field, storageName: storageName, set: set, age: age, arguments: arguments)
    }

    // MARK: Directives

    private func isIncluded(_ directives: [Directive]) -> Bool {
        for directive in directives {
            switch directive.name.text {
            case "skip": if value(of: "if", in: directive) == .boolean(true) { return false }
            case "include": if value(of: "if", in: directive) == .boolean(false) { return false }
            default: break
            }
        }
        return true
    }

    private func value(of argument: ByteString, in directive: Directive) -> InputValue? {
        directive.arguments.first { $0.name.text == argument }.flatMap {
            InputValue($0.value, variables: variables.coerced)
        }
    }

    private static func age(
        _ directives: [Directive], _ variables: OperationVariables
    ) -> (maxAge: Int?, inherits: Bool) {
        guard let directive = directives.first(where: { $0.name.text == "cacheControl" }) else { return (nil, false) }
        var age: (maxAge: Int?, inherits: Bool) = (nil, false)
        for argument in directive.arguments {
            switch (argument.name.text, InputValue(argument.value, variables: variables.coerced)) {
            case ("maxAge", .number(let digits)): age.maxAge = Int(digits.description).map { max(0, $0) }
            case ("inheritMaxAge", .boolean(let inherits)): age.inherits = inherits
            default: break
            }
        }
        return age
    }
}
