import TidemarkJSON
import TidemarkModel

/// The lines that a session writes, each with its LF.
///
/// - Source: JSON-RPC 2.0, sections 4 to 6.
package enum MessageLine {
    /// Returns an answer without its line end, so that it can be part of a batch.
    package static func answer(_ outcome: Result<[UInt8], MessageError>, to id: [UInt8]) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("jsonrpc", "2.0" as ByteString?)
            line.member("id", json: Optional(id))
            switch outcome {
            case .success(let result): line.member("result", json: Optional(result))
            case .failure(let error): line.member("error", json: Optional(error.json))
            }
        }
        return line.bytes
    }

    /// Returns a notification.
    package static func notification(_ method: ByteString, _ params: (inout JSONLine) -> Void) -> [UInt8] {
        message(id: nil, method, params)
    }

    /// Returns a notification whose params are JSON already.
    package static func notification(_ method: ByteString, json params: [UInt8]) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("jsonrpc", "2.0" as ByteString?)
            line.member("method", Optional(method))
            line.member("params", json: Optional(params))
        }
        return line.bytes + [0x0A]
    }

    /// Returns a request of the cache to its host.
    package static func call(id: ByteString, _ method: ByteString, _ params: (inout JSONLine) -> Void) -> [UInt8] {
        message(id: id, method, params)
    }

    private static func message(
        id: ByteString?, _ method: ByteString, _ params: (inout JSONLine) -> Void
    ) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("jsonrpc", "2.0" as ByteString?)
            if let id { line.member("id", id) }
            line.member("method", Optional(method))
            line.name("params")
            line.object(params)
        }
        return line.bytes + [0x0A]
    }
}
