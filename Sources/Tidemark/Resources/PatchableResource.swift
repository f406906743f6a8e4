/// A resource whose fields can be named by key paths.
///
/// ```swift
/// extension Photo: PatchableResource {
///     static var fieldNames: [PartialKeyPath<Photo>: String] { [\.name: "name", \.rating: "rating"] }
/// }
/// ```
///
/// A key path has no name that a program could read on every platform, so the type gives it.
public protocol PatchableResource: Resource {
    /// Names on the wire, whatever the ``Resource/conventions``: `taken_at` for `takenAt` in snake case. Key paths that are left out cannot be patched.
    static var fieldNames: [PartialKeyPath<Self>: String] { get }
}
