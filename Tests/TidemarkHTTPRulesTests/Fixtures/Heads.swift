import TidemarkHTTPRules
import TidemarkModel

/// Short spellings of messages for tables of cases.
func fields(_ lines: [String]) -> HeaderFields {
    HeaderFields(
        lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1]).drop(while: { $0 == " " }) : ""
            return .init(ByteString(String(parts[0])), ByteString(String(value)))
        })
}

func url(_ text: String) throws -> HTTPURL { try HTTPURL(ByteString(text)) }

func request(_ lines: String..., method: String = "GET", to text: String = "http://a.test/x") throws -> RequestHead {
    RequestHead(method: ByteString(method), url: try url(text), fields: fields(lines))
}

func answer(_ status: Int = 200, _ lines: String...) -> ResponseHead {
    ResponseHead(status: status, fields: fields(lines))
}

/// 2026-01-01T00:00:00Z in milliseconds: the instant at which stored answers came.
let came: Int64 = 1_767_225_600_000
let cameText = HTTPDate.text(came / 1_000)

func stored(_ status: Int = 200, _ lines: [String], byteCount: Int64 = 10, delay: Int64 = 0) -> StoredHead {
    StoredHead(
        head: ResponseHead(status: status, fields: fields(lines)), requestedAt: came - delay, answeredAt: came,
        byteCount: byteCount)
}
