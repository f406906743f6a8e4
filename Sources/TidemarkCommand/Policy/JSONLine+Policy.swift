import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkJSON

extension JSONLine {
    /// Writes a sound policy with its rules.
    ///
    /// - Source: Protocol/schema/policy.schema.json.
    mutating func policy(_ policy: CachePolicy) {
        object { line in
            line.member("ok", true)
            line.member("error_count", 0)
            line.name("errors")
            line.array { _ in }
            line.name("types")
            line.array { line in
                for type in policy.types { line.type(type) }
            }
        }
    }

    /// Writes the errors of a policy, without rules.
    mutating func policy(_ errors: GraphQLErrors) {
        object { line in
            line.member("ok", false)
            line.member("error_count", errors.count)
            line.name("errors")
            line.array { line in
                for error in errors.errors {
                    line.object { line in
                        line.member("code", ByteString(error.code.rawValue))
                        line.member("line", error.line)
                        line.member("column", error.column)
                        line.member("message", ByteString(error.message))
                    }
                }
            }
            line.name("types")
            line.array { _ in }
        }
    }

    private mutating func type(_ type: TypePolicy) {
        object { line in
            line.member("name", type.name)
            line.member("kind", ByteString(type.kind.rawValue))
            line.rule(type.age, type.source)
            line.name("fields")
            line.array { line in
                for field in type.fields { line.field(field) }
            }
        }
    }

    private mutating func field(_ field: FieldPolicy) {
        object { line in
            line.member("name", field.name)
            line.member("type", field.target.typeName)
            line.member("composite", field.target == .composite(field.target.typeName))
            line.rule(field.age, field.source)
            line.member("cascades", field.cascades)
        }
    }

    private mutating func rule(_ age: AgeRule?, _ source: RuleSource) {
        switch age {
        case .seconds(let seconds): member("max_age", seconds)
        case .inherited, nil: member("max_age", json: nil)
        }
        member("inherits", age == .inherited)
        switch source {
        case .none: member("source", json: nil)
        case .own: member("source", "own")
        case .interface: member("source", "interface")
        }
        guard case .interface(let name) = source else { return member("interface", json: nil) }
        member("interface", name)
    }
}
