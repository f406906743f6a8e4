import TidemarkStore

/// The single pass over a text that makes a ``JSONOutline``.
struct JSONOutlineScan {
    private(set) var entries: [JSONOutline.Entry] = []
    private(set) var tables: [Int: [[UInt8]: Int]] = [:]

    private var position = 0
    /// The number of open containers; at most ``JSONOutline/nestingDepthMax``, which bounds the recursion.
    private var depth = 0

    /// - Parameter entryCount: An estimate of the number of entries, for reserving memory.
    init(entryCount: Int) {
        entries.reserveCapacity(entryCount)
    }

    /// Scans a text, with or without a byte order mark.
    ///
    /// - Returns: Whether the text is one JSON value. Strings are not checked to be UTF-8.
    mutating func whole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        guard value(bytes) else { return false }
        skipWhiteSpace(bytes)
        guard position == bytes.count else { return false }
        _ = add(.null, position..<position)
        return true
    }

    private mutating func value(_ bytes: UnsafeRawBufferPointer) -> Bool {
        skipWhiteSpace(bytes)
        switch byte(bytes) {
        case UInt8(ascii: "\""): return string(bytes, .string)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number(bytes)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < JSONOutline.nestingDepthMax else { return false }
            depth += 1
            defer { depth -= 1 }
            return byte(bytes) == UInt8(ascii: "{") ? object(bytes) : array(bytes)
        case UInt8(ascii: "t"): return word(bytes, "true", .true)
        case UInt8(ascii: "f"): return word(bytes, "false", .false)
        case UInt8(ascii: "n"): return word(bytes, "null", .null)
        default: return false
        }
    }

    private mutating func array(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let array = add(.array, position..<position)
        var elementCount = 0
        position += 1
        skipWhiteSpace(bytes)
        if !take(bytes, UInt8(ascii: "]")) {
            repeat {
                guard value(bytes) else { return false }
                elementCount += 1
                skipWhiteSpace(bytes)
            } while take(bytes, UInt8(ascii: ","))
            guard take(bytes, UInt8(ascii: "]")) else { return false }
        }
        close(array, elementCount)
        return true
    }

    private mutating func object(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let object = add(.object, position..<position)
        var memberCount = 0
        // One bit for each name, from its fingerprint: a name whose bit is new need not be compared with the names
        // before it.
        var seen: UInt64 = 0
        position += 1
        skipWhiteSpace(bytes)
        if !take(bytes, UInt8(ascii: "}")) {
            repeat {
                skipWhiteSpace(bytes)
                let name = entries.count
                guard byte(bytes) == UInt8(ascii: "\""), string(bytes, .name) else { return false }
                skipWhiteSpace(bytes)
                guard take(bytes, UInt8(ascii: ":")) else { return false }
                let bit: UInt64 = 1 << (UInt64(entries[name].count &* 0x9E37_79B1) >> 26)
                if seen & bit != 0, memberCount < JSONOutline.tableMemberCountMin {
                    supersede(bytes, before: name, in: object)
                }
                seen |= bit
                guard value(bytes) else { return false }
                memberCount += 1
                skipWhiteSpace(bytes)
            } while take(bytes, UInt8(ascii: ","))
            guard take(bytes, UInt8(ascii: "}")) else { return false }
        }
        close(object, memberCount)
        entries[object].hint = UInt32(object + 1)
        if memberCount > JSONOutline.tableMemberCountMin { makeTable(bytes, of: object) }
        return true
    }

    private mutating func close(_ container: Int, _ partCount: Int) {
        entries[container].end = UInt32(position)
        entries[container].next = UInt32(entries.count)
        entries[container].count = UInt32(partCount)
    }

    // MARK: Repeated names

    private mutating func supersede(_ bytes: UnsafeRawBufferPointer, before name: Int, in object: Int) {
        var at = object + 1
        while at < name {
            if entries[at].count == entries[name].count, haveOneName(bytes, at, name) {
                entries[at].isSuperseded = true
            }
            at = Int(entries[at + 1].next)
        }
    }

    private func haveOneName(_ bytes: UnsafeRawBufferPointer, _ left: Int, _ right: Int) -> Bool {
        if entries[left].isEscaped || entries[right].isEscaped {
            return JSONEscapes.unescaped(text(bytes, left)).bytes == JSONEscapes.unescaped(text(bytes, right)).bytes
        }
        return JSONText.haveEqualBytes(text(bytes, left), text(bytes, right))
    }

    private mutating func makeTable(_ bytes: UnsafeRawBufferPointer, of object: Int) {
        var table: [[UInt8]: Int] = [:]
        table.reserveCapacity(Int(entries[object].count))
        var at = object + 1
        while at < entries.count {
            let before = table.updateValue(at + 1, forKey: JSONEscapes.unescaped(text(bytes, at)).bytes)
            if let before { entries[before - 1].isSuperseded = true }
            at = Int(entries[at + 1].next)
        }
        tables[object] = table
    }

    private func text(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Int(entries[index].start)..<Int(entries[index].end)])
    }

    // MARK: Strings, numbers, words

    private mutating func string(_ bytes: UnsafeRawBufferPointer, _ kind: JSONOutline.Kind) -> Bool {
        let start = position + 1
        var at = start
        var isEscaped = false
        var bits: UInt64 = 0
        while true {
            JSONOutlineScan.skipPlain(bytes, &at, &bits)
            guard at < bytes.count else { return false }
            if bytes[at] == UInt8(ascii: "\"") { break }
            guard bytes[at] == UInt8(ascii: "\\"), let escape = JSONEscapes.byteCount(bytes, at: at) else {
                return false
            }
            isEscaped = true
            at += escape
        }
        position = at + 1
        let index = add(kind, start..<at)
        entries[index].isEscaped = isEscaped
        entries[index].isASCII = bits & 0x8080_8080_8080_8080 == 0
        if kind == .name {
            let written = UnsafeRawBufferPointer(rebasing: bytes[start..<at])
            entries[index].count =
                isEscaped
                ? JSONEscapes.unescaped(written).bytes.withUnsafeBytes { JSONOutline.fingerprint($0) }
                : JSONOutline.fingerprint(written)
        }
        return true
    }

    /// Skips bytes that are neither a quote, nor a backslash, nor a control character; eight bytes are tested together.
    ///
    /// - Parameter bits: Collects every bit that is set in a skipped byte, and perhaps bits of some bytes after them.
    @inline(__always)
    private static func skipPlain(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, _ bits: inout UInt64) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while at + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
            let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
            // The lowest high bit that is set marks the first byte found; the bits above it may be wrong.
            let found =
                ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word)
                & ones << 7
            bits |= word
            if found != 0 {
                at += found.trailingZeroBitCount / 8
                return
            }
            at += 8
        }
        while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\"), bytes[at] >= 0x20 {
            bits |= UInt64(bytes[at])
            at += 1
        }
    }

    private mutating func number(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let start = position
        var isInteger = true
        _ = take(bytes, UInt8(ascii: "-"))
        if !take(bytes, UInt8(ascii: "0")), !digits(bytes) { return false }
        if take(bytes, UInt8(ascii: ".")) {
            isInteger = false
            guard digits(bytes) else { return false }
        }
        if byte(bytes) | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if !take(bytes, UInt8(ascii: "+")) { _ = take(bytes, UInt8(ascii: "-")) }
            guard digits(bytes) else { return false }
        }
        let index = add(.number, start..<position)
        entries[index].isInteger = isInteger
        return true
    }

    private mutating func digits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position > start
    }

    private mutating func word(_ bytes: UnsafeRawBufferPointer, _ word: StaticString, _ kind: JSONOutline.Kind) -> Bool
    {
        let start = position
        for offset in 0..<word.utf8CodeUnitCount {
            guard take(bytes, word.utf8Start[offset]) else { return false }
        }
        _ = add(kind, start..<position)
        return true
    }

    // MARK: Steps

    /// The byte at the position; 0 at the end, a byte that JSON never contains outside of strings.
    @inline(__always) private func byte(_ bytes: UnsafeRawBufferPointer) -> UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    @inline(__always) private mutating func take(_ bytes: UnsafeRawBufferPointer, _ wanted: UInt8) -> Bool {
        guard byte(bytes) == wanted else { return false }
        position += 1
        return true
    }

    @inline(__always) private mutating func skipWhiteSpace(_ bytes: UnsafeRawBufferPointer) {
        while position < bytes.count, bytes[position] <= 0x20 {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// - Returns: The index of the new entry. The entry of a container is completed by `close`.
    @inline(__always) private mutating func add(_ kind: JSONOutline.Kind, _ range: Range<Int>) -> Int {
        let index = entries.count
        entries.append(
            JSONOutline.Entry(
                kind: kind, start: UInt32(range.lowerBound), end: UInt32(range.upperBound), next: UInt32(index + 1)))
        return index
    }
}

extension JSONOutline {
    /// The length of an unescaped name and three of its bytes. Names with different fingerprints are different.
    static func fingerprint(_ name: UnsafeRawBufferPointer) -> UInt32 {
        guard !name.isEmpty else { return 0 }
        let parts = UInt32(name[0]) << 8 | UInt32(name[name.count / 2]) << 16 | UInt32(name[name.count - 1]) << 24
        return parts | UInt32(truncatingIfNeeded: name.count) & 0xFF
    }
}
