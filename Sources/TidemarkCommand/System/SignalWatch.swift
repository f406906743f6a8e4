import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Turns the first SIGINT or SIGTERM into a call; the second one ends the process the usual way.
///
/// The default is back after the first, so that a flush which hangs on a broken disk can still be interrupted.
final class SignalWatch {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter action: Called at most once a signal, on a queue of its own.
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

    /// Writing to a pipe without a reader then is an error that ``Output`` takes quietly, not the end of the process.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}
