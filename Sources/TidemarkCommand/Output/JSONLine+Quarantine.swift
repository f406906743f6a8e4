import TidemarkModel

extension JSONLine {
    /// One record. `text` is what was kept of the line, with U+FFFD for what is not UTF-8.
    mutating func quarantine(_ record: QuarantineRecord) {
        object { line in
            line.member("number", json: record.number.map { Array(String($0).utf8) })
            line.member("kind", ByteString(JSONLine.name(of: record.kind)))
            line.member("reason", ByteString(record.reason.code))
            line.member("line", record.line)
            line.member("offset", record.offset)
            line.member("library_id", record.library)
            line.member("sequence", record.sequence)
            line.member("received_at", ByteString(HumanText.timestamp(milliseconds: record.receivedAt)))
            line.member("byte_count", record.byteCount)
            line.member("complete", record.isComplete)
            line.member("text", ByteString(String(decoding: record.bytes, as: UTF8.self)))
        }
    }

    static func name(of kind: QuarantineRecord.Kind) -> String {
        switch kind {
        case .line: "line"
        case .member: "member"
        case .upstream: "upstream"
        }
    }
}
