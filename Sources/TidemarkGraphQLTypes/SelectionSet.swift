import TidemarkJSON

/// The fields of one object, as a document selects them.
///
/// Generated structures conform. Their properties can be changed in order to write data to the cache. `Codable` encodes
/// them as the JSON of GraphQL.
public protocol SelectionSet: SelectionValue, Codable {
    /// The object types that an object of this selection can have; empty if any type is accepted.
    static var typenames: [String] { get }

    /// How long fields stay fresh, in seconds, by response name. A field without a limit is not listed.
    static var ages: [String: Int] { get }

    /// Reads the fields of an object.
    ///
    /// - Throws: ``SelectionError`` at the first field that does not fit.
    init(reading object: inout SelectionReader) throws(SelectionError)

    /// Writes the fields of the object.
    func write(to object: inout SelectionWriter)
}

extension SelectionSet {
    /// Reads the `data` of a response or of a read of the cache.
    ///
    /// - Parameters:
    ///   - bytes: One JSON object in UTF-8, with or without white space.
    ///   - failures: The deferred fragments that failed. A missing fragment that is not among them is pending.
    /// - Throws: ``SelectionError``, with its path, at the first place that does not fit.
    /// - Complexity: O(bytes).
    @inlinable
    public init(data bytes: [UInt8], failures: [DeferredFailure] = []) throws(SelectionError) {
        self = try ValueReader.read(bytes, failures: failures)
    }

    /// Reads `data` from a JSON value.
    ///
    /// - Throws: ``SelectionError``, with its path, at the first place that does not fit.
    public init(data: JSONValue, failures: [DeferredFailure] = []) throws(SelectionError) {
        self = try ValueReader.read(data.bytes, failures: failures)
    }

    /// Reads an object and moves the reader past it.
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) {
        var object = try SelectionReader(opening: value)
        self = try Self(reading: &object)
        value = try object.closed()
    }

    /// The object as JSON, with the members in the order of the document.
    public var jsonValue: JSONValue {
        var writer = SelectionWriter()
        write(to: &writer)
        return writer.value
    }

    /// Decodes the object from the JSON of GraphQL.
    public init(from decoder: any Decoder) throws {
        try self.init(data: try JSONValue(from: decoder))
    }

    /// Encodes the object as the JSON of GraphQL.
    public func encode(to encoder: any Encoder) throws {
        try jsonValue.encode(to: encoder)
    }
}

extension SelectionSet {
    /// Empty: no field has a limit.
    public static var ages: [String: Int] { [:] }
}
