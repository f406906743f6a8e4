import Foundation
import TidemarkTestKit

/// One `tidemark` process under load: it is fed in pieces, and reports its progress and memory. It blocks the calling
/// thread.
final class LoadChild {
    enum Kind: String, CaseIterable, Sendable {
        case ingest
        case run
    }

    /// A failure of the child itself.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let kind: Kind
    let command: LiveCommand
    private var lineCount = 0
    private var requestCount = 0
    /// The lines of output that no call waited for.
    private(set) var otherLines: [String] = []

    init(_ kind: Kind, _ path: String, _ options: [String] = [], readsOutput: Bool = true) throws {
        self.kind = kind
        let arguments = kind == .ingest ? ["ingest", "--ack"] : ["run"]
        command = try LiveCommand(arguments + ["--db", path] + options, readsOutput: readsOutput)
    }

    /// - Parameter lines: The number of LFs in the bytes.
    func feed(_ bytes: [UInt8], lines: Int) {
        command.write(bytes)
        lineCount += lines
    }

    func feed(_ line: String) { feed(Array((line + "\n").utf8), lines: 1) }

    /// Returns as soon as everything fed so far is on the disk.
    func settle() throws {
        switch kind {
        case .ingest:
            while true {
                let line = try next()
                guard let lines = line.firstMatch(of: /"ack":{"lines":([0-9]+)/).flatMap({ Int($0.1) }) else {
                    throw Failure(description: "no acknowledgement: \(line)")
                }
                if lines >= lineCount { return }
            }
        case .run: _ = try ask("cache.flush")
        }
    }

    /// Sends a request and waits for its answer.
    func ask(_ method: String, _ params: String = "{}") throws -> String {
        requestCount += 1
        feed(#"{"jsonrpc":"2.0","id":"q\#(requestCount)","method":"\#(method)","params":\#(params)}"#)
        return try answer("\"q\(requestCount)\"")
    }

    /// Waits for the answer to a request that was sent.
    func answer(_ id: String) throws -> String {
        while true {
            let line = try next()
            if line.contains("\"id\":\(id)"), !line.contains("\"method\"") { return line }
            otherLines.append(line)
        }
    }

    func next() throws -> String {
        switch command.next(seconds: LoadSize.patience) {
        case .line(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .end:
            let (status, errors, _) = command.finish(seconds: LoadSize.patience)
            throw Failure(description: "it ended with \(status): \(errors)")
        case .late: throw Failure(description: "nothing came in \(LoadSize.patience) s")
        }
    }

    func peakByteCount() throws -> Int {
        guard let count = command.peakByteCount else { throw Failure(description: "no word of its memory") }
        return count
    }

    /// Ends the input and waits for the end.
    ///
    /// - Returns: The lines of output since the last wait.
    @discardableResult
    func finish() throws -> [String] {
        let (status, errors, lines) = command.finish(seconds: LoadSize.patience)
        guard status == 0 else { throw Failure(description: "it ended with \(status): \(errors)") }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}
