import Synchronization

/// Bytes that can be taken once.
final class SingleUseBytes: Sendable {
    private let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    /// Returns the bytes at the first call; nil at later calls, or if there are none.
    func take() -> [UInt8]? {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes.isEmpty ? nil : bytes
        }
    }
}
