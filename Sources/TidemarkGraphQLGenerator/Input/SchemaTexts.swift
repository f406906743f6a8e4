import TidemarkGraphQLLanguage
import TidemarkModel

/// The descriptions and the order of enum values, which the schema for validation does not keep.
struct SchemaTexts {
    /// One value of an enum.
    struct EnumValue {
        var name: String
        var description: String?
    }

    /// The values of each enum in their original order, followed by those of extensions.
    private(set) var values: [ByteString: [EnumValue]] = [:]
    /// The descriptions of the fields of input types, by type and field.
    private(set) var inputs: [ByteString: [ByteString: String]] = [:]

    /// Collects the texts of a schema.
    ///
    /// - Complexity: O(document).
    init(_ document: Document) {
        for case .type(let type) in document.definitions {
            switch type.body {
            case .enumeration(let values):
                self.values[type.name.text, default: []] += values.map {
                    EnumValue(name: $0.name.text.description, description: $0.description?.text.description)
                }
            case .input(let fields):
                for field in fields {
                    inputs[type.name.text, default: [:]][field.name.text] = field.description?.text.description
                }
            case .scalar, .object, .interface, .union: break
            }
        }
    }
}
