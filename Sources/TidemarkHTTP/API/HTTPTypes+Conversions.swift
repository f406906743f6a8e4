import HTTPTypes
import TidemarkHTTPRules
import TidemarkModel

/// Messages in the terms of swift-http-types, and back.
extension HeaderFields {
    init(_ fields: HTTPFields) {
        self.init(fields.map { Field(ByteString($0.name.rawName), ByteString($0.value)) })
    }

    /// The fields in their order. A name that is no token is left out; none gets this far.
    var types: HTTPFields {
        var fields = HTTPFields()
        for field in self.fields {
            guard let name = HTTPField.Name(field.name.description) else { continue }
            fields.append(HTTPField(name: name, value: field.value.description))
        }
        return fields
    }
}

extension ResponseHead {
    init(_ response: HTTPResponse) {
        self.init(
            status: response.status.code, reason: ByteString(response.status.reasonPhrase),
            fields: HeaderFields(response.headerFields))
    }

    var types: HTTPResponse {
        HTTPResponse(
            status: HTTPResponse.Status(code: status, reasonPhrase: reason.description), headerFields: fields.types)
    }
}

extension RequestHead {
    /// - Throws: ``HTTPURL/Fault`` for a URL that cannot be used.
    init(_ request: HTTPRequest) throws(HTTPURL.Fault) {
        let text = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")"
        self.init(
            method: ByteString(request.method.rawValue), url: try HTTPURL(ByteString(text)),
            fields: HeaderFields(request.headerFields))
    }
}

extension HTTPExchange {
    /// The request of the hop.
    public var request: HTTPRequest {
        let origin = url.origin.description
        let scheme = url.isSecure ? "https" : "http"
        return HTTPRequest(
            method: HTTPRequest.Method(method.description) ?? .get, scheme: scheme,
            authority: String(origin.dropFirst(scheme.count + 3)), path: url.target.description,
            headerFields: fields.types)
    }
}

extension HTTPExchangeAnswer {
    /// - Parameters:
    ///   - response: The head; of repeated fields each stands apart.
    ///   - body: The body as it comes.
    public init(response: HTTPResponse, body: HTTPBody) {
        self.init(head: ResponseHead(response), body: body)
    }

    /// The head of the answer.
    public var response: HTTPResponse { head.types }
}
