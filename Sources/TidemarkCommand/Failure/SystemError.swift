#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The error number of the last system call.
struct SystemError {
    let number: Int32

    /// Reads `errno`. Call it before anything else can change it.
    static var last: SystemError { SystemError(number: errno) }

    var isInterrupted: Bool { number == EINTR }
    var isWouldBlock: Bool { number == EAGAIN || number == EWOULDBLOCK }
    var isBrokenPipe: Bool { number == EPIPE }
    var isNoSuchFile: Bool { number == ENOENT || number == ENOTDIR }

    var text: String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }
}
