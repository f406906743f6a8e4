/// A position in JSON text, from which values are read one after another without an intermediate form.
///
/// A reader is valid only during the call that created it. Every read checks the end of the bytes, so invalid JSON
/// leads to an error and to nothing else.
public struct ValueReader {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    /// The offset of the next byte.
    @usableFromInline var offset: Int
    @usableFromInline let context: Unmanaged<ReadingContext>

    init(_ bytes: UnsafeRawBufferPointer, _ context: ReadingContext) {
        self.bytes = bytes
        offset = 0
        self.context = Unmanaged.passUnretained(context)
    }

    /// Reads a complete text as one value.
    @usableFromInline
    static func read<Value: SelectionValue>(
        _ bytes: [UInt8], failures: [DeferredFailure]
    ) throws(SelectionError) -> Value {
        let context = ReadingContext(failures)
        return try bytes.withUnsafeBufferPointer { (buffer) throws(SelectionError) in
            var reader = ValueReader(UnsafeRawBufferPointer(buffer), context)
            do throws(SelectionError) {
                let value: Value = try reader.rest()
                // The context is referenced without reference counting, so it must live until here.
                return withExtendedLifetime(context) { value }
            } catch {
                throw withExtendedLifetime(context) { reader.located(error) }
            }
        }
    }

    private mutating func rest<Value: SelectionValue>() throws(SelectionError) -> Value {
        skipSpace()
        let value = try Value(reading: &self)
        skipSpace()
        guard offset == bytes.count else { throw malformed("the end of the data") }
        return value
    }

    /// Returns the error with the path of its position.
    private func located(_ error: SelectionError) -> SelectionError {
        var error = error
        error.path = PathFinder.path(to: error.offset, in: bytes)
        return error
    }

    // MARK: Tokens

    /// The byte at the offset; 0 at the end, which begins no token.
    @inlinable
    var current: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    @inlinable
    mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    @inlinable
    mutating func consume(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    @inlinable
    mutating func consume(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - offset >= count else { return false }
        for index in 0..<count where bytes[offset + index] != word.utf8Start[index] { return false }
        offset += count
        return true
    }

    @usableFromInline
    func malformed(_ expected: String) -> SelectionError {
        SelectionError(.malformed, expected: expected, offset: offset)
    }

    /// Returns the error for a value of the wrong kind at the current position.
    ///
    /// - Parameter expected: The type that was expected, for the message.
    public func wrongKind(_ expected: String) -> SelectionError {
        SelectionError(.wrongKind, expected: expected, offset: offset)
    }

    // MARK: Values

    /// Reads `null`, if it is the next value.
    ///
    /// - Returns: False if there is another value, which is not consumed.
    /// - Throws: ``SelectionError`` `malformed` if the value begins like `null` and is not.
    @inlinable
    public mutating func null() throws(SelectionError) -> Bool {
        guard current == UInt8(ascii: "n") else { return false }
        guard consume("null") else { throw malformed("null") }
        return true
    }

    /// Reads `true` or `false`.
    ///
    /// - Throws: ``SelectionError`` `wrongKind` for another value.
    @inlinable
    public mutating func boolean() throws(SelectionError) -> Bool {
        if consume("true") { return true }
        if consume("false") { return false }
        throw wrongKind("Bool")
    }

    /// Consumes the opening bracket of a list.
    ///
    /// - Returns: True if there is an element.
    @inlinable
    mutating func openList() throws(SelectionError) -> Bool {
        guard consume(UInt8(ascii: "[")) else { throw wrongKind("list") }
        skipSpace()
        return !consume(UInt8(ascii: "]"))
    }

    /// Moves to the next element of a list, or past its end.
    ///
    /// - Returns: True if there is another element.
    @inlinable
    mutating func nextElement() throws(SelectionError) -> Bool {
        skipSpace()
        if consume(UInt8(ascii: ",")) {
            skipSpace()
            return true
        }
        guard consume(UInt8(ascii: "]")) else { throw malformed("a comma or the end of a list") }
        return false
    }

    /// Returns the JSON text of the next value, whatever its kind.
    ///
    /// - Throws: ``SelectionError`` `malformed` for invalid JSON.
    public mutating func text() throws(SelectionError) -> [UInt8] {
        let start = offset
        try skipValue()
        return Array(bytes[start..<offset])
    }
}

/// The state shared by all readers of one text.
@usableFromInline
final class ReadingContext: Sendable {
    let failures: [DeferredFailure]

    init(_ failures: [DeferredFailure]) {
        self.failures = failures
    }
}
