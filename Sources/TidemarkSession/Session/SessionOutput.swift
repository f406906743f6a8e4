import Tidemark

/// The receiver of the answers to requests.
package protocol AnswerTarget: AnyObject, Sendable {
    /// Takes an answer; never waits.
    ///
    /// - Parameter line: The line with its LF.
    func append(answer line: [UInt8])
}

/// The receiver of a session's notifications, and of the answers that come after the first.
package protocol SessionOutput: AnswerTarget, ObserverSink {
    /// The reason why methods that observe are refused; nil where notifications have a receiver.
    var observerRefusal: CacheError? { get }
    /// The bound of the answers to one batch, in bytes.
    var answerByteCountMax: Int { get }

    /// Returns when there is room for the answers to one more request.
    func waitForRoom() async
}

extension OutputQueue: SessionOutput {
    package var observerRefusal: CacheError? { nil }
    package var answerByteCountMax: Int { bounds.answerByteCountMax }
}
