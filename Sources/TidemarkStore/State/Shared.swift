/// An immutable value of many fields, as one stored property of its owner. Copies of the owner share it.
///
/// The compiler tracks every field of a noncopyable value through each of its functions. With the fields of the
/// configuration behind a reference, this module compiles in two thirds of the time.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
