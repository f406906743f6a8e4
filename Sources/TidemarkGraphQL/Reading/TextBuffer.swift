/// A growing buffer for the text that a read writes.
///
/// It is not an array, because a read appends three pieces for each field, and every append to an array checks whether
/// its storage is shared. The memory is freed with the buffer. Bounded by the data of one read.
struct TextBuffer: ~Copyable {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    private static let capacityMin = 512

    init() {
        capacity = TextBuffer.capacityMin
        start = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit { start.deallocate() }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if count == capacity { grow(by: 1) }
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        if capacity - count < bytes.count { grow(by: bytes.count) }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Removes everything from an offset on.
    mutating func truncate(to count: Int) {
        precondition(count <= self.count, "a text of \(self.count) bytes cannot end at \(count)")
        self.count = count
    }

    /// Returns a copy of some bytes.
    func bytes(in range: Range<Int>) -> [UInt8] {
        precondition(range.upperBound <= count, "a text of \(count) bytes has no bytes \(range)")
        return Array(UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
    }

    /// - Complexity: O(bytes), amortized.
    @inline(never)
    private mutating func grow(by byteCount: Int) {
        capacity = max(capacity * 2, count + byteCount)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        grown.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = grown
    }
}
