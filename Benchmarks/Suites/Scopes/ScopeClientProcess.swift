import Foundation

/// The process with the clients of scopes, as the suite sees it.
final class ScopeClientProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the process.
    ///
    /// - Parameter addresses: A file with a path and a token for each client.
    init(_ addresses: String) throws {
        process.executableURL = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        process.arguments = [ScopeClients.name, "--addresses", addresses]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Sends a command.
    func send(_ command: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
    }

    /// Reads the answer to a command: numbers.
    ///
    /// - Throws: ``HTTPFailure`` if the clients failed.
    func answer() throws -> [Int64] {
        var text: [UInt8] = []
        while text.last != 0x0A {
            guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
                throw HTTPFailure("the clients ended")
            }
            text += byte
        }
        let line = String(decoding: text.dropLast(), as: UTF8.self)
        let numbers = line.split(separator: " ").compactMap { Int64($0) }
        guard !line.hasPrefix("failed") else { throw HTTPFailure("the clients \(line)") }
        return numbers
    }

    /// Sends a command, and reads its answer.
    func ask(_ command: String) throws -> [Int64] {
        try send(command)
        return try answer()
    }

    /// Ends all clients.
    func finish() {
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }
}

/// The number of files that this process may have open.
enum OpenFiles {
    /// Raises the limit as far as the system allows.
    ///
    /// - Returns: The limit.
    @discardableResult
    static func raise(to count: Int) -> Int {
        var limit = rlimit()
        #if canImport(Darwin)
            let resource = RLIMIT_NOFILE
        #else
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        getrlimit(resource, &limit)
        guard limit.rlim_cur < rlim_t(count) else { return Int(clamping: limit.rlim_cur) }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
        setrlimit(resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }
}

extension HTTPConnection {
    /// Hands the descriptor over to the caller, who closes it.
    func take() throws -> Int32 {
        let copy = dup(descriptor)
        guard copy >= 0 else { throw HTTPFailure("no descriptor is left") }
        return copy
    }

    /// Writes a text to a descriptor; blocks while the server does not read.
    static func write(_ text: String, to descriptor: Int32) throws {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                send(descriptor, all.baseAddress.map { $0 + start }, all.count - start, 0)
            }
            guard count > 0 else { throw HTTPFailure("the server reads no more: \(errno)") }
            start += count
        }
    }
}
