import CSpawn
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A child process with a pipe for each of its three standard streams.
///
/// Foundation's `Process` looks for open descriptors by copying whole directory entries. With a thousand open
/// descriptors it reads past the end of its buffer, and may crash the process that starts the child.
///
/// A thread of its own waits for the child from the start: the test library's thread for exit tests sees only the first
/// child that has ended, and spins until that child was waited for.
final class SpawnedProcess: Sendable {
    let pid: Int32
    /// The end of the child's input that this process writes to.
    let input: Int32
    let output: Int32
    let errors: Int32
    private let end = ProcessEnd()

    /// Starts an executable.
    ///
    /// - Throws: ``CommandRunnerError/notStarted(_:)``.
    init(
        _ executable: String, _ arguments: [String], _ environment: [String: String]
    ) throws(CommandRunnerError) {
        // Makes writing to a child that ended early fail instead of ending this process.
        signal(SIGPIPE, SIG_IGN)
        var pipes: [(reading: Int32, writing: Int32)] = []
        do {
            for _ in 0..<3 { pipes.append(try SpawnedProcess.pipe()) }
            pid = try SpawnedProcess.spawn(
                executable, arguments, environment, [pipes[0].reading, pipes[1].writing, pipes[2].writing])
        } catch {
            for pipe in pipes {
                close(pipe.reading)
                close(pipe.writing)
            }
            throw .notStarted("\(executable): \(error)")
        }
        (input, output, errors) = (pipes[0].writing, pipes[1].reading, pipes[2].reading)
        for end in [pipes[0].reading, pipes[1].writing, pipes[2].writing] { close(end) }
        Thread.detachNewThread { [end, pid] in end.watch(pid) }
    }

    deinit {
        close(output)
        close(errors)
    }

    /// Ends the child's input. Call it exactly once, even if the input is unused.
    func closeInput() { close(input) }

    /// Sends a signal, unless the child has ended.
    func send(signal number: Int32) { end.send(number, to: pid) }

    /// Waits for the child to end.
    ///
    /// - Returns: Its exit status; if a signal ended it, 128 plus the signal's number.
    func waitUntilExit() -> Int32 { end.wait() }

    /// Creates a pipe that no child inherits.
    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        let error = tidemark_spawned_pipe(&ends)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EMFILE) }
        return (ends[0], ends[1])
    }

    /// Starts a child in its own process group, with only the three given descriptors, as 0, 1 and 2.
    private static func spawn(
        _ executable: String, _ arguments: [String], _ environment: [String: String], _ streams: [Int32]
    ) throws -> Int32 {
        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid: Int32 = 0
        let error = tidemark_spawned_start(executable, words, variables, streams, &pid)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .ENOENT) }
        return pid
    }
}

/// How a child process ended. It outlives the object that started the child, so that every child is waited for.
private final class ProcessEnd: Sendable {
    /// The exit status; nil until the child has ended.
    private let status = Mutex<Int32?>(nil)
    private let isKnown = DispatchGroup()

    init() { isKnown.enter() }

    /// Waits for the child, on a thread of its own.
    func watch(_ pid: Int32) {
        var info = siginfo_t()
        // The child stays a zombie until the lock is held, so that its number is not reused when a signal is sent.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        status.withLock { status in
            var found: Int32 = 0
            while waitpid(pid, &found, 0) == -1, errno == EINTR {}
            let signal = found & 0x7F
            status = signal == 0 ? (found >> 8) & 0xFF : 128 + signal
        }
        isKnown.leave()
    }

    func send(_ signal: Int32, to pid: Int32) {
        status.withLock { status in
            if status == nil { kill(pid, signal) }
        }
    }

    func wait() -> Int32 {
        isKnown.wait()
        return status.withLock { $0 } ?? -1
    }
}
