/// A small number that stands for one kind of thing. Numbers of two kinds cannot be exchanged.
///
/// The number costs what its raw value costs: every function here is inlined, in other modules too.
@usableFromInline
package protocol TypedIndex: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    associatedtype RawValue: FixedWidthInteger & UnsignedInteger & Sendable & _ExpressibleByBuiltinIntegerLiteral

    var rawValue: RawValue { get }

    init(rawValue: RawValue)
}

extension TypedIndex {
    /// - Precondition: The raw value can hold the number.
    @inlinable
    package init(_ index: Int) { self.init(rawValue: RawValue(index)) }

    /// Returns the number for a stored integer; nil when the raw value cannot hold it.
    @inlinable
    package init?(exactly index: Int64) {
        guard let rawValue = RawValue(exactly: index) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// Returns the number that a text of digits spells; nil for any other text.
    package init?(_ text: some StringProtocol) {
        guard let rawValue = RawValue(text) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The next number.
    ///
    /// - Precondition: The raw value can hold it.
    package var successor: Self { Self(rawValue: rawValue + 1) }

    @inlinable
    package init(integerLiteral value: RawValue) { self.init(rawValue: value) }

    @inlinable
    package var description: String { rawValue.description }

    @inlinable
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Int {
    @inlinable
    package init(_ index: some TypedIndex) { self.init(index.rawValue) }
}

extension Int64 {
    @inlinable
    package init(_ index: some TypedIndex) { self.init(index.rawValue) }
}

extension UInt64 {
    @inlinable
    package init(_ index: some TypedIndex) { self.init(index.rawValue) }
}
