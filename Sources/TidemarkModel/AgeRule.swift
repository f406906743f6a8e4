/// The rule of a policy for the age of a type or a field; without a directive there is no rule.
package enum AgeRule: Hashable, Sendable {
    /// Stale at this age in seconds, from 0 to 2^31-1; 0 is always stale.
    case seconds(Int)
    /// The age limit of the object from which the value was reached.
    case inherited
}
