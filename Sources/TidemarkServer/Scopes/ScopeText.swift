import HTTPTypes
import TidemarkModel
import TidemarkScopes

/// How the lines of a scope are written.
struct ScopeText: Sendable {
    /// True for server-sent events, false for one JSON text a line.
    let isEvents: Bool
    /// How the stream is packed; nil to send it as it is.
    let coding: StreamCoding?

    /// Reads what a client accepts. Lines of JSON are the default.
    init(_ fields: HTTPFields) {
        let accepted = AcceptedNames(fields[values: .accept])
        isEvents = accepted.weight(of: "text/event-stream") > accepted.weight(of: "application/x-ndjson")
        coding = StreamCoding.accepted(fields[values: .acceptEncoding])
    }

    /// The header fields of a response.
    var fields: HTTPFields {
        var fields: HTTPFields = [
            .contentType: isEvents ? "text/event-stream" : "application/x-ndjson", .acceleratorBuffering: "no",
        ]
        if let coding { fields[.contentEncoding] = coding.rawValue }
        return fields
    }

    /// Returns lines as text.
    func text(_ lines: [ScopeLine]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(lines.reduce(0) { $0 + $1.bytes.count + 64 })
        for line in lines {
            guard isEvents else {
                text += line.bytes
                text.append(0x0A)
                continue
            }
            if line.isEnd { text += "event: bye\n".utf8 }
            if let number = line.number, let epoch = line.epoch {
                text += "id: ".utf8
                text += epoch.bytes
                text += "/\(number.rawValue)\n".utf8
            }
            text += "data: ".utf8
            text += line.bytes
            text += "\n\n".utf8
        }
        return text
    }
}
