#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Why a descriptor takes no more.
struct DescriptorFailure: Error {
    /// nil when the reading end is gone, which is no error.
    var message: String?
}

/// Writes whole buffers; waits as long as the reader does.
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
            // The other end made the pipe non-blocking, and it is full: wait rather than spin.
            case EAGAIN, EWOULDBLOCK:
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            case EPIPE: throw DescriptorFailure(message: nil)
            default: throw DescriptorFailure(message: String(cString: strerror(errno)))
            }
        }
    }
}

/// The system's `write`, which the method of that name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
