import TidemarkModel
import TidemarkJSON

extension PatchableResource {
    /// Returns the name on the wire of the field that a key path names.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` if ``fieldNames`` lacks the key path, or has a name that decoding
    ///   would never find.
    package static func fieldName(_ field: PartialKeyPath<Self>) throws(CacheError) -> String {
        guard let name = fieldNames[field] else {
            throw CacheError(
                .invalidParams, "\(Self.self) has no name for the key path \(field): add it to \(Self.self).fieldNames")
        }
        // Decoding would never find a field of this name; it would become a second field beside the intended one.
        if conventions.names == .snakeCase, SnakeCase.name(name) != name {
            throw CacheError(
                .invalidParams,
                "\(Self.self).fieldNames has \(name), but its server uses snake case: write \(SnakeCase.name(name))")
        }
        return name
    }
}
