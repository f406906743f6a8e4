/// What a policy says of the age of a type or a field; where it says nothing there is no rule.
package enum AgeRule: Hashable, Sendable {
    /// Stale at this age; 0 is always stale. From 0 to 2^31-1.
    case seconds(Int)
    /// As old as what it was reached from may be.
    case inherited
}
