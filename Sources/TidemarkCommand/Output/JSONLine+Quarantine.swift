import Foundation
import TidemarkModel
import TidemarkJSON

extension JSONLine {
    /// Writes a quarantine record. The kept part of the line is `text`, or `base64` if it is not UTF-8.
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
            if let text = String(validating: record.bytes, as: UTF8.self) {
                line.member("text", ByteString(text))
            } else {
                line.member("base64", ByteString(Data(record.bytes).base64EncodedString()))
            }
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
