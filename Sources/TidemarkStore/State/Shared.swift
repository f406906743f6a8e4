/// A fixed value of many fields, as one stored property of its owner; copies of the owner share it.
///
/// The compiler follows every field of a noncopyable value through each of its functions, and needs a third of the time
/// for this module less when the fields of the configuration are behind a reference.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
