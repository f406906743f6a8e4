/// A resource whose fields can be named by key paths.
///
/// ```swift
/// struct Photo: PatchableResource {
///     static let resourceType = "photo"
///     static var fieldNames: [PartialKeyPath<Photo>: String] { [\.name: "name", \.rating: "rating"] }
///     var id: String
///     var name: String
///     var rating: Int?
/// }
/// ```
///
/// Swift reveals the name of a key path on some platforms only, so the type has to list the names.
public protocol PatchableResource: Resource {
    /// The names on the wire, by key path, whatever the ``Resource/conventions``: `taken_at` for `takenAt` in snake
    /// case. Key paths that are not listed cannot be patched.
    static var fieldNames: [PartialKeyPath<Self>: String] { get }
}
