/// The fields around an event, which an object may have flat, in `envelope`, or in both.
///
/// - Source: Protocol/events.md, "Envelope fields".
package struct ReferenceEnvelope {
    private let object: ReferenceJSON
    private let inner: ReferenceJSON?

    /// Reads the fields of an object.
    package init(_ object: ReferenceJSON) {
        self.object = object
        inner = object.presentMember("envelope")
    }

    /// Returns a field; one in `envelope` precedes a flat one, and null counts as absent.
    package func field(_ name: String) -> ReferenceJSON? {
        inner?.presentMember(name) ?? object.presentMember(name)
    }

    /// Returns true if `name` occurs in either place, even as null.
    package func mentions(_ name: String) -> Bool {
        inner?.member(name) != nil || object.member(name) != nil
    }

    /// Returns the first fault of the fields, in the order of Protocol/framing.md; nil if there is none.
    package func firstFault(idByteCountMax: Int) -> ReferenceReason? {
        if let inner, inner.members == nil { return .badShape }
        for name in ["library_id", "epoch", "mutation_id"] {
            guard let value = field(name) else { continue }
            guard let text = value.text else { return .badShape }
            if name != "library_id" && text.count > idByteCountMax { return .badShape }
        }
        if let more = field("more"), more != .bool(true), more != .bool(false) { return .badShape }
        for name in ["sequence", "prev", "as_of"] {
            if let value = field(name), Self.sequence(from: value) == nil { return .badSequence }
        }
        if field("prev") != nil {
            guard let prev = validPrevious, let sequence, prev < sequence else { return .badSequence }
        }
        if hasMore, field("sequence") == nil { return .badSequence }
        return nil
    }

    /// True if the unit goes on in the next line.
    package var hasMore: Bool { field("more") == .bool(true) }

    /// Returns true if the library id is a string that is too long.
    package func hasLongLibrary(idByteCountMax: Int) -> Bool {
        guard let text = field("library_id")?.text else { return false }
        return text.count > idByteCountMax
    }

    /// The sequence; nil if absent or invalid.
    package var sequence: Int64? { field("sequence").flatMap(Self.sequence) }

    /// The `prev`; nil if it is absent, or not less than ``sequence``.
    package var validPrevious: Int64? {
        guard let prev = field("prev").flatMap(Self.sequence), let sequence, prev < sequence else { return nil }
        return prev
    }

    /// Returns the epoch; nil if absent, empty or invalid.
    package func epoch(idByteCountMax: Int) -> [UInt8]? {
        guard let text = field("epoch")?.text, !text.isEmpty, text.count <= idByteCountMax, ReferenceUTF8.isValid(text)
        else { return nil }
        return text
    }

    /// Returns the library that the fields name.
    ///
    /// - Parameter default: The library of an event that names none; nil if the field may merely be unreadable.
    /// - Returns: nil if the library cannot be read.
    package func library(default defaultLibrary: [UInt8]?, idByteCountMax: Int) -> [UInt8]? {
        guard let value = field("library_id") else { return defaultLibrary }
        // On a broken line the field may have any value.
        guard let text = value.text, text.count <= idByteCountMax, ReferenceUTF8.isValid(text) else { return nil }
        return text
    }

    /// Parses a sequence: an integer from 0 to 2^63-1, written with digits alone. nil for anything else.
    package static func sequence(from value: ReferenceJSON) -> Int64? {
        guard let digits = value.integerText, digits.first != UInt8(ascii: "-") else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
