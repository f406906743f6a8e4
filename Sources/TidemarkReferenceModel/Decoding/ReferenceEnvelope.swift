/// The fields around an event, read from an object that may carry them flat, in `envelope`, or in both.
///
/// - Source: Protocol/events.md, "Envelope fields".
package struct ReferenceEnvelope {
    private let object: ReferenceJSON
    private let inner: ReferenceJSON?

    package init(_ object: ReferenceJSON) {
        self.object = object
        inner = object.presentMember("envelope")
    }

    /// Returns a field: the one in `envelope` has precedence over the flat one, null counts as absent.
    package func field(_ name: String) -> ReferenceJSON? {
        inner?.presentMember(name) ?? object.presentMember(name)
    }

    /// Whether `name` is in either place, null included.
    package func mentions(_ name: String) -> Bool {
        inner?.member(name) != nil || object.member(name) != nil
    }

    /// The first fault of the fields, in the order of Protocol/framing.md.
    package func firstFault(idByteCountMax: Int) -> ReferenceReason? {
        if let inner, inner.members == nil { return .badShape }
        for name in ["library_id", "epoch", "mutation_id"] {
            guard let value = field(name) else { continue }
            guard let text = value.text else { return .badShape }
            if name != "library_id" && text.count > idByteCountMax { return .badShape }
        }
        for name in ["sequence", "prev", "as_of"] {
            if let value = field(name), Self.sequence(from: value) == nil { return .badSequence }
        }
        if field("prev") != nil {
            guard let prev = validPrevious, let sequence, prev < sequence else { return .badSequence }
        }
        return nil
    }

    /// Whether the library id is a string that is too long.
    package func hasLongLibrary(idByteCountMax: Int) -> Bool {
        guard let text = field("library_id")?.text else { return false }
        return text.count > idByteCountMax
    }

    /// The sequence; nil when absent or not valid.
    package var sequence: Int64? { field("sequence").flatMap(Self.sequence) }

    /// The `prev`; nil when absent or not valid beside ``sequence``.
    package var validPrevious: Int64? {
        guard let prev = field("prev").flatMap(Self.sequence), let sequence, prev < sequence else { return nil }
        return prev
    }

    /// The epoch; nil when absent, empty or not valid.
    package func epoch(idByteCountMax: Int) -> [UInt8]? {
        guard let text = field("epoch")?.text, !text.isEmpty, text.count <= idByteCountMax, ReferenceUTF8.isValid(text)
        else { return nil }
        return text
    }

    /// The library that the fields name.
    ///
    /// - Parameter default: The library of an event that names none; nil when the field may only be unreadable.
    /// - Returns: nil when the library cannot be read.
    package func library(default defaultLibrary: [UInt8]?, idByteCountMax: Int) -> [UInt8]? {
        guard let value = field("library_id") else { return defaultLibrary }
        // A broken line may have any value here.
        guard let text = value.text, text.count <= idByteCountMax, ReferenceUTF8.isValid(text) else { return nil }
        return text
    }

    /// A sequence number: an integer from 0 to 2^63-1, written with digits alone.
    package static func sequence(from value: ReferenceJSON) -> Int64? {
        guard let digits = value.integerText, digits.first != UInt8(ascii: "-") else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
