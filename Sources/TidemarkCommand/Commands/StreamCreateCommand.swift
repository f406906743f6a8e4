import ArgumentParser
import TidemarkJetStream

/// `tidemark stream create`: creates a stream with the settings that publishing and reading need.
struct StreamCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a stream with what publishing and reading events need.",
        discussion: """
            The stream takes the subjects PREFIX.* and allows direct gets. A stream that exists with the same settings \
            is success; with others it is refused (status 73) and left alone.

            EXAMPLE
              tidemark stream create --to nats://localhost:4222/EVENTS
              tidemark stream create --to nats://a:4222,b:4222,c:4222/EVENTS --replicas 3 --max-age 604800
            """)

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The stream: nats://host:port/STREAM[?prefix=…].", valueName: "address"))
    var target: String
    @Option(help: ArgumentHelp("The servers that hold a copy: 1, 3 or 5.", valueName: "n"))
    var replicas = 1
    @Option(help: "Where messages are kept: file or memory.")
    var storage = StreamConfiguration.Storage.file
    @Option(help: ArgumentHelp("The bytes at which the oldest messages are removed.", valueName: "bytes"))
    var maxBytes: Int64?
    @Option(help: ArgumentHelp("The age at which messages are removed.", valueName: "seconds"))
    var maxAge: Double?
    @Option(help: ArgumentHelp("The time in which a repeated message is recognized.", valueName: "seconds"))
    var duplicateWindow = 120.0
    @OptionGroup var format: FormatOptions

    func validate() throws {
        _ = try StreamOptions.address(target, option: "--to")
        guard [1, 3, 5].contains(replicas) else {
            throw ValidationError("--replicas takes 1, 3 or 5, not \(replicas).")
        }
        if let maxBytes, maxBytes < 1 { throw ValidationError("--max-bytes takes 1 or more.") }
        if let maxAge, !(0.1...1e9 ~= maxAge) { throw ValidationError("--max-age takes 0.1 to 1000000000 seconds.") }
        guard 0.1...1e6 ~= duplicateWindow else {
            throw ValidationError("--duplicate-window takes 0.1 to 1000000 seconds.")
        }
        if let maxAge, maxAge < duplicateWindow {
            throw ValidationError("--duplicate-window is longer than --max-age: give a shorter one.")
        }
    }

    func run() async throws {
        let address = try StreamOptions.address(target, option: "--to")
        var configuration = StreamConfiguration()
        configuration.replicaCount = replicas
        configuration.storage = storage
        configuration.byteCountMax = maxBytes
        configuration.ageMax = maxAge
        configuration.duplicateWindow = duplicateWindow
        let status: StreamStatus
        do {
            status = try await StreamAdministration(address).create(configuration)
        } catch let error as JetStreamError {
            throw Failure(error, place: "--to", outcome: "nothing was changed")
        }
        try StreamInfoCommand.show(status, address, isJSON: format.isJSON)
    }
}

extension StreamConfiguration.Storage: ExpressibleByArgument {}
