import Foundation
import Logging
import TidemarkModel
import TidemarkJSON

/// The lines that `serve` prints once requests are accepted.
struct ServeStart {
    private let settings: ServingSettings
    private let port: Int
    private let token: String
    /// True if a service manager records the output: others may read it, so it must not contain the token.
    private let isKept: Bool

    init(
        _ settings: ServingSettings, port: Int, token: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.settings = settings
        self.port = port
        self.token = token
        isKept = environment["JOURNAL_STREAM"] != nil
    }

    private var address: String {
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        return "\(settings.tls == nil ? "http" : "https")://\(host):\(port)"
    }

    /// The line for programs that wait for the start.
    var line: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("serving", ByteString(address))
            line.member("token_file", ByteString(settings.tokenPath))
        }
        return line.bytes
    }

    /// The lines for people.
    var notes: [String] {
        var notes = ["tidemark: the inspector is at \(address)/" + (isKept ? "" : "#token=\(token)")]
        if settings.tls == nil, !ServeOptions.isLoopback(settings.host) {
            notes.append(
                "tidemark: the connections to \(settings.host) are not encrypted: put TLS in front, or pass --tls-cert and --tls-key"
            )
        }
        return notes
    }

    func write() {
        do throws(Failure) {
            let output = Output.standard()
            try output.writeLine(line)
            try output.flush()
            let errors = Output.errors()
            for note in notes { try errors.writeLine(note) }
            try errors.flush()
        } catch {
            settings.logger.error("the start cannot be printed: \(error.line)")
        }
    }
}
