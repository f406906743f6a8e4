import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Converts each SIGHUP into a call: a server reads its files anew.
package final class HangupWatch {
    private let source: any DispatchSourceSignal

    /// Starts to watch for SIGHUP.
    ///
    /// - Parameter action: Called on a queue of its own, for signals that come close together perhaps once.
    package init(_ action: @escaping @Sendable () -> Void) {
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "tidemark.hangups"))
        source.setEventHandler(handler: action)
        source.activate()
    }

    /// Stops watching. A further signal ends the process, as usual.
    package func end() {
        source.cancel()
        signal(SIGHUP, SIG_DFL)
    }
}
