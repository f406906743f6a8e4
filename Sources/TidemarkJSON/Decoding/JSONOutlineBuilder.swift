/// Builds the entries of a ``JSONOutline`` from the tokens of a scan.
struct JSONOutlineBuilder: JSONReceiver {
    /// An open object or array.
    struct Container {
        /// The index of its entry.
        let index: Int
        var partCount = 0
        /// One bit for the fingerprint of each name. A name whose bit is new need not be compared with earlier names.
        var seen: UInt64 = 0
    }

    /// Strings are not checked here: the decoder reads them as bytes, and checks those that it returns.
    static let requiresUTF8 = false

    private(set) var entries: [JSONOutline.Entry] = []
    private(set) var tables: [Int: [[UInt8]: Int]] = [:]
    private let bytes: UnsafeRawBufferPointer

    /// - Parameter entryCount: An estimate of the number of entries, for reserving memory.
    init(_ bytes: UnsafeRawBufferPointer, entryCount: Int) {
        self.bytes = bytes
        entries.reserveCapacity(entryCount)
    }

    /// Ends the outline with a null, which decoders of missing members read.
    mutating func finish() { _ = add(.null, bytes.count..<bytes.count) }

    @inline(__always) mutating func open(isObject: Bool, at start: Int) -> Container {
        Container(index: add(isObject ? .object : .array, start..<start))
    }

    @inline(__always) mutating func name(_ name: JSONStringToken, in object: inout Container) {
        let index = add(.name, name)
        let written = UnsafeRawBufferPointer(rebasing: bytes[name.range])
        entries[index].count =
            name.isEscaped
            ? JSONEscapes.unescaped(written).bytes.withUnsafeBytes { JSONOutline.fingerprint($0) }
            : JSONOutline.fingerprint(written)
        let bit: UInt64 = 1 << (UInt64(entries[index].count &* 0x9E37_79B1) >> 26)
        if object.seen & bit != 0, object.partCount < JSONOutline.tableMemberCountMin {
            supersede(before: index, in: object.index)
        }
        object.seen |= bit
    }

    @inline(__always) func add(_ value: Void, to container: inout Container) { container.partCount += 1 }

    @inline(__always) mutating func close(_ container: consuming Container, at end: Int) {
        let index = container.index
        entries[index].end = UInt32(end)
        entries[index].next = UInt32(entries.count)
        entries[index].count = UInt32(container.partCount)
        guard entries[index].kind == .object else { return }
        entries[index].hint = UInt32(index + 1)
        if container.partCount > JSONOutline.tableMemberCountMin { makeTable(of: index) }
    }

    @inline(__always) mutating func string(_ string: JSONStringToken) { _ = add(.string, string) }

    @inline(__always) mutating func number(_ range: Range<Int>, isInteger: Bool) {
        let index = add(.number, range)
        entries[index].isInteger = isInteger
    }

    mutating func word(_ word: JSONWord, _ range: Range<Int>) {
        switch word {
        case .true: _ = add(.true, range)
        case .false: _ = add(.false, range)
        case .null: _ = add(.null, range)
        }
    }

    // MARK: Entries

    @inline(__always) private mutating func add(_ kind: JSONOutline.Kind, _ string: JSONStringToken) -> Int {
        let index = add(kind, string.range)
        entries[index].isEscaped = string.isEscaped
        entries[index].isASCII = string.isASCII
        return index
    }

    /// - Returns: The index of the new entry. The entry of a container is completed by `close`.
    @inline(__always) private mutating func add(_ kind: JSONOutline.Kind, _ range: Range<Int>) -> Int {
        let index = entries.count
        entries.append(
            JSONOutline.Entry(
                kind: kind, start: UInt32(range.lowerBound), end: UInt32(range.upperBound), next: UInt32(index + 1)))
        return index
    }

    // MARK: Repeated names

    private mutating func supersede(before name: Int, in object: Int) {
        var at = object + 1
        while at < name {
            if entries[at].count == entries[name].count, haveOneName(at, name) {
                entries[at].isSuperseded = true
            }
            at = Int(entries[at + 1].next)
        }
    }

    private func haveOneName(_ left: Int, _ right: Int) -> Bool {
        if entries[left].isEscaped || entries[right].isEscaped {
            return JSONEscapes.unescaped(text(left)).bytes == JSONEscapes.unescaped(text(right)).bytes
        }
        return JSONText.haveEqualBytes(text(left), text(right))
    }

    private mutating func makeTable(of object: Int) {
        var table: [[UInt8]: Int] = [:]
        table.reserveCapacity(Int(entries[object].count))
        var at = object + 1
        while at < entries.count {
            let before = table.updateValue(at + 1, forKey: JSONEscapes.unescaped(text(at)).bytes)
            if let before { entries[before - 1].isSuperseded = true }
            at = Int(entries[at + 1].next)
        }
        tables[object] = table
    }

    private func text(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Int(entries[index].start)..<Int(entries[index].end)])
    }
}

extension JSONOutline {
    /// Returns the length of an unescaped name and three of its bytes. Names with different fingerprints are different.
    static func fingerprint(_ name: UnsafeRawBufferPointer) -> UInt32 {
        guard !name.isEmpty else { return 0 }
        let parts = UInt32(name[0]) << 8 | UInt32(name[name.count / 2]) << 16 | UInt32(name[name.count - 1]) << 24
        return parts | UInt32(truncatingIfNeeded: name.count) & 0xFF
    }
}
