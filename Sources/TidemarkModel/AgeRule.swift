/// A policy's rule for the age of a type or a field.
package enum AgeRule: Hashable, Sendable {
    /// The value is stale at this age, 0 … 2^31-1 seconds; 0 is always stale.
    case seconds(Int)
    /// The value has the age limit of the object from which it was reached.
    case inherited
}
