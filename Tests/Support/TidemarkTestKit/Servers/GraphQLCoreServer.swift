import Foundation

/// A real GraphQL server with incremental delivery: graphql-core behind plain HTTP, in a process of its own.
///
/// `make python` installs it; see ``PythonEnvironment``.
package final class GraphQLCoreServer {
    /// The port on which the server listens.
    package let port: String
    private let process = Process()
    private let input = Pipe()

    /// The address of the server.
    package var url: String { "http://127.0.0.1:\(port)/graphql" }

    /// Starts the server, and returns once it listens.
    ///
    /// - Parameters:
    ///   - environment: The installed Python environment, which decides the format of incremental delivery.
    ///   - spec: The media type parameter of that format, such as `deferSpec=20220824`.
    ///   - schema: The file of the Star Wars schema; nil for the script's own schema.
    /// - Throws: ``CommandRunnerError`` if the environment is missing.
    package init(environment: String, spec: String, schema: URL? = nil) throws {
        guard let interpreter = PythonEnvironment.interpreter(of: environment) else {
            throw CommandRunnerError.notStarted(PythonEnvironment.advice.description)
        }
        let output = Pipe()
        process.executableURL = URL(filePath: interpreter)
        let script = ProtocolVector.protocolFolder.appending(path: "../Tests/Python/incremental_server.py")
        process.arguments = [script.standardized.path, spec] + (schema.map { [$0.path] } ?? [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        port = String(decoding: line, as: UTF8.self)
    }

    /// Stops the server, and returns once its process has ended.
    package func stop() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
