import Logging
import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkCommand

/// The lines that `serve` prints at its start.
@Suite(.pooled) struct ServeStartTests {
    private func start(_ host: String, tls: Bool = false, environment: [String: String] = [:]) -> ServeStart {
        var settings = ServingSettings(
            databasePath: "a.db", host: host, port: 0, tokenPath: "a.db.token", allowedOrigins: [],
            connectionCountMax: 1, streamCountMax: 1, subscriptionCountMax: 1, headByteCountMax: 1,
            headTimeout: .seconds(1),
            bodyTimeout: .seconds(1), lineByteCountMax: 1, logger: Logger(label: "test"))
        if tls { settings.tls = TLSFiles(certificatePath: "c", keyPath: "k") }
        return ServeStart(settings, port: 7_420, token: "0a", environment: environment)
    }

    @Test func `programs get the address, people the inspector's`() {
        let start = start("::1")
        #expect(
            String(decoding: start.line, as: UTF8.self)
                == #"{"serving":"http://[::1]:7420","token_file":"a.db.token"}"#)
        #expect(start.notes == ["tidemark: the inspector is at http://[::1]:7420/#token=0a"])
    }

    @Test func `an address that a service manager keeps has no token in it`() {
        let start = start("127.0.0.1", environment: ["JOURNAL_STREAM": "8:1"])
        #expect(start.notes == ["tidemark: the inspector is at http://127.0.0.1:7420/"])
    }

    @Test func `an address that others reach is served by TLS, or with a warning`() {
        #expect(start("10.0.0.1", tls: true).notes == ["tidemark: the inspector is at https://10.0.0.1:7420/#token=0a"])
        #expect(start("10.0.0.1").notes.last?.contains("10.0.0.1 are not encrypted") == true)
        #expect(start("10.0.0.1").notes.count == 2)
    }
}
