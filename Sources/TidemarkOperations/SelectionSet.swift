import Tidemark

/// The fields of one object, as a document selects them.
///
/// Generated structures conform. Their properties can be changed, which is how local writes are made. Coding with
/// `Codable` gives the JSON of GraphQL.
public protocol SelectionSet: SelectionValue, Codable {
    /// The object types that an object of this selection can have; empty where any type is taken.
    static var typenames: [String] { get }

    /// Seconds after which a field is too old, by response name; a field without a limit is not listed.
    static var ages: [String: Int] { get }

    /// Reads the fields of an object.
    init(reading object: inout SelectionReader) throws(SelectionError)

    /// Writes the fields of the object.
    func write(to object: inout SelectionWriter)
}

extension SelectionSet {
    /// Reads `data` of an answer, or of a read of the cache.
    ///
    /// - Parameters:
    ///   - bytes: One JSON object in UTF-8, with or without white space.
    ///   - failures: Deferred fragments that failed; a missing fragment that is not among them is pending.
    /// - Throws: ``SelectionError`` at the first place that does not fit; a missing field has its path.
    /// - Complexity: O(bytes).
    @inlinable
    public init(data bytes: [UInt8], failures: [DeferredFailure] = []) throws(SelectionError) {
        self = try ValueReader.read(bytes, failures: failures)
    }

    /// Reads data from a JSON value.
    ///
    /// - Throws: ``SelectionError``, as for bytes.
    public init(data: JSONValue, failures: [DeferredFailure] = []) throws(SelectionError) {
        self = try ValueReader.read(data.bytes, failures: failures)
    }

    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) {
        var object = try SelectionReader(opening: value)
        self = try Self(reading: &object)
        value = try object.closed()
    }

    public var jsonValue: JSONValue {
        var writer = SelectionWriter()
        write(to: &writer)
        return writer.value
    }

    public init(from decoder: any Decoder) throws {
        try self.init(data: try JSONValue(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        try jsonValue.encode(to: encoder)
    }
}

extension SelectionSet {
    /// Seconds after which a field is too old, by response name: what the schema and the operation say. A field without
    /// a limit is not listed.
    public static var ages: [String: Int] { [:] }
}
