import ArgumentParser
import TidemarkModel

/// An entity as the user writes it, `type:id`; the library comes from another option.
struct EntityName: ExpressibleByArgument {
    let text: ByteString

    init?(argument: String) {
        text = ByteString(argument)
        guard EntityKey(text: text) != nil else { return nil }
    }

    /// Returns the key of the entity in a library.
    func key(library: ByteString) -> EntityKey {
        guard let key = EntityKey(text: text, library: library) else {
            preconditionFailure("\(text) was a key when it was parsed")
        }
        return key
    }
}
