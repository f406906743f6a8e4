/// A small number that identifies one kind of thing; numbers of different kinds cannot be mixed up.
///
/// It costs no more than its raw value, because every function here is inlined, also in other modules.
@usableFromInline
package protocol TypedIndex: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The integer that stores the number.
    associatedtype RawValue: FixedWidthInteger & UnsignedInteger & Sendable & _ExpressibleByBuiltinIntegerLiteral

    /// The number as a plain integer.
    var rawValue: RawValue { get }

    /// Creates the number with a raw value.
    init(rawValue: RawValue)
}

extension TypedIndex {
    /// Creates the number from an integer.
    ///
    /// - Precondition: `RawValue` can represent the integer.
    @inlinable
    package init(_ index: Int) { self.init(rawValue: RawValue(index)) }

    /// Creates the number from a stored integer; nil if `RawValue` cannot represent it.
    @inlinable
    package init?(exactly index: Int64) {
        guard let rawValue = RawValue(exactly: index) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// Creates the number from decimal digits; nil for any other text.
    package init?(_ text: some StringProtocol) {
        guard let rawValue = RawValue(text) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The number that follows this one.
    ///
    /// - Precondition: `RawValue` can represent it.
    package var successor: Self { Self(rawValue: rawValue + 1) }

    /// Creates the number from a literal.
    @inlinable
    package init(integerLiteral value: RawValue) { self.init(rawValue: value) }

    /// The raw value in decimal digits.
    @inlinable
    package var description: String { rawValue.description }

    /// Orders numbers by their raw values.
    @inlinable
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Int {
    /// Converts a typed index to an integer.
    @inlinable
    package init(_ index: some TypedIndex) { self.init(index.rawValue) }
}

extension Int64 {
    /// Converts a typed index to an integer.
    @inlinable
    package init(_ index: some TypedIndex) { self.init(index.rawValue) }
}

extension UInt64 {
    /// Converts a typed index to an integer.
    @inlinable
    package init(_ index: some TypedIndex) { self.init(index.rawValue) }
}
