import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// The value of a field in its stored form.
package indirect enum StoredValue: Sendable {
    /// JSON without insignificant white space, with its original spelling.
    case json(ArraySlice<UInt8>)
    /// A reference to an entity.
    case reference(GraphQLKey)
    /// An object without a key, stored inside the field that holds it.
    case embedded(StoredObject)
    /// A list of values.
    case list([StoredValue])

    static let null = StoredValue.json(Array("null".utf8)[...])

    /// Appends the value as JSON.
    ///
    /// - Complexity: O(bytes).
    package func append(to bytes: inout [UInt8]) {
        switch self {
        case .json(let text): bytes.append(contentsOf: text)
        case .reference(let key): key.appendReference(to: &bytes)
        case .embedded(let object): object.append(to: &bytes)
        case .list(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    /// Merges a later value for the same place of a response into this one.
    ///
    /// Objects are merged, and lists of equal length by index. Any other value is replaced by the later one.
    ///
    /// - Complexity: O(both).
    mutating func merge(_ later: StoredValue) {
        switch (self, later) {
        case (.embedded(var object), .embedded(let other)) where object.isSameType(as: other):
            object.merge(other)
            self = .embedded(object)
        case (.list(var elements), .list(let others)) where elements.count == others.count:
            for index in elements.indices { elements[index].merge(others[index]) }
            self = .list(elements)
        default: self = later
        }
    }
}

/// The fields of an entity or an embedded object by storage name, in the order of their arrival.
package struct StoredObject: Sendable {
    /// A field of an object.
    package struct Field: Sendable {
        /// The storage name.
        package var name: ByteString
        /// The name as it is written between quotes.
        var written: [UInt8]
        /// The value of the field.
        package var value: StoredValue

        init(name: ByteString, written: [UInt8], value: StoredValue) {
            self.name = name
            self.written = written
            self.value = value
        }

        /// Encoded size of the field in bytes; estimated for objects and lists.
        fileprivate var byteCountLikely: Int {
            if case .json(let text) = value { written.count + text.count + 4 } else { written.count + 64 }
        }

        init(_ planned: PlanField, _ value: StoredValue) {
            self.init(name: planned.storageName, written: planned.writtenStorageName, value: value)
        }
    }

    /// The `__typename` of the object; nil if unknown.
    package var typename: ByteString?
    /// The fields; each name once.
    package private(set) var fields: [Field] = []
    /// The indices of fields by name, if there are more than ``tableCountMin``.
    private var places: [ByteString: Int] = [:]

    private static let tableCountMin = 16

    /// Creates an object without fields.
    package init(typename: ByteString?) { self.typename = typename }

    /// True if the types are equal, or at least one of them is unknown.
    func isSameType(as other: StoredObject) -> Bool {
        guard let typename, let otherName = other.typename else { return true }
        return typename == otherName
    }

    mutating func set(_ name: ByteString, written: [UInt8], _ value: StoredValue) {
        if let place = place(of: name) {
            fields[place].value.merge(value)
        } else {
            append(Field(name: name, written: written, value: value))
        }
    }

    mutating func merge(_ later: StoredObject) {
        if typename == nil { typename = later.typename }
        for field in later.fields {
            if let place = place(of: field.name) {
                fields[place].value.merge(field.value)
            } else {
                append(field)
            }
        }
    }

    /// The value of a field; nil if the object does not have it.
    package subscript(name: ByteString) -> StoredValue? { place(of: name).map { fields[$0].value } }

    mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

    /// Adds a field whose name is new to the object.
    mutating func append(_ field: Field) {
        fields.append(field)
        if !places.isEmpty {
            places[field.name] = fields.count - 1
        } else if fields.count > StoredObject.tableCountMin {
            for (index, field) in fields.enumerated() { places[field.name] = index }
        }
    }

    private func place(of name: ByteString) -> Int? {
        places.isEmpty ? fields.firstIndex { $0.name == name } : places[name]
    }

    /// Appends the object as JSON. An embedded object begins with its `__typename`, if it has one.
    func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        if let typename {
            bytes += "\"__typename\":".utf8
            CanonicalString.append(typename.bytes, to: &bytes)
            if !fields.isEmpty { bytes.append(UInt8(ascii: ",")) }
        }
        appendFields(to: &bytes)
    }

    /// Appends the object as the resource of an entity, without a `__typename`.
    func appendResource(to bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + fields.reduce(2) { $0 + $1.byteCountLikely })
        bytes.append(UInt8(ascii: "{"))
        appendFields(to: &bytes)
    }

    private func appendFields(to bytes: inout [UInt8]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: field.written)
            bytes.append(UInt8(ascii: "\""))
            bytes.append(UInt8(ascii: ":"))
            field.value.append(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
