import Foundation

/// Measures time, memory, disk space and processes in the same way for every peer.
enum Machine {
    /// Returns the time of a monotonic clock, in nanoseconds.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Returns how long a function takes, in seconds.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return Double(now() - start) / 1e9
    }

    /// Returns how long an asynchronous function takes, in seconds.
    static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = now()
        try await body()
        return Double(now() - start) / 1e9
    }

    /// Returns the peak of this process's resident memory so far, in bytes; nil if the system does not report it.
    static func peakByteCount() throws -> Int? {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
    }

    /// Returns the total size of the files in a folder, in bytes.
    static func byteCount(of folder: URL) throws -> Int {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).reduce(0) {
            $0 + (try FileManager.default.attributesOfItem(atPath: $1.path)[.size] as? Int ?? 0)
        }
    }

    /// Starts this program with other arguments, and returns the milliseconds until its first line of output.
    ///
    /// - Throws: ``PeerError`` if the program fails or prints no answer.
    static func answerTime(_ name: String, scratch: URL, _ question: [String]) throws -> Double {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "no pipe: \(errno)")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        let arguments = ["/proc/self/exe", name, "--scratch", scratch.path] + question
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        let start = now()
        let status = posix_spawn(&process, "/proc/self/exe", &actions, nil, &pointers, environ)
        precondition(status == 0, "no process: \(status)")
        close(ends[1])
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var time: Int64?
        while true {
            let count = read(ends[0], &buffer, buffer.count)
            if count <= 0 { break }
            answer += buffer[..<count]
            if time == nil, answer.contains(UInt8(ascii: "\n")) { time = now() - start }
        }
        close(ends[0])
        var result: Int32 = 0
        waitpid(process, &result, 0)
        guard let time, result == 0, answer.count > 1 else { throw PeerError("\(arguments) gave no answer") }
        return Double(time) / 1e6
    }
}

/// The reason why a peer could not be measured.
struct PeerError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
