/// What the service behind says of an edit.
package enum EditOutcome: Hashable, Sendable {
    /// It was made.
    ///
    /// - Parameter result: The result of `mutation.send`: one JSON object without insignificant white space.
    case confirmed(result: [UInt8])
    /// It will never be made.
    ///
    /// - Parameter error: The error of JSON-RPC, as one JSON object.
    case refused(error: [UInt8])
    /// The service cannot say now: the edit may be sent again.
    case unavailable

    /// The outcome as it is stored; nil for a passing failure.
    var stored: [UInt8]? {
        switch self {
        case .confirmed(let result): [1] + result
        case .refused(let error): [2] + error
        case .unavailable: nil
        }
    }

    /// Reads ``stored``.
    init?(stored: [UInt8]) {
        switch stored.first {
        case 1: self = .confirmed(result: Array(stored.dropFirst()))
        case 2: self = .refused(error: Array(stored.dropFirst()))
        default: return nil
        }
    }
}

/// What the author of an edit is answered.
package enum EditAnswer: Hashable, Sendable {
    /// The outcome, as the scope shows it.
    case outcome(EditOutcome)
    /// Another edit has this id.
    case reused
}
