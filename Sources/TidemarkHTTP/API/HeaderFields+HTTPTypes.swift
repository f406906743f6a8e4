import HTTPTypes
import TidemarkHTTPRules
import TidemarkModel

/// Conversions between these types and those of swift-http-types.
extension HeaderFields {
    init(_ fields: HTTPFields) {
        self.init(fields.map { Field(ByteString($0.name.rawName), ByteString($0.value)) })
    }

    /// The fields, in their order. Fields whose name is not a valid token are left out; the checks of messages admit
    /// none.
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
    /// Creates a head from a request of swift-http-types.
    ///
    /// - Throws: ``HTTPURL/Fault`` for an invalid URL.
    init(_ request: HTTPRequest) throws(HTTPURL.Fault) {
        let text = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")"
        self.init(
            method: ByteString(request.method.rawValue), url: try HTTPURL(ByteString(text)),
            fields: HeaderFields(request.headerFields))
    }
}

extension HTTPExchange {
    /// The request of this exchange, without its body.
    public var request: HTTPRequest {
        let origin = url.origin.description
        let scheme = url.isSecure ? "https" : "http"
        return HTTPRequest(
            method: HTTPRequest.Method(method.description) ?? .get, scheme: scheme,
            authority: String(origin.dropFirst(scheme.count + 3)), path: url.target.description,
            headerFields: fields.types)
    }
}

extension HTTPExchangeResponse {
    /// Creates the response of an exchange.
    ///
    /// - Parameters:
    ///   - response: The status and the header fields. Repeated fields stay separate.
    ///   - body: The body, which is read as it arrives.
    public init(response: HTTPResponse, body: HTTPBody) {
        self.init(head: ResponseHead(response), body: body)
    }

    /// The status and the header fields of the response.
    public var response: HTTPResponse { head.types }
}
