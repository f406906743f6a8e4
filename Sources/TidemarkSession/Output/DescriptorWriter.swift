#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A failed write to a descriptor.
struct DescriptorError: Error {
    /// The system's message; nil if the reading end is closed, which is not an error.
    var message: String?
}

/// Writes whole buffers to a descriptor, and waits for a slow reader.
enum DescriptorWriter {
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(DescriptorError) {
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
            // The pipe is full, and the other end made it non-blocking: wait rather than spin.
            case EAGAIN, EWOULDBLOCK:
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            case EPIPE: throw DescriptorError(message: nil)
            default: throw DescriptorError(message: String(cString: strerror(errno)))
            }
        }
    }
}

/// Calls the system's `write`, which the method of that name shadows.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
