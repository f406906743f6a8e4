import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// One JSON-RPC 2.0 object from the host.
///
/// - Source: JSON-RPC 2.0, sections 4 and 5; Protocol/sessions.md, messages.
package enum Message: Sendable {
    case request(Request)
    /// An answer to a call of the cache; `id` is nil if it is not a string.
    case answer(id: ByteString?, HostResponse)
    /// Neither a request nor an answer; to be answered with this error under this id, which is JSON.
    case invalid(id: [UInt8], MessageError)

    /// A request or a notification of the host.
    package struct Request: Sendable {
        /// The id as JSON; nil for a notification, which has no answer.
        package var id: [UInt8]?
        /// The name of the method.
        package var method: ByteString
        /// The parameters; nil when there are none.
        package var params: JSONSlice?
    }

    /// The host's answer to a call of the cache.
    package enum HostResponse: Sendable {
        case result(JSONSlice)
        /// The host failed the call.
        ///
        /// - Parameters:
        ///   - name: The member `data.code`.
        ///   - retries: The member `data.retry`.
        case error(code: Int64?, message: String, name: String? = nil, retries: Bool? = nil)
    }

    /// The maximum size of an id as written, in bytes. The id is kept until the answer, which returns it.
    package static let idByteCountMax = 1_024
    /// The id of answers to messages whose id cannot be read.
    package static let nullID = Array("null".utf8)

    /// Reads a message from a JSON value.
    package init(_ value: JSONSlice) {
        guard let members = value.members else {
            self = .invalid(
                id: Message.nullID, .invalidRequest("\(value.kind.rawValue) is not a request: send an object"))
            return
        }
        func member(_ name: String) -> JSONSlice? { members[Array(name.utf8)] }
        if let method = member("method") {
            self = Message.request(method, params: member("params"), id: member("id"), version: member("jsonrpc"))
        } else if let result = member("result"), member("error").map({ $0.kind == .null }) ?? true {
            self = .answer(id: member("id")?.text.map { ByteString($0) }, .result(result))
        } else if let error = member("error") {
            self = .answer(id: member("id")?.text.map { ByteString($0) }, Message.error(error))
        } else {
            let id = member("id").flatMap { Message.id($0) } ?? Message.nullID
            self = .invalid(id: id, .invalidRequest("the message has no method and no result: send one of them"))
        }
    }

    private static func request(
        _ method: JSONSlice, params: JSONSlice?, id: JSONSlice?, version: JSONSlice?
    ) -> Message {
        var usableID: [UInt8]?
        if let id {
            guard let text = Message.id(id) else {
                return .invalid(
                    id: nullID,
                    .invalidRequest("the id is \(id.kind.rawValue), or too long: send a string, a number or null"))
            }
            usableID = text
        }
        guard version?.text == Array("2.0".utf8) else {
            return .invalid(id: usableID ?? nullID, .invalidRequest("jsonrpc is not \"2.0\": send that version"))
        }
        guard let name = method.text else {
            return .invalid(
                id: usableID ?? nullID, .invalidRequest("the method is \(method.kind.rawValue): send a string"))
        }
        if let params, params.kind != .object, params.kind != .array, params.kind != .null {
            return .invalid(
                id: usableID ?? nullID, .invalidRequest("the params are \(params.kind.rawValue): send an object"))
        }
        return .request(
            Request(id: usableID, method: ByteString(name), params: params?.kind == .null ? nil : params))
    }

    /// Returns the id as it will be sent back; nil if the value cannot be an id.
    private static func id(_ value: JSONSlice) -> [UInt8]? {
        switch value.kind {
        case .string, .number, .null: value.bytes.count <= idByteCountMax ? Array(value.bytes) : nil
        case .object, .array, .bool: nil
        }
    }

    private static func error(_ value: JSONSlice) -> HostResponse {
        let members = value.members ?? [:]
        let message = members[Array("message".utf8)]?.text.map { String(decoding: $0, as: UTF8.self) }
        let data = members[Array("data".utf8)]?.members ?? [:]
        let name = data[Array("code".utf8)]?.text.map { String(decoding: $0, as: UTF8.self) }
        return .error(
            code: members[Array("code".utf8)]?.integer,
            message: message ?? "the host answered an error without a message", name: name,
            retries: data[Array("retry".utf8)]?.bool)
    }
}
