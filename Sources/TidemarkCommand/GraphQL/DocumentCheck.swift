import TidemarkGraphQL
import TidemarkModel

/// A document of a file, and the reason why it cannot be used.
struct DocumentCheck {
    let path: String
    /// The reason why the document is refused; nil when nothing is wrong.
    let refusal: DocumentRefusal?
    private(set) var operationCount = 0
    private(set) var fragmentCount = 0

    /// - Parameter schema: nil where none is known.
    init(_ path: String, _ bytes: [UInt8], schema: GraphQLSchema?, limits: ExecutableLimits) {
        self.path = path
        do throws(DocumentRefusal) {
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

    /// A limit that was passed counts as one.
    var errorCount: Int { refusal.map { max($0.findings.count, 1) } ?? 0 }
}
