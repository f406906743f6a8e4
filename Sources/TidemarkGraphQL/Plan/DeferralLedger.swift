/// Records which deferred fragments lack a field while a response is walked from its root.
///
/// A fragment is pending if anything that only it selects is missing, however deep below its object: a field that is
/// also selected outside may hold members that only the fragment selects. So a missing field is recorded where it is
/// found, and evaluated when the object of the fragment ends. All fields of a pending fragment are left out, even those
/// that were walked before. That takes a second walk, which uses the findings of the first.
///
/// - Source: Protocol/graphql.md, reading.
struct DeferralLedger {
    /// The fragments to leave out, by the path of their object. Bounded by the objects of one response.
    private let hidden: [ResponsePath: Set<Int>]
    /// The fragments to leave out in the objects that are open.
    private var openHidden: Set<Int> = []
    /// The fragments of open objects that lack a field.
    private var missing: Set<Int> = []
    /// The fragments that lack a field, by the path of their object. A second walk leaves them out.
    private(set) var found: [ResponsePath: Set<Int>] = [:]

    init(hiding hidden: [ResponsePath: Set<Int>] = [:]) { self.hidden = hidden }

    /// Enters an object that has deferred fragments.
    mutating func begin(at path: ResponsePath) {
        if let own = hidden[path] { openHidden.formUnion(own) }
    }

    /// True if a field is left out, because all fragments that select it are.
    func hides(_ field: CollectedField) -> Bool {
        !openHidden.isEmpty && !field.deferrals.isEmpty && field.deferrals.allSatisfy { openHidden.contains($0) }
    }

    /// Records a missing field that only deferred fragments select.
    mutating func note(missing field: CollectedField) { missing.formUnion(field.deferrals) }

    /// Leaves an object.
    ///
    /// - Returns: The fragments of the object that are pending.
    mutating func end(_ fragments: [Int], at path: ResponsePath) -> Set<Int> {
        guard !fragments.isEmpty, !missing.isEmpty || !openHidden.isEmpty else { return [] }
        let pending = missing.union(openHidden).intersection(fragments)
        abandon(fragments)
        if !pending.isEmpty { found[path] = pending }
        return pending
    }

    /// Leaves an object that is not shown, so that its state does not affect other objects at its level.
    mutating func abandon(_ fragments: [Int]) {
        missing.subtract(fragments)
        openHidden.subtract(fragments)
    }
}
