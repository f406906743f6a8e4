import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkJSON

extension JSONLine {
    /// Writes the results of checking documents, or the errors of the schema.
    ///
    /// - Source: Protocol/schema/graphql-check.schema.json.
    mutating func documents(_ checks: [DocumentCheck], schemaErrors: GraphQLErrors) {
        object { line in
            line.member("ok", schemaErrors.count == 0 && checks.allSatisfy { $0.refusal == nil })
            line.name("schema_errors")
            line.array { line in
                for error in schemaErrors.errors {
                    line.error("code", error.code.rawValue, error.message, line: error.line, column: error.column)
                }
            }
            line.name("documents")
            line.array { line in
                for check in checks { line.document(check) }
            }
        }
    }

    private mutating func document(_ check: DocumentCheck) {
        object { line in
            line.member("file", ByteString(check.path))
            line.member("ok", check.refusal == nil)
            line.member("operation_count", check.operationCount)
            line.member("fragment_count", check.fragmentCount)
            line.member("code", check.refusal.map { ByteString($0.code.rawValue) })
            line.member("message", check.refusal.map { ByteString($0.message) })
            line.name("errors")
            line.array { line in
                for finding in check.refusal?.findings ?? [] {
                    line.error(
                        "rule", finding.rule.rawValue, finding.message, line: finding.line, column: finding.column)
                }
            }
        }
    }

    private mutating func error(_ name: ByteString, _ code: String, _ message: String, line number: Int, column: Int) {
        object { line in
            line.member(name, ByteString(code))
            line.member("line", number)
            line.member("column", column)
            line.member("message", ByteString(message))
        }
    }
}
