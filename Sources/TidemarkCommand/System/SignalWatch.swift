import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Converts the first SIGINT or SIGTERM into a call; the second one ends the process as usual.
///
/// The default action is restored after the first signal, so that a flush that hangs on a broken disk can still be
/// interrupted.
final class SignalWatch {
    private let sources: [any DispatchSourceSignal]

    /// Starts to watch for SIGINT and SIGTERM.
    ///
    /// - Parameter action: Called at most once for each signal, on a queue of its own.
    init(_ action: @escaping @Sendable () -> Void) {
        let numbers = [SIGINT, SIGTERM]
        let queue = DispatchQueue(label: "tidemark.signals")
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                for number in numbers { signal(number, SIG_DFL) }
                action()
            }
            source.activate()
            return source
        }
    }

    func end() {
        for source in sources { source.cancel() }
    }

    /// Ignores SIGPIPE. A write to a pipe without a reader then returns an error, which ``Output`` accepts, instead of
    /// ending the process.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}
