import Tidemark

/// Receives the answers to requests.
package protocol AnswerTarget: AnyObject, Sendable {
    /// Takes an answer; never waits.
    ///
    /// - Parameter line: The line, with its LF.
    func append(answer line: [UInt8])
}

/// Receives a session's notifications and late answers.
package protocol SessionOutput: AnswerTarget, ObserverSink {
    /// Why methods that observe are refused; nil if notifications have a receiver.
    var observerRefusal: CacheError? { get }
    /// The maximum size of the answers to one batch, in bytes.
    var answerByteCountMax: Int { get }

    /// Returns once there is room for the answers to one more request.
    func waitForRoom() async
}
