import ArgumentParser
import TidemarkModel

/// An entity as a user writes it, `type:id`; another option names the library.
struct EntityName: ExpressibleByArgument {
    let text: ByteString

    init?(argument: String) {
        text = ByteString(argument)
        guard EntityKey(text: text) != nil else { return nil }
    }

    /// - Returns: The key within `library`.
    func key(library: ByteString) -> EntityKey {
        guard let key = EntityKey(text: text, library: library) else {
            preconditionFailure("\(text) was a key when it was parsed")
        }
        return key
    }
}
