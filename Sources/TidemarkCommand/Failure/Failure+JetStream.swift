import TidemarkJetStream

extension Failure {
    /// Converts an error of reading from a stream, or of publishing to it.
    init(_ error: JetStreamError, place: String, outcome: String) {
        let status: ExitStatus =
            switch error.code {
            case .badAddress: .usage
            case .messageTooLarge: .badData
            case .noFile: .noInput
            case .differentStream: .cannotCreate
            case .otherPublisher: .locked
            case .libraryMissing, .noServer, .denied, .notPermitted, .tlsFailed, .noJetStream, .noStream, .noMessage,
                .streamFull,
                .timedOut, .refused:
                .unavailable
            }
        self.init(status, error.code.rawValue, error.message, place: place, outcome: outcome, advice: error.advice)
    }
}
