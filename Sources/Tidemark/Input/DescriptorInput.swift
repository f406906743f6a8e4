import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An input over a file descriptor, which the caller closes.
package final class DescriptorInput: LineInput {
    private let descriptor: Int32
    /// The read end of a pipe. A byte in the pipe means that reading is over.
    private let stopReader: Int32
    /// The write end of that pipe.
    private let stopWriter: Int32
    private let isStopped = Atomic(false)

    /// Makes an input over a descriptor that is open for reading.
    ///
    /// - Throws: ``InputError`` when the process has no free descriptor.
    package init(_ descriptor: Int32) throws(InputError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw InputError("cannot make a pipe: \(String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
        stopReader = ends[0]
        stopWriter = ends[1]
    }

    deinit {
        close(stopReader)
        close(stopWriter)
    }

    /// Returns when there are bytes to read, at the end, or once ``stop()`` was called.
    package func waitForBytes() throws(InputError) {
        while !isStopped.load(ordering: .acquiring) {
            var sources = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopReader, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&sources, 2, -1) >= 0 { return }
            guard errno == EINTR else {
                throw InputError("cannot wait for the input: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Reads the next bytes; waits until there are some.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        while true {
            try waitForBytes()
            if isStopped.load(ordering: .acquiring) { return 0 }
            let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno == EINTR || errno == EAGAIN { continue }
            throw InputError("cannot read the input: \(String(cString: strerror(errno)))")
        }
    }

    /// Returns true if a read would not wait.
    package func hasUnread() -> Bool {
        guard !isStopped.load(ordering: .acquiring) else { return false }
        var sources = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        // The end of the input counts as unread too: no gap may expire before it was read.
        return poll(&sources, 1, 0) > 0
    }

    /// True once ``stop()`` was called.
    package var wasStopped: Bool { isStopped.load(ordering: .acquiring) }

    /// True if the descriptor is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Ends the reading. May be called from any thread, and any number of times.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 0
        _ = write(stopWriter, &byte, 1)
    }
}

/// Calls the system's `read`, which the method of that name hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
