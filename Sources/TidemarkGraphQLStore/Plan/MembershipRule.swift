import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// The rule of a root field that is a list which grows: `@fieldPolicy(forField:, membership:)` with arguments
/// substituted.
///
/// - Source: Protocol/graphql.md, identity; Protocol/queries.md, membership.
struct MembershipRule {
    let membership: Membership
    /// The rule as compact JSON.
    let text: [UInt8]

    /// - Returns: nil where no rule concerns the field, or where it is none for a list of one object type.
    init?(of planned: PlanField, _ type: SchemaTypeReference?, _ rules: GraphRules) {
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

    /// Puts arguments in the place of strings `$name`; an argument without a value is null.
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
