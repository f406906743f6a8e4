import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// The rule of a root field whose list is maintained: `@fieldPolicy(forField:, membership:)` with its arguments filled
/// in.
///
/// - Source: Protocol/graphql.md, identity; Protocol/queries.md, membership.
struct MembershipRule {
    let membership: Membership
    /// The rule as compact JSON.
    let text: [UInt8]

    /// Creates the rule of a root field.
    ///
    /// - Returns: nil if the field has no rule, or the rule is not one for a list of one object type.
    init?(of planned: PlanField, _ type: SchemaTypeReference?, _ rules: GraphQLRules) {
        guard planned.set != nil, let rule = rules.lookup(planned.name)?.membership,
            let typename = rules.lookupTypename(of: planned.name, type), type?.isList != false,
            case .object(var members)? = InputValue(rule, variables: [:])
        else { return nil }
        members = members.mapValues { MembershipRule.filled($0, planned.arguments) }
        members["resource_type"] = .string(rules.resourceType(of: typename))
        let text = InputValue.object(members).json.bytes
        do throws(MembershipError) {
            membership = try Membership(json: text)
        } catch {
            return nil
        }
        self.text = text
    }

    /// Replaces strings `$name` with the values of arguments; an argument without a value becomes null.
    private static func filled(_ value: InputValue, _ arguments: [ByteString: InputValue]) -> InputValue {
        switch value {
        case .string(let text) where text.bytes.first == UInt8(ascii: "$"):
            arguments[ByteString(text.bytes.dropFirst())] ?? .null
        case .list(let elements): .list(elements.map { filled($0, arguments) })
        case .object(let members): .object(members.mapValues { filled($0, arguments) })
        case .null, .boolean, .number, .string: value
        }
    }
}
