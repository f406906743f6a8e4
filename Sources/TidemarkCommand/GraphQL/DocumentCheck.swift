import TidemarkGraphQLLanguage
import TidemarkModel

/// A document in a file, and why it cannot be used.
struct DocumentCheck {
    let path: String
    /// Why the document is refused; nil if it is sound.
    let refusal: DocumentError?
    private(set) var operationCount = 0
    private(set) var fragmentCount = 0

    /// Parses and validates a document.
    ///
    /// - Parameter schema: The server's schema; nil checks only the rules that need none.
    init(_ path: String, _ bytes: [UInt8], schema: GraphQLSchema?, limits: ExecutableLimits) {
        self.path = path
        do throws(DocumentError) {
            let document = try DocumentParser.parseExecutable(bytes, limits: limits)
            operationCount = document.operations.count
            fragmentCount = document.fragments.count
            try DocumentValidator.check(
                document, schema: schema, purpose: operationCount == 0 ? .fragments : .operations, limits: limits)
            refusal = nil
        } catch {
            refusal = error
        }
    }

    /// The number of errors to report. A refusal without findings, such as an exceeded limit, counts as one.
    var errorCount: Int { refusal.map { max($0.findings.count, 1) } ?? 0 }
}
