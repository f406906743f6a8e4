#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The error of a descriptor that cannot be written.
struct DescriptorFailure: Error {
    /// The system's message; nil when the reading end is closed, which is not an error.
    var message: String?
}

/// The writing of whole buffers to a descriptor; waits for a slow reader.
enum DescriptorWriter {
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(DescriptorFailure) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                systemWrite(descriptor, all.baseAddress.map { $0 + start }, all.count - start)
            }
            if count >= 0 {
                start += count
                continue
            }
            switch errno {
            case EINTR: continue
            // The other end made the pipe non-blocking, and the pipe is full: wait instead of trying again and again.
            case EAGAIN, EWOULDBLOCK:
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            case EPIPE: throw DescriptorFailure(message: nil)
            default: throw DescriptorFailure(message: String(cString: strerror(errno)))
            }
        }
    }
}

/// Calls the system's `write`, which the method of that name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
