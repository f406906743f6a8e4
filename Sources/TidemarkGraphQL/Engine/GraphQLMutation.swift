import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// A GraphQL mutation to be performed.
package struct GraphQLMutation: Sendable {
    /// The document with its variables.
    package var request: GraphQLRequest
    /// The id of the layer that shows the mutation.
    package var pendingID: ByteString
    /// The expected data; nil if nothing is shown before the server's response.
    package var optimistic: ResponseParts?
    /// The outbox request by which the cache sends the mutation until the server has responded; its method and input
    /// are replaced. If nil, the mutation is sent once, and its caller waits for the response.
    package var send: MutationRequest?

    /// Creates a mutation.
    package init(
        _ request: GraphQLRequest, pendingID: ByteString, optimistic: ResponseParts?, send: MutationRequest? = nil
    ) {
        self.request = request
        self.pendingID = pendingID
        self.optimistic = optimistic
        self.send = send
    }

    /// Creates an id for a mutation whose caller did not name one.
    package static func newPendingID() -> ByteString {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return ByteString("tm-" + String(repeating: "0", count: 16 - digits.count) + digits)
    }

    // MARK: In the outbox

    /// The method of mutations in the outbox.
    package static let method: ByteString = "graphql.mutate"

    /// The request that the layer carries. Its input holds the document, the variables and the expected data.
    ///
    /// The pointers to temporary ids are made relative to this input.
    var sentRequest: MutationRequest? {
        guard var sent = send else { return nil }
        var input = JSONLine()
        input.object { line in
            line.member("document", Optional(request.document))
            if let name = request.operationName { line.member("operation_name", Optional(name)) }
            line.member("variables", json: Optional(request.variables?.bytes ?? Array("{}".utf8)))
            line.member("optimistic", json: optimistic?.data)
        }
        sent.method = GraphQLMutation.method
        sent.input = input.bytes
        sent.temporaryIDs = sent.temporaryIDs.map { ByteString(Array("/variables".utf8) + $0.bytes) }
        return sent
    }

    /// Reads a mutation from a request in the outbox.
    ///
    /// - Returns: nil if the input of the request is not a mutation.
    init?(_ sent: SentMutation) {
        guard let members = JSONSlice(compact: sent.input[...]).members,
            let document = members[Array("document".utf8)]?.text
        else { return nil }
        request = GraphQLRequest(ByteString(document), library: sent.library)
        if let name = members[Array("operation_name".utf8)], name.kind != .null {
            guard let text = name.text else { return nil }
            request.operationName = ByteString(text)
        }
        if let variables = members[Array("variables".utf8)], variables.kind != .null {
            guard variables.kind == .object else { return nil }
            request.variables = ByteString(variables.bytes)
        }
        if let data = members[Array("optimistic".utf8)], data.kind == .object {
            optimistic = ResponseParts(data: Array(data.bytes), errors: nil)
        }
        pendingID = sent.pendingID
    }
}
