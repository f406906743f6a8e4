import Tidemark

extension Failure {
    /// Converts a storage error.
    ///
    /// - Parameter isReader: True if a reading command met the error: nothing was written then.
    init(_ error: StorageError, isReader: Bool) {
        self.init(
            Failure.status(error.code), error.code.rawValue, error.message, place: error.cause,
            outcome: isReader ? Failure.outcomeOfReading(error.code) : Failure.outcome(error.code),
            advice: error.advice)
    }

    /// Returns what happened to a reader's database; the message of a refused file says that it was not changed.
    private static func outcomeOfReading(_ code: StorageError.Code) -> String {
        status(code) == .configuration ? "nothing was read" : "the database was not changed"
    }

    private static func status(_ code: StorageError.Code) -> ExitStatus {
        switch code {
        case .notFound: .noInput
        case .cannotCreate: .cannotCreate
        case .locked: .locked
        case .notOurs, .newerFormat, .codecMissing, .keyNeeded, .wrongKey, .notEncrypted: .configuration
        case .limitExceeded: .usage
        case .damaged: .badData
        case .diskFull, .inputOutput, .protected: .inputOutput
        case .changed: .locked
        case .closed, .suspended: .internal
        }
    }

    private static func outcome(_ code: StorageError.Code) -> String {
        switch code {
        case .notFound, .cannotCreate, .locked, .notOurs, .newerFormat, .codecMissing, .keyNeeded, .wrongKey,
            .notEncrypted, .limitExceeded, .changed:
            "nothing was read or written"
        case .damaged: "damaged rows count as absent"
        case .diskFull, .inputOutput, .protected, .closed, .suspended:
            "acknowledged lines are safe, the rest was not written"
        }
    }
}
