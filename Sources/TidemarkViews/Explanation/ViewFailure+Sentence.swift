import TidemarkModel

extension ViewFailure {
    /// The failure as the end of a sentence.
    package var sentence: String {
        let culprit = entity.map { " of \($0.text)" } ?? ""
        if isMiss { return "the cache does not show \(entity.map { "\($0.text)" } ?? "it")" }
        switch at {
        case "/limit": return "its row is outside the window"
        case "/having": return "its group is dropped by having"
        case "/from" where condition == nil: return "its type is no source of the view"
        default:
            let found = value.map { "the value\(culprit) is \(ByteString.excerpt(of: $0, byteCount: 200))" }
            let wanted = condition.map { ", and \(at) asks for \(ByteString.excerpt(of: $0, byteCount: 500))" }
            return (found ?? "there is no value\(culprit)") + (wanted ?? ", at \(at)")
        }
    }
}
