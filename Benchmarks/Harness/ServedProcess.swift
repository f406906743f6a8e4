import Foundation

/// A running `tidemark serve`.
final class ServedProcess {
    private let process = Process()
    private let output = Pipe()
    let port: Int
    private let token: String

    /// Starts the server on a free port.
    ///
    /// - Parameter arguments: Further options.
    /// - Throws: ``HTTPFailure`` if the server does not print its port.
    init(_ executable: String, database: String, _ arguments: [String] = []) throws {
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["serve", "--db", database, "--listen", "127.0.0.1:0"] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let match = line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/), let port = Int(match.1) else {
            throw HTTPFailure("tidemark serve did not start: build the product tidemark-serve beside \(executable)")
        }
        self.port = port
        token = try String(contentsOfFile: database + ".token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The process id.
    var identifier: Int32 { process.processIdentifier }

    /// Returns the head of a request with the server's token, as bytes.
    func head(_ method: String, _ path: String, _ fields: [String] = []) -> [UInt8] {
        let lines =
            ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)"] + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Sends a JSON-RPC message over a connection, and returns the body of the response.
    func call(_ message: String, stream: String? = nil, on connection: HTTPConnection) throws -> String {
        let fields =
            ["Content-Type: application/json", "Content-Length: \(message.utf8.count)"]
            + (stream.map { ["Tidemark-Stream: \($0)"] } ?? [])
        try connection.write(head("POST", "/rpc", fields) + Array(message.utf8))
        return try connection.answer()
    }

    /// The anonymous resident memory of the process, in bytes; nil if the system does not report it.
    ///
    /// Pages that are mapped from files, such as those of the program itself, are not included.
    var byteCount: Int? {
        guard let text = FileManager.default.contents(atPath: "/proc/\(identifier)/status"),
            let match = String(decoding: text, as: UTF8.self).firstMatch(of: /RssAnon:\s+([0-9]+) kB/),
            let kilobytes = Int(match.1)
        else { return nil }
        return kilobytes << 10
    }

    /// Terminates the server, and waits until it has ended.
    func finish() {
        process.terminate()
        process.waitUntilExit()
        precondition(process.terminationStatus == 0, "the server ended with \(process.terminationStatus)")
    }
}
