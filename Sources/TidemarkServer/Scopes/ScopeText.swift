import HTTPTypes
import TidemarkModel
import TidemarkScopes

/// How the lines of a scope are written.
struct ScopeText: Sendable {
    /// True for server-sent events, false for one JSON text a line.
    let isEvents: Bool
    /// True if the client unpacks gzip.
    let isPacked: Bool

    /// Reads what a client accepts.
    init(_ fields: HTTPFields) {
        isEvents = ScopeText.accepts("text/event-stream", fields[values: .accept])
        isPacked = ScopeText.accepts("gzip", fields[values: .acceptEncoding])
    }

    /// Returns true if a list names a value, and not with a weight of 0.
    private static func accepts(_ name: String, _ fields: [String]) -> Bool {
        fields.flatMap { $0.split(separator: ",") }.contains { item in
            let parts = item.split(separator: ";").map { String($0).trimmingSpaces().lowercased() }
            guard parts.first == name else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }

    /// The header fields of a response.
    var fields: HTTPFields {
        var fields: HTTPFields = [
            .contentType: isEvents ? "text/event-stream" : "application/x-ndjson", .acceleratorBuffering: "no",
        ]
        if isPacked { fields[.contentEncoding] = "gzip" }
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
