import Tidemark
import TidemarkModel

/// Sends requests to a server's JetStream API, which is JSON over NATS.
///
/// - Source: docs.nats.io, reference of the JetStream API; server 2.9.
package struct JetStreamAPI {
    let connection: NatsConnection

    /// Creates an API over a connection, which it keeps.
    package init(connection: NatsConnection) { self.connection = connection }

    private static let root = "$JS.API"
    /// How long to wait for a response, in milliseconds.
    static let timeout: Int64 = 5_000

    /// Returns the settings and state of a stream.
    ///
    /// - Parameter timeout: How long to wait for the response, in milliseconds.
    /// - Throws: ``JetStreamError``; `.noStream` when there is none of that name.
    func status(of stream: String, timeout: Int64 = JetStreamAPI.timeout) throws(JetStreamError) -> StreamStatus {
        try streamStatus(try call("STREAM.INFO.\(stream)", [], timeout: timeout))
    }

    /// Creates a stream. Succeeds if it already exists with the same settings.
    ///
    /// - Throws: ``JetStreamError``; `.differentStream` when it exists with other settings.
    func create(_ stream: String, _ configuration: StreamConfiguration, subjects: [String]) throws(JetStreamError)
        -> StreamStatus
    {
        try streamStatus(try call("STREAM.CREATE.\(stream)", configuration.request(name: stream, subjects: subjects)))
    }

    /// Creates a pull consumer without acknowledgements, which delivers messages from a sequence on. The server deletes
    /// it after 5 minutes without a request.
    ///
    /// - Returns: Its name, and how many messages it will deliver.
    /// - Throws: ``JetStreamError``.
    func makeConsumer(
        of stream: String, filter: String, from sequence: Int64
    ) throws(JetStreamError) -> (name: String, pendingCount: Int64) {
        let body =
            #"{"stream_name":"\#(stream)","config":{"deliver_policy":"by_start_sequence","opt_start_seq":\#(max(1, sequence)),"#
            + #""ack_policy":"none","replay_policy":"instant","filter_subject":"\#(filter)","#
            + #""inactive_threshold":300000000000,"mem_storage":true,"num_replicas":1}}"#
        let answer = try call("CONSUMER.CREATE.\(stream)", Array(body.utf8))
        guard let name = answer["name"]?.string else { throw JetStreamAPI.malformed("a consumer") }
        return (name, answer["num_pending"]?.int64 ?? 0)
    }

    /// Deletes a consumer. Succeeds if it is already gone.
    func removeConsumer(_ name: String, of stream: String) throws(JetStreamError) {
        do throws(JetStreamError) {
            _ = try call("CONSUMER.DELETE.\(stream).\(name)", [])
        } catch {
            // It may have expired, or been deleted with its stream.
            guard error.code == .refused || error.code == .noStream else { throw error }
        }
    }

    /// Requests messages from a consumer; the server sends them to `inbox`.
    ///
    /// - Parameters:
    ///   - count: The most messages to send.
    ///   - byteCount: The most bytes to send; nil for no bound.
    ///   - expires: How long the request stays open, in milliseconds.
    /// - Throws: ``JetStreamError`` when the request cannot be sent.
    func pull(
        _ consumer: String, of stream: String, count: Int, byteCount: Int?, expires: Int64, to inbox: String
    ) throws(JetStreamError) {
        var body = #"{"batch":\#(count),"expires":\#(expires * 1_000_000)"#
        if let byteCount { body += #","max_bytes":\#(byteCount)"# }
        body += "}"
        try connection.publish(
            Array(body.utf8), to: "\(JetStreamAPI.root).CONSUMER.MSG.NEXT.\(stream).\(consumer)", reply: inbox)
    }

    /// Throws if the server has reported that the user may not request messages from the stream's consumers.
    func checkMayAsk(_ stream: String) throws(JetStreamError) {
        try connection.checkPermission("\(JetStreamAPI.root).CONSUMER.MSG.NEXT.\(stream)")
    }

    /// Returns the subjects of a stream's messages that match a filter.
    ///
    /// - Complexity: O(subjects), one request for each 100,000.
    /// - Throws: ``JetStreamError``.
    func subjects(of stream: String, filter: String) throws(JetStreamError) -> [String] {
        var names: [String] = []
        while true {
            let answer = try call(
                "STREAM.INFO.\(stream)", Array(#"{"subjects_filter":"\#(filter)","offset":\#(names.count)}"#.utf8))
            let members = answer["state"]?["subjects"]?.members ?? []
            names += members.map(\.name)
            if members.isEmpty || names.count >= answer["total"]?.int ?? 0 { return names }
        }
    }

    /// Returns the sequence of a subject's last message; nil when it has none. The stream's leader responds.
    ///
    /// - Throws: ``JetStreamError``.
    func lastSequence(of subject: String, in stream: String) throws(JetStreamError) -> Int64? {
        do throws(JetStreamError) {
            let answer = try call("STREAM.MSG.GET.\(stream)", Array(#"{"last_by_subj":"\#(subject)"}"#.utf8))
            return answer["message"]?["seq"]?.int64
        } catch {
            guard error.code == .noMessage else { throw error }
            return nil
        }
    }

    /// Returns the sequence of a subject's last message by a direct get, to which any server of the stream may respond,
    /// also one that lags behind the leader; nil when there is none.
    ///
    /// - Throws: ``JetStreamError``.
    func lastMessage(of subject: String, in stream: String) throws(JetStreamError) -> Int64? {
        let request = Array(#"{"last_by_subj":"\#(subject)"}"#.utf8)
        let message = try connection.request("\(JetStreamAPI.root).DIRECT.GET.\(stream)", request)
        return try JetStreamAPI.directSequence(of: message)
    }

    /// Returns the sequence in the response to a direct get; nil when no message was found.
    private static func directSequence(of message: borrowing NatsMessage) throws(JetStreamError) -> Int64? {
        if let status = message.header("Status") {
            guard status == "404" else { throw malformed("a direct get (status \(status))") }
            return nil
        }
        guard let number = message.header("Nats-Sequence").flatMap({ Int64($0) }) else {
            throw malformed("a direct get")
        }
        return number
    }

    /// Returns a subject's first message from a sequence on, with its body; nil when there is none.
    ///
    /// - Throws: ``JetStreamError``.
    func message(
        of subject: String, from sequence: Int64, in stream: String
    ) throws(JetStreamError) -> (sequence: Int64, body: [UInt8])? {
        let request = Array(#"{"seq":\#(max(1, sequence)),"next_by_subj":"\#(subject)"}"#.utf8)
        let message: NatsMessage
        do throws(JetStreamError) {
            message = try connection.request("\(JetStreamAPI.root).DIRECT.GET.\(stream)", request)
        } catch {
            // No server responds to direct gets of a stream that does not allow them.
            guard error.code == .noJetStream else { throw error }
            return try storedMessage(request, stream)
        }
        guard let number = try JetStreamAPI.directSequence(of: message) else { return nil }
        return (number, Array(message.bytes))
    }

    /// Requests a message from the stream's leader; nil when there is none.
    private func storedMessage(
        _ request: [UInt8], _ stream: String
    ) throws(JetStreamError) -> (sequence: Int64, body: [UInt8])? {
        do throws(JetStreamError) {
            let found = try call("STREAM.MSG.GET.\(stream)", request)["message"]
            guard let sequence = found?["seq"]?.int64,
                let body = Base64.bytes(Array((found?["data"]?.string ?? "").utf8))
            else {
                throw JetStreamAPI.malformed("a message")
            }
            return (sequence, body)
        } catch {
            guard error.code == .noMessage else { throw error }
            return nil
        }
    }

    private func streamStatus(_ answer: JSONValue) throws(JetStreamError) -> StreamStatus {
        guard let status = StreamStatus(answer) else { throw JetStreamAPI.malformed("a stream") }
        return status
    }

    private func call(
        _ name: String, _ body: [UInt8], timeout: Int64 = JetStreamAPI.timeout
    ) throws(JetStreamError) -> JSONValue {
        let message = try connection.request("\(JetStreamAPI.root).\(name)", body, timeout: timeout)
        let answer: JSONValue
        do throws(JSONSyntaxError) {
            answer = try JSONValue(parsing: message.bytes)
        } catch {
            throw JetStreamAPI.malformed(name)
        }
        if let error = answer["error"] { throw JetStreamAPI.error(error, connection.address) }
        return answer
    }

    /// Returns the error for the `error` member of a response, with the next action.
    static func error(_ error: JSONValue, _ address: JetStreamAddress) -> JetStreamError {
        let text = error["description"]?.string ?? "no reason given"
        switch error["err_code"]?.int ?? 0 {
        case 10059:
            return JetStreamError(
                .noStream, "there is no stream \(address.stream)", advice: "make it with tidemark stream create")
        case 10037:
            return JetStreamError(.noMessage, "there is no such message", advice: "it was never there, or was removed")
        case 10058:
            return JetStreamError(
                .differentStream, "the stream \(address.stream) exists with another configuration",
                advice: "look at it with tidemark stream info, or take another name")
        case 10039, 10076:
            return JetStreamError(
                .noJetStream, "JetStream is not enabled: \(text)",
                advice: "start the server with -js, and enable JetStream for the account")
        case 10065:
            return JetStreamError(
                .differentStream, "another stream of the account has subjects \(address.prefix).* already",
                advice: "name that stream, or take another prefix")
        case 10093:
            return JetStreamError(
                .differentStream, "the stream \(address.stream) has no subjects \(address.prefix).*",
                advice: "look at its subjects with tidemark stream info, and write their beginning as ?prefix=…")
        case 10005, 10074:
            return JetStreamError(
                .refused, "there are not enough servers for the replicas: \(text)",
                advice: "pass fewer --replicas, or start more servers")
        case 10002, 10023, 10026, 10027, 10028, 10047, 10077, 10113, 10122:
            return JetStreamError(
                .streamFull, "the stream, its account or the server is at a limit: \(text)",
                advice: "raise the limit, remove messages, or make room on the server's disk")
        case 10054:
            return JetStreamError(
                .messageTooLarge, "the message is larger than the stream admits: \(text)",
                advice: "raise its max_msg_size")
        case 10008, 10009, 10022, 10118:
            return JetStreamError(.timedOut, "the cluster is not ready: \(text)", advice: "try again")
        case 10071, 10070:
            return JetStreamError(
                .otherPublisher, "another publisher wrote meanwhile: \(text)",
                advice: "stop the other one, or pass --shared")
        default:
            return JetStreamError(.refused, "the server refused: \(text)", advice: "look at the server's log")
        }
    }

    private static func malformed(_ what: String) -> JetStreamError {
        JetStreamError(
            .refused, "the server's answer about \(what) cannot be read", advice: "check that it is NATS 2.9 or later")
    }
}
