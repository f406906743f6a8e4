import TidemarkJSON
import TidemarkModel

/// The reason and the place of a record, in words.
extension QuarantineRecord {
    /// The reason in words, with the place where that is known: one sentence without a full stop.
    ///
    /// - Source: Protocol/errors.md, reasons.
    package var message: String {
        switch reason {
        case .notJSON: syntaxError.map { "not JSON at byte \($0.byteOffset): \($0.message)" } ?? "not JSON"
        case .invalidUTF8: "bytes that are not UTF-8"
        case .tooLong: "longer than a line may be"
        case .tooDeep: "more objects and arrays are open at once than allowed"
        case .missingID: "no id, or a value that is not an id"
        case .badType:
            "a resource type that is missing, holds other characters than letters, digits and _ . -, "
                + "or would be one too many"
        case .badSequence: "a sequence that is not a whole number from 0 to 2^63-1, or a prev not below its sequence"
        case .badShape: "JSON, but not a form of an event"
        case .batchTooLarge: "more members than a batch may have"
        case .idTooLong: "an id or library id past the limit"
        case .tooManyLibraries: "the event would open one library too many"
        case .tooLarge: "the entity would be larger than it may be"
        }
    }

    /// The range of ``bytes`` that is wrong; nil when the reason has no place in them, or when that part was not kept.
    ///
    /// - Complexity: O(bytes).
    package var place: Range<Int>? {
        switch reason {
        case .notJSON:
            guard let offset = syntaxError?.byteOffset else { return nil }
            return offset..<min(offset + 1, bytes.count)
        case .invalidUTF8: return invalidPlace
        case .badSequence: return value(of: ["sequence", "prev"])
        case .badType: return value(of: ["resource_type"])
        case .missingID, .idTooLong: return value(of: ["id", "resource_id", "library_id"])
        case .batchTooLarge: return value(of: ["resources"])
        case .tooLong, .tooDeep, .badShape, .tooManyLibraries, .tooLarge: return nil
        }
    }

    private var syntaxError: JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            _ = try JSONValue(parsing: bytes)
            return nil
        } catch {
            // A line that was kept only in part ends early, whatever is wrong with it.
            return isComplete || error.byteOffset < bytes.count ? error : nil
        }
    }

    private var invalidPlace: Range<Int>? {
        var decoder = UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .error(let length): return offset..<min(bytes.count, offset + max(1, length))
            case .emptyInput: return nil
            }
        }
    }

    /// Returns the place of the first value under one of the names, at any depth.
    private func value(of names: [String]) -> Range<Int>? {
        var first: Range<Int>?
        for name in names {
            let quoted = Array("\"\(name)\"".utf8)
            guard let found = bytes.firstRange(of: quoted), first.map({ found.lowerBound < $0.lowerBound }) ?? true
            else { continue }
            var start = found.upperBound
            func skipSpace() {
                while start < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start]) { start += 1 }
            }
            skipSpace()
            guard start < bytes.count, bytes[start] == UInt8(ascii: ":") else { continue }
            start += 1
            skipSpace()
            guard start < bytes.count else { continue }
            first = start..<valueEnd(from: start)
        }
        return first
    }

    /// Returns the end of the value at an offset: the closing quote of a string, or the next comma or bracket.
    private func valueEnd(from start: Int) -> Int {
        guard bytes[start] == UInt8(ascii: "\"") else {
            let ends: Set<UInt8> = [0x2C, 0x5D, 0x7D]
            return bytes[start...].dropFirst().firstIndex { ends.contains($0) } ?? bytes.count
        }
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(bytes.count, index + 1)
    }
}
